//! The text of a query taken apart, and made into what the engine runs.
//!
//! Follows what readers of search pages expect: few words must all be on the page, and when no page has them all, any will
//! do; many words (a question) need not all be there. Nothing a person can type is an error.

use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery,
    Query as EngineQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use crate::Query;
use crate::document::cut;
use crate::schema::Fields;
use crate::tokens::{names, prose, terms};

/// Up to so many words must all be found (and if they are not, any).
const ALL_WORDS_MAX: usize = 3;
/// What a word found in a field counts beside the text, to which the title belongs. Measured: `tests/relevance.rs`.
/// Taking the best field only, instead of their sum, was worse on both collections.
const TITLE_BOOST: f32 = 0.5;
const HOST_BOOST: f32 = 1.0;
const URL_BOOST: f32 = 0.6;

/// Whether a clause must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Wanted,
    Required,
    Forbidden,
}

/// What a clause looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Sought {
    /// A word. One like `e-mail` is several terms, which follow each other unless there are many words.
    Word(String),
    /// Words in this order.
    Phrase(String),
    /// A host and all below it.
    Site(String),
}

/// A query taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Clauses(Vec<(Need, Sought)>);

impl Clauses {
    /// Reads the syntax of [`Query::words`]; beyond its limits the rest is dropped.
    pub fn parse(words: &str) -> Clauses {
        let mut rest = cut(words, Query::BYTES_MAX);
        let mut clauses = Vec::new();
        while clauses.len() < Query::CLAUSES_MAX {
            rest = rest.trim_start();
            if rest.is_empty() {
                break;
            }
            let (need, after_sign) = sign(rest);
            let (sought, after) = sought(after_sign);
            clauses.extend(sought.map(|sought| (need, sought)));
            rest = after;
        }
        Clauses(clauses)
    }

    /// The engine's queries to try in turn until one has hits.
    pub fn attempts(&self, fields: &Fields) -> Vec<Box<dyn EngineQuery>> {
        let n_wanted = self.0.iter().filter(|(need, sought)| is_wanted(*need, sought)).count();
        if n_wanted > ALL_WORDS_MAX {
            return vec![self.build(fields, Occur::Should, Order::Free)];
        }
        // One word alone is both: the second attempt would find the same.
        let occurs = if n_wanted > 1 { &[Occur::Must, Occur::Should][..] } else { &[Occur::Must] };
        occurs.iter().map(|occur| self.build(fields, *occur, Order::Kept)).collect()
    }

    /// Folded, stemmed words that are wanted on the page: what a summary marks.
    pub fn marked_terms(&self) -> Vec<String> {
        let wanted = self.0.iter().filter(|(need, _)| *need != Need::Forbidden);
        wanted
            .filter_map(|(_, sought)| match sought {
                Sought::Word(text) | Sought::Phrase(text) => Some(terms(prose(), text)),
                Sought::Site(_) => None,
            })
            .flatten()
            .collect()
    }

    /// What adds to a score, one by one: the words of the clause, the field's name, and the engine's query for the two.
    pub fn parts(&self, fields: &Fields) -> Vec<(String, &'static str, Box<dyn EngineQuery>)> {
        let n_wanted = self.0.iter().filter(|(need, sought)| is_wanted(*need, sought)).count();
        let of_word = if n_wanted > ALL_WORDS_MAX { Order::Free } else { Order::Kept };
        let mut parts = Vec::new();
        for (_, sought) in self.0.iter().filter(|(need, _)| *need != Need::Forbidden) {
            let (text, order) = match sought {
                Sought::Word(text) => (text, of_word),
                Sought::Phrase(text) => (text, Order::Kept),
                Sought::Site(_) => continue,
            };
            parts.extend(
                in_fields(fields, text, order).into_iter().map(|(name, query)| (text.clone(), name, query)),
            );
        }
        parts
    }

    fn build(&self, fields: &Fields, of_wanted: Occur, order: Order) -> Box<dyn EngineQuery> {
        let mut built: Vec<(Occur, Box<dyn EngineQuery>)> = Vec::new();
        for (need, sought) in &self.0 {
            let Some(query) = sought.build(fields, order) else { continue };
            let occur = match (need, sought) {
                (Need::Forbidden, _) => Occur::MustNot,
                (Need::Required, _) | (_, Sought::Site(_)) => Occur::Must,
                (Need::Wanted, _) => of_wanted,
            };
            built.push((occur, query));
        }
        if built.is_empty() {
            return Box::new(EmptyQuery);
        }
        if built.iter().all(|(occur, _)| *occur == Occur::MustNot) {
            built.push((Occur::Must, Box::new(AllQuery)));
        }
        Box::new(BooleanQuery::new(built))
    }
}

fn is_wanted(need: Need, sought: &Sought) -> bool {
    need == Need::Wanted && !matches!(sought, Sought::Site(_))
}

/// A leading `+` or `-`, if a word follows it directly.
fn sign(text: &str) -> (Need, &str) {
    for (mark, need) in [('+', Need::Required), ('-', Need::Forbidden)] {
        if let Some(rest) = text.strip_prefix(mark)
            && rest.starts_with(|c: char| c.is_alphanumeric() || c == '"')
        {
            return (need, rest);
        }
    }
    (Need::Wanted, text)
}

