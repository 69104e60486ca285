//! `strip-session-cfids`: no ColdFusion session (`cfid=…&cftoken=…`). Heritrix `StripSessionCFIDs`.

use std::borrow::Cow;

use super::strip_session_ids::contains_ignoring_case;
use super::{CanonicalizationRule, without};
use crate::session::{self, Shape};

/// See the module.
pub struct StripSessionCfids;

impl CanonicalizationRule for StripSessionCfids {
    fn name(&self) -> &'static str {
        "strip-session-cfids"
    }

    fn docs(&self) -> &'static str {
        "Removes `cfid=…&cftoken=…`, with a `&jsession=…` that follows, at the end or before a `&`, which goes with them."
    }

    fn apply<'a>(&self, url: &'a str) -> Cow<'a, str> {
        if !contains_ignoring_case(url, b"cfid=") {
            return url.into();
        }
        match session::find(url.as_bytes(), Shape::ColdFusionJava) {
            Some(range) => without(url, range),
            None => url.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        let check = |url: &str, expected: &str| assert_eq!(StripSessionCfids.apply(url), expected);
        check("http://a.b/boo?CFID=1&CFTOKEN=2&d=3", "http://a.b/boo?d=3");
        check("http://a.b/boo?x=1&cfid=1&cftoken=2&jsession=3", "http://a.b/boo?x=1&");
        check("http://a.b/boo?cfid=1", "http://a.b/boo?cfid=1");
    }
}
