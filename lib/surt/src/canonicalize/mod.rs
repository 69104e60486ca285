//! Canonicalisation for the seen test: which spellings count as one URL. The request always uses the spelling found.
//!
//! A rule is a file; [`ALL`] lists them; a [`Canonicalization`] is an ordered choice of them. Follows Heritrix
//! `RulesCanonicalizationPolicy` (`org.archive.modules.canonicalize`), whose rules work on the whole text of a URL.

mod fixup_query;
mod lowercase;
mod strip_extra_slashes;
mod strip_path_session_ids;
mod strip_session_cfids;
mod strip_session_ids;
mod strip_userinfo;
mod strip_www;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::CanonicalUrl;

/// One rule: a text in, the text that stands for it out.
pub trait CanonicalizationRule: Send + Sync {
    /// The name in job files and explanations, e.g. `strip-www`.
    fn name(&self) -> &'static str;

    /// What it does, in a sentence or two, for the reference page.
    fn docs(&self) -> &'static str;

    /// The text that stands for a URL's text; borrowed if the rule changes nothing.
    fn apply<'a>(&self, url: &'a str) -> Cow<'a, str>;
}

/// All rules, in the order in which Heritrix's default policy has those that it uses.
pub const ALL: [&dyn CanonicalizationRule; 9] = [
    &lowercase::Lowercase,
    &strip_userinfo::StripUserinfo,
    &strip_www::StripWwwN,
    &strip_www::StripWww,
    &strip_session_ids::StripSessionIds,
    &strip_path_session_ids::StripPathSessionIds,
    &strip_session_cfids::StripSessionCfids,
    &fixup_query::FixupQuery,
    &strip_extra_slashes::StripExtraSlashes,
];

/// An ordered choice of rules. Cheap to clone.
#[derive(Clone)]
pub struct Canonicalization {
    rules: Arc<[&'static dyn CanonicalizationRule]>,
}

impl Canonicalization {
    /// Our default: strips user and password, session ids (in query and path) and the empty rests of a query.
    ///
    /// Case, `www.`, order of arguments, repeated slashes and a trailing slash stay, since servers do answer them
    /// differently. What falls together is the same page in all but broken sites: `u:p@` (credentials are the job's),
    /// a session id (else a site has endless copies), a lone `?` or `&` at an end.
    pub fn keep_case_default() -> Canonicalization {
        Canonicalization::named(&[
            "strip-userinfo",
            "strip-session-ids",
            "strip-path-session-ids",
            "strip-session-cfids",
            "fixup-query",
        ])
        .expect("the names stand in ALL")
    }

    /// The six rules of Heritrix's default policy in its order. Lower-cases the whole URL and cuts `www12.`, so pages
    /// that differ in these alone are fetched once.
    pub fn heritrix() -> Canonicalization {
        Canonicalization::named(&[
            "lowercase",
            "strip-userinfo",
            "strip-www-n",
            "strip-session-ids",
            "strip-session-cfids",
            "fixup-query",
        ])
        .expect("the names stand in ALL")
    }

    /// The rules of these names in this order.
    ///
    /// # Errors
    /// The first name that stands for no rule.
    pub fn named<'a>(names: &[&'a str]) -> Result<Canonicalization, &'a str> {
        let rule = |name: &&'a str| ALL.into_iter().find(|rule| rule.name() == *name).ok_or(*name);
        Ok(Canonicalization { rules: names.iter().map(rule).collect::<Result<_, _>>()? })
    }

    /// The names of the rules, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.rules.iter().map(|rule| rule.name())
    }

    /// The text that the seen test compares. Borrowed, and without any allocation, for most URLs under the default.
    pub fn canonical_text<'a>(&self, url: &'a CanonicalUrl) -> Cow<'a, str> {
        self.canonical_text_of(url.as_str())
    }

    /// As [`Canonicalization::canonical_text`], of any text.
    pub fn canonical_text_of<'a>(&self, url: &'a str) -> Cow<'a, str> {
        self.rules.iter().fold(Cow::Borrowed(url), |text, rule| match text {
            Cow::Borrowed(text) => rule.apply(text),
            Cow::Owned(text) => match rule.apply(&text) {
                Cow::Owned(changed) => changed.into(),
                Cow::Borrowed(same) if same.len() == text.len() => text.into(),
                Cow::Borrowed(part) => part.to_owned().into(),
            },
        })
    }
}

impl Default for Canonicalization {
    fn default() -> Self {
        Canonicalization::keep_case_default()
    }
}

impl fmt::Debug for Canonicalization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// The text without a range.
fn without(text: &str, range: std::ops::Range<usize>) -> Cow<'_, str> {
    let mut rest = String::with_capacity(text.len());
    rest.push_str(&text[..range.start]);
    rest.push_str(&text[range.end..]);
    rest.into()
}

/// The part after `scheme://` with its offset, if the scheme is one of these.
fn after_scheme<'a>(url: &'a str, schemes: &[&str]) -> Option<(usize, &'a str)> {
    let (scheme, rest) = url.split_once("://")?;
    let known = schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme));
    known.then_some((scheme.len() + 3, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_names_docs_and_bear_anything() {
        let mut names: Vec<_> = ALL.iter().map(|rule| rule.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        let hostile = [
            "",
            "é",
            "http://",
            "http://@",
            "http://é@é/?",
            "://",
            "?",
            "http://www./",
            "https://WWW1.é/é?&",
        ];
        for rule in ALL {
            assert!(rule.docs().ends_with('.') && rule.docs().len() > 20, "{}", rule.name());
            for text in hostile {
                rule.apply(text);
            }
        }
        assert_eq!(Canonicalization::named(&["no-such"]).unwrap_err(), "no-such");
    }

    #[test]
    fn profiles() {
        let check = |url: &str, ours: &str, heritrix: &str| {
            let url = CanonicalUrl::parse(url).unwrap();
            assert_eq!(Canonicalization::default().canonical_text(&url), ours);
            assert_eq!(Canonicalization::heritrix().canonical_text(&url), heritrix);
        };
        check("http://www.A.example/X?", "http://www.a.example/X", "http://a.example/x");
        check("http://u:p@a.example/?b=2&a=1", "http://a.example/?b=2&a=1", "http://a.example/?b=2&a=1");
        let id = "0123456789abcdef0123456789abcdef";
        check(&format!("http://a.example/f?sid={id}"), "http://a.example/f", "http://a.example/f");
        check(
            &format!("http://a.example/f?PHPSESSID={id}&T=5"),
            "http://a.example/f?T=5",
            "http://a.example/f?t=5",
        );
        let path_session = format!("http://a.example/f;jsessionid={id}?t=5");
        check(&path_session, "http://a.example/f?t=5", &path_session);
    }

    #[test]
    fn the_default_does_not_allocate_for_plain_urls() {
        let url = CanonicalUrl::parse("http://www.example.org/A/b?c=d&side=1").unwrap();
        assert!(matches!(Canonicalization::default().canonical_text(&url), Cow::Borrowed(_)));
    }
}
