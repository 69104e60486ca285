//! `strip-path-session-ids`: no `;jsessionid=…` at the end of the path. Servlet containers write it there; Heritrix has
//! no rule for it, and each session then makes a copy of the site (faults.md F006).

use std::borrow::Cow;

use super::{CanonicalizationRule, without};

/// See the module.
pub struct StripPathSessionIds;

const KEY: &[u8] = b";jsessionid=";

impl CanonicalizationRule for StripPathSessionIds {
    fn name(&self) -> &'static str {
        "strip-path-session-ids"
    }

    fn docs(&self) -> &'static str {
        "Removes `;jsessionid=…` from the end of the path, up to the query."
    }

    fn apply<'a>(&self, url: &'a str) -> Cow<'a, str> {
        // A `;` is rare, so this is one fast search for most URLs.
        let path = &url[..url.find('?').unwrap_or(url.len())];
        let found = path.match_indices(';').map(|(at, _)| at).find(|at| {
            path.as_bytes().get(*at..at + KEY.len()).is_some_and(|key| key.eq_ignore_ascii_case(KEY))
        });
        match found {
            Some(start) if !path[start..].contains('/') => without(url, start..path.len()),
            _ => url.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        let check = |url: &str, expected: &str| assert_eq!(StripPathSessionIds.apply(url), expected);
        check("http://a.example/f;jsessionid=AB12?t=5", "http://a.example/f?t=5");
        check("http://a.example/f;JSESSIONID=AB.w1!2", "http://a.example/f");
        check("http://a.example/f;jsessionid=1/g", "http://a.example/f;jsessionid=1/g");
        check("http://a.example/f?x;jsessionid=1", "http://a.example/f?x;jsessionid=1");
    }
}
