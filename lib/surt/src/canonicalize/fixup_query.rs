//! `fixup-query`: no empty rests of a query. Heritrix `FixupQueryString`.

use std::borrow::Cow;

use super::{CanonicalizationRule, without};

/// See the module.
pub struct FixupQuery;

impl CanonicalizationRule for FixupQuery {
    fn name(&self) -> &'static str {
        "fixup-query"
    }

    fn docs(&self) -> &'static str {
        "Removes a lone `?` or `?&` at the end, the `&` right after the `?`, or one `&` at the end."
    }

    fn apply<'a>(&self, url: &'a str) -> Cow<'a, str> {
        let Some(question) = url.rfind('?') else { return url.into() };
        match &url[question + 1..] {
            "" | "&" => url[..question].into(),
            query if query.starts_with('&') => without(url, question + 1..question + 2),
            query if query.ends_with('&') => url[..url.len() - 1].into(),
            _ => url.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        let check = |url: &str, expected: &str| assert_eq!(FixupQuery.apply(url), expected);
        check("http://a.b/x?", "http://a.b/x");
        check("http://a.b/x?&", "http://a.b/x");
        check("http://a.b/x?&a", "http://a.b/x?a");
        check("http://a.b/x?a=1&", "http://a.b/x?a=1");
        check("http://a.b/x?a=1", "http://a.b/x?a=1");
        check("http://a.b/x&", "http://a.b/x&");
    }
}
