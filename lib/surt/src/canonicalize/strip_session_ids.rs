//! `strip-session-ids`: no session ids of Java, PHP, ASP and `sid=` at the end or before a `&`. Heritrix
//! `StripSessionIDs`.

use std::borrow::Cow;

use super::{CanonicalizationRule, without};
use crate::session::{self, Shape};

/// See the module.
pub struct StripSessionIds;

impl CanonicalizationRule for StripSessionIds {
    fn name(&self) -> &'static str {
        "strip-session-ids"
    }

    fn docs(&self) -> &'static str {
        "Removes `jsessionid=`, `phpsessid=` or `sid=` with 32 letters or digits, and `ASPSESSIONID…=…`, where they end \
         the URL or stand before a `&`, which goes with them."
    }

    fn apply<'a>(&self, url: &'a str) -> Cow<'a, str> {
        // Nearly all URLs leave here: every shape holds one of the two texts.
        if !contains_ignoring_case(url, b"sid=") && !contains_ignoring_case(url, b"sessionid") {
            return url.into();
        }
        let mut text = Cow::Borrowed(url);
        // Java and PHP are one rule in Heritrix, of which the last in the URL goes.
        let java_or_php = [Shape::Java, Shape::Php]
            .into_iter()
            .filter_map(|shape| session::find(text.as_bytes(), shape))
            .max_by_key(|range| range.start);
        if let Some(range) = java_or_php {
            text = without(url, range);
        }
        for shape in [Shape::Sid, Shape::Asp] {
            if let Some(range) = session::find(text.as_bytes(), shape) {
                text = without(&text, range).into_owned().into();
            }
        }
        text
    }
}

pub(super) fn contains_ignoring_case(text: &str, word: &[u8]) -> bool {
    text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        let id = "0123456789abcdefghijklemopqrstuv";
        let check = |query: String, rest: &str| {
            let url = format!("http://a.example/f?{query}");
            assert_eq!(StripSessionIds.apply(&url), format!("http://a.example/f?{rest}"));
        };
        check(format!("jsessionid={id}"), "");
        check(format!("jsessionid={id}0"), &format!("jsessionid={id}0"));
        check(format!("one=two&JSESSIONID={id}&x=y"), "one=two&x=y");
        check(format!("one=two&phpsessid={id}"), "one=two&");
        check(format!("sid={id}&jsessionid={id}"), "");
        check("aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=y".into(), "x=y");
    }
}
