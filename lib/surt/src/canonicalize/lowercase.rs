//! `lowercase`: the whole URL in lower case. Heritrix `LowercaseRule`.

use std::borrow::Cow;

use super::CanonicalizationRule;

/// See the module.
pub struct Lowercase;

impl CanonicalizationRule for Lowercase {
    fn name(&self) -> &'static str {
        "lowercase"
    }

    fn docs(&self) -> &'static str {
        "Lower-cases the whole URL. Two pages whose paths differ in case alone are then fetched once."
    }

    fn apply<'a>(&self, url: &'a str) -> Cow<'a, str> {
        match url.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => url.to_ascii_lowercase().into(),
            false => url.into(),
        }
    }
}