/// The next phrase, filter or word of a text that is not empty, and what follows it.
fn sought(text: &str) -> (Option<Sought>, &str) {
    if let Some(rest) = text.strip_prefix('"') {
        let (phrase, after) = rest.split_once('"').unwrap_or((rest, ""));
        return (has_word(phrase).then(|| Sought::Phrase(phrase.to_owned())), after);
    }
    // A quote inside a word ends it, so that `a"b c"` is a word and a phrase.
    let len = text.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(text.len());
    let (word, after) = text.split_at(len);
    let site = word.get(..5).filter(|prefix| prefix.eq_ignore_ascii_case("site:")).map(|_| &word[5..]);
    match site {
        Some(site) if !site.is_empty() => (Some(Sought::Site(site_name(site))), after),
        _ => (has_word(word).then(|| Sought::Word(word.to_owned())), after),
    }
}

fn has_word(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// `https://WWW.Example.org/path` and `*.example.org` are understood too.
fn site_name(text: &str) -> String {
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = text.split('/').next().unwrap_or(text);
    host.trim_start_matches("*.").trim_matches('.').to_lowercase()
}

/// Whether the terms of one word must follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Kept,
    Free,
}

impl Sought {
    fn build(&self, fields: &Fields, order: Order) -> Option<Box<dyn EngineQuery>> {
        let (text, order) = match self {
            Sought::Site(site) => {
                let term = TermQuery::new(Term::from_field_text(fields.site, site), IndexRecordOption::Basic);
                // A filter: it says nothing about how good a page is.
                return Some(Box::new(ConstScoreQuery::new(Box::new(term), 0.0)));
            }
            Sought::Word(text) => (text, order),
            Sought::Phrase(text) => (text, Order::Kept),
        };
        let found: Vec<_> = in_fields(fields, text, order).into_iter().map(|(_, query)| query).collect();
        (!found.is_empty()).then(|| Box::new(BooleanQuery::union(found)) as Box<dyn EngineQuery>)
    }
}

/// What is looked for in each field, with the field's name.
fn in_fields(fields: &Fields, text: &str, order: Order) -> Vec<(&'static str, Box<dyn EngineQuery>)> {
    let (in_prose, in_names) = (terms(prose(), text), terms(names(), text));
    let places = [
        ("text", fields.text, &in_prose, 1.0),
        ("title", fields.title, &in_prose, TITLE_BOOST),
        ("host", fields.host, &in_names, HOST_BOOST),
        ("url", fields.url_words, &in_names, URL_BOOST),
    ];
    let queries = places.into_iter().filter_map(|(name, field, terms, boost)| {
        let query: Box<dyn EngineQuery> = Box::new(BoostQuery::new(in_field(field, terms, order)?, boost));
        Some((name, query))
    });
    queries.collect()
}

/// One term, or several.
fn in_field(field: Field, terms: &[String], order: Order) -> Option<Box<dyn EngineQuery>> {
    let mut terms: Vec<Term> = terms.iter().map(|term| Term::from_field_text(field, term)).collect();
    match terms.len() {
        0 => None,
        1 => Some(Box::new(TermQuery::new(terms.remove(0), IndexRecordOption::WithFreqs))),
        _ if order == Order::Kept => Some(Box::new(PhraseQuery::new(terms))),
        _ => Some(Box::new(BooleanQuery::new_multiterms_query(terms))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, expected: &str) {
        let clauses = Clauses::parse(words);
        let shown: Vec<String> = clauses
            .0
            .iter()
            .map(|(need, sought)| {
                let sign = match need {
                    Need::Wanted => "",
                    Need::Required => "+",
                    Need::Forbidden => "-",
                };
                match sought {
                    Sought::Word(text) => format!("{sign}[{text}]"),
                    Sought::Phrase(text) => format!("{sign}[\"{text}\"]"),
                    Sought::Site(site) => format!("{sign}site={site}"),
                }
            })
            .collect();
        assert_eq!(shown.join(" "), expected, "{words}");
    }

    #[test]
    fn syntax() {
        check("two words", "[two] [words]");
        check(r#"+must -not "a phrase" -"no phrase""#, r#"+[must] -[not] ["a phrase"] -["no phrase"]"#);
        check("site:Example.ORG x", "site=example.org [x]");
        check("-site:https://www.example.org/a/b", "-site=www.example.org");
        check("SITE:*.example.org", "site=example.org");
    }

    #[test]
    fn odd_syntax_is_words() {
        check("", "");
        check(r#"" " - + "" --a"#, "[--a]");
        check(r#""open phrase"#, r#"["open phrase"]"#);
        check(r#"a"b c"d"#, r#"[a] ["b c"] [d]"#);
        check("site:", "[site:]");
        check("a:b AND (c OR d)^2 ~ *", "[a:b] [AND] [(c] [OR] [d)^2]");
        check("-\u{301}é 東京", "[-\u{301}é] [東京]");
        check("site\u{e9}: sité:x", "[site\u{e9}:] [sité:x]");
    }

    #[test]
    fn limits() {
        assert_eq!(Clauses::parse(&"a ".repeat(10_000)).0.len(), Query::CLAUSES_MAX);
        assert_eq!(Clauses::parse(&"ä".repeat(10_000)).0.len(), 1);
    }
}
