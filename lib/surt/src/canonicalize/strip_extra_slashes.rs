//! `strip-extra-slashes`: repeated slashes as one. Heritrix `StripExtraSlashes`.

use std::borrow::Cow;

use super::{CanonicalizationRule, after_scheme};

/// See the module.
pub struct StripExtraSlashes;

impl CanonicalizationRule for StripExtraSlashes {
    fn name(&self) -> &'static str {
        "strip-extra-slashes"
    }

    fn docs(&self) -> &'static str {
        "Writes repeated slashes after the scheme of http and https URLs as one."
    }

    fn apply<'a>(&self, url: &'a str) -> Cow<'a, str> {
        match after_scheme(url, &["http", "https"]) {
            Some((start, rest)) if rest.contains("//") => {
                let mut text = url[..start].to_owned();
                let mut last = ' ';
                for letter in rest.chars() {
                    if letter != '/' || last != '/' {
                        text.push(letter);
                    }
                    last = letter;
                }
                text.into()
            }
            _ => url.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        let check = |url: &str, expected: &str| assert_eq!(StripExtraSlashes.apply(url), expected);
        check("http://a.b//x///y/", "http://a.b/x/y/");
        check("http://a.b/x?u=http://c", "http://a.b/x?u=http:/c");
        check("ftp://a.b//x", "ftp://a.b//x");
    }
}
