//! `strip-userinfo`: no user and password. Heritrix `StripUserinfoRule`.

use std::borrow::Cow;

use super::{CanonicalizationRule, after_scheme, without};

/// See the module.
pub struct StripUserinfo;

impl CanonicalizationRule for StripUserinfo {
    fn name(&self) -> &'static str {
        "strip-userinfo"
    }

    fn docs(&self) -> &'static str {
        "Removes `user:password@` from http, https, ftp and ftps URLs."
    }

    fn apply<'a>(&self, url: &'a str) -> Cow<'a, str> {
        let Some((start, rest)) = after_scheme(url, &["http", "https", "ftp", "ftps"]) else {
            return url.into();
        };
        let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        match rest[..authority_end].rfind('@') {
            Some(at) => without(url, start..start + at + 1),
            None => url.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        let check = |url: &str, expected: &str| assert_eq!(StripUserinfo.apply(url), expected);
        check("http://u:p@a.example/@x", "http://a.example/@x");
        check("http://u@v@a.example/", "http://a.example/");
        check("http://a.example/u@v", "http://a.example/u@v");
        check("mailto://u@a.example/", "mailto://u@a.example/");
    }
}
