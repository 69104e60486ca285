//! `strip-www` and `strip-www-n`: no leading `www.` (or `www12.`). Heritrix `StripWWWRule` and `StripWWWNRule`.
//!
//! Root pages keep it: a bare domain that redirects to its `www.` host would otherwise be the same URL as its target,
//! and the target would never be fetched.

use std::borrow::Cow;

use super::{CanonicalizationRule, after_scheme, without};

/// `www.` alone.
pub struct StripWww;

/// `www.` and `www` with digits.
pub struct StripWwwN;

impl CanonicalizationRule for StripWww {
    fn name(&self) -> &'static str {
        "strip-www"
    }

    fn docs(&self) -> &'static str {
        "Removes a leading `www.` of http and https hosts, except on root pages."
    }

    fn apply<'a>(&self, url: &'a str) -> Cow<'a, str> {
        strip(url, |_| 0)
    }
}

impl CanonicalizationRule for StripWwwN {
    fn name(&self) -> &'static str {
        "strip-www-n"
    }

    fn docs(&self) -> &'static str {
        "Removes a leading `www.`, `www1.`, `www23.` … of http and https hosts, except on root pages."
    }

    fn apply<'a>(&self, url: &'a str) -> Cow<'a, str> {
        strip(url, |rest| rest.bytes().take_while(u8::is_ascii_digit).count())
    }
}

/// Cuts `www`, as many bytes more as `digits` says, and a dot; if something follows the first slash.
fn strip(url: &str, digits: fn(&str) -> usize) -> Cow<'_, str> {
    let Some((start, rest)) = after_scheme(url, &["http", "https"]) else { return url.into() };
    let is_www = rest.get(..3).is_some_and(|www| www.eq_ignore_ascii_case("www"));
    if !is_www {
        return url.into();
    }
    let dot = 3 + digits(&rest[3..]);
    let has_page = rest.find('/').is_some_and(|slash| slash > dot + 1 && slash + 1 < rest.len());
    match rest.as_bytes().get(dot) {
        Some(b'.') if has_page => without(url, start..start + dot + 1),
        _ => url.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        let check = |url: &str, www: &str, www_n: &str| {
            assert_eq!((&*StripWww.apply(url), &*StripWwwN.apply(url)), (www, www_n));
        };
        check("http://www.a.example/x", "http://a.example/x", "http://a.example/x");
        check("http://www12.a.example/x", "http://www12.a.example/x", "http://a.example/x");
        check("http://www.a.example/", "http://www.a.example/", "http://www.a.example/");
        check("http://wwww.a.example/x", "http://wwww.a.example/x", "http://wwww.a.example/x");
        check("ftp://www.a.example/x", "ftp://www.a.example/x", "ftp://www.a.example/x");
    }
}
