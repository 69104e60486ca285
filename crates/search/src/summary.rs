//! The piece of a page that shows why it was found.

use tantivy::tokenizer::TokenStream;

use crate::document::cut;
use crate::tokens::prose;

/// A piece of text with the matched words marked. Plain text: whoever shows it escapes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// In order; joined they are the piece.
    pub parts: Vec<Part>,
    /// Text was left out before it.
    pub cut_before: bool,
    /// Text was left out after it.
    pub cut_after: bool,
}

/// A run of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Plain text.
    pub text: String,
    /// A word of the query.
    pub is_match: bool,
}

impl Summary {
    /// Bytes of a summary, about.
    const BYTES_MAX: usize = 260;
    /// Bytes of a page in which matches are looked for.
    const SEARCHED_BYTES_MAX: usize = 256 << 10;
    /// Bytes shown before the first match, about, so that it is read in context.
    const LEAD_BYTES: usize = 60;

    /// The piece of `text` with the most different `terms` (folded and stemmed); its beginning if there is none.
    pub(crate) fn of(text: &str, terms: &[String]) -> Summary {
        let searched = cut(text, Self::SEARCHED_BYTES_MAX);
        let matches = matches(searched, terms);
        let first = best_window(&matches);
        let start = matches.get(first).map_or(0, |found| lead(text, found.from));
        let end = word_end(text, start);
        let mut parts = Vec::new();
        let mut at = start;
        for found in matches[first..].iter().take_while(|found| found.to <= end) {
            push(&mut parts, &text[at..found.from], false);
            push(&mut parts, &text[found.from..found.to], true);
            at = found.to;
        }
        push(&mut parts, &text[at..end], false);
        Summary { parts, cut_before: start > 0, cut_after: end < text.len() }
    }

    /// The piece without marks.
    pub fn plain(&self) -> String {
        self.with_marks("", "")
    }

    /// The piece with something around each match, and `…` where text was left out.
    pub fn with_marks(&self, before: &str, after: &str) -> String {
        let mut shown = String::from(if self.cut_before { "… " } else { "" });
        for part in &self.parts {
            let (before, after) = if part.is_match { (before, after) } else { ("", "") };
            shown.extend([before, &part.text, after]);
        }
        shown.push_str(if self.cut_after { " …" } else { "" });
        shown
    }
}

/// A word of the page that was asked for.
struct Match {
    from: usize,
    to: usize,
    term: usize,
}

fn matches(text: &str, terms: &[String]) -> Vec<Match> {
    let mut analyzer = prose();
    let mut stream = analyzer.token_stream(text);
    let mut found = Vec::new();
    while stream.advance() {
        let token = stream.token();
        if let Some(term) = terms.iter().position(|term| *term == token.text) {
            found.push(Match { from: token.offset_from, to: token.offset_to, term });
        }
    }
    found
}

/// The first match of the window that holds the most different terms; of equal windows the earliest. 0 if there is none.
fn best_window(matches: &[Match]) -> usize {
    let (mut best, mut best_worth) = (0, 0);
    for first in 0..matches.len() {
        let limit = matches[first].from + Summary::BYTES_MAX - Summary::LEAD_BYTES;
        let mut seen = 0_u128;
        let mut n_matches = 0;
        for found in matches[first..].iter().take_while(|found| found.to <= limit) {
            seen |= 1 << found.term.min(127);
            n_matches += 1;
        }
        // A different term is worth more than any repetition of one.
        let worth = seen.count_ones() * 64 + n_matches.min(63);
        if worth > best_worth {
            (best, best_worth) = (first, worth);
        }
    }
    best
}

/// The beginning of a sentence or a word somewhat before `at`.
fn lead(text: &str, at: usize) -> usize {
    let from = text.floor_char_boundary(at.saturating_sub(Summary::LEAD_BYTES));
    let before = &text[from..at];
    if let Some(index) = before.rfind(". ") {
        return from + index + 2;
    }
    if from == 0 {
        return 0;
    }
    before.find(' ').map_or(from, |index| from + index + 1)
}

/// Where a summary that begins at `start` ends: at the last blank within its length.
fn word_end(text: &str, start: usize) -> usize {
    let limit = start + Summary::BYTES_MAX;
    if limit >= text.len() {
        return text.len();
    }
    let limit = text.floor_char_boundary(limit);
    text[start..limit].rfind(' ').filter(|len| *len > Summary::BYTES_MAX / 2).map_or(limit, |len| start + len)
}

fn push(parts: &mut Vec<Part>, text: &str, is_match: bool) {
    if !text.is_empty() {
        parts.push(Part { text: text.to_owned(), is_match });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, terms: &[&str], expected: &str) {
        let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
        assert_eq!(Summary::of(text, &terms).with_marks("[", "]"), expected);
    }

    #[test]
    fn short_texts_are_shown_whole() {
        check("The dogs ran. A dog!", &["dog"], "The [dogs] ran. A [dog]!");
        check("Nothing here", &["dog"], "Nothing here");
        check("", &["dog"], "");
        check("Käse", &["kase"], "[Käse]");
    }

    #[test]
    fn the_window_with_most_different_terms_wins() {
        let text = format!("cat {}. A cat met a dog {}", "x ".repeat(300), "y ".repeat(300));
        let terms = ["cat".to_owned(), "dog".to_owned()];
        let shown = Summary::of(&text, &terms).with_marks("[", "]");
        assert!(shown.starts_with("… A [cat] met a [dog] y y"), "{shown}");
        assert!(shown.ends_with("y …"), "{shown}");
        assert!(shown.len() < 300);
    }

    #[test]
    fn cuts_fall_between_characters() {
        for pad in 0..8 {
            let text = format!("{}{}dog {}", "a".repeat(pad), "ä".repeat(500), "東".repeat(500));
            Summary::of(&text, &["dog".to_owned()]);
            Summary::of(&text, &["東".to_owned()]);
        }
    }
}
