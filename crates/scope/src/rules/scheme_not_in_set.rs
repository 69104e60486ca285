//! `scheme-not-in-set`: URLs of schemes that are not fetched. Heritrix `SchemeNotInSetDecideRule`.

use model::{Candidate, Verdict};
use serde::{Deserialize, Serialize};

use super::DecisionOption;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Heritrix's set.
pub const SCHEMES: [&str; 6] = ["http", "https", "ftp", "dns", "whois", "sftp"];

/// Options of [`SchemeNotInSet`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SchemeNotInSetOptions {
    /// What the rule answers for other schemes.
    pub decision: DecisionOption,
    /// The schemes, in lower case.
    pub schemes: Vec<String>,
}

impl Default for SchemeNotInSetOptions {
    fn default() -> Self {
        SchemeNotInSetOptions {
            decision: DecisionOption::Reject,
            schemes: SCHEMES.map(str::to_owned).to_vec(),
        }
    }
}

/// See the module.
pub struct SchemeNotInSet {
    verdict: Verdict,
    schemes: Vec<String>,
}

impl DecideRule for SchemeNotInSet {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        let scheme = candidate.url.scheme();
        (!self.schemes.iter().any(|known| known == scheme)).then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for SchemeNotInSet {
    const NAME: &'static str = "scheme-not-in-set";
    const DOCS: &'static str =
        "Matches URLs of any scheme but those listed (Heritrix SchemeNotInSetDecideRule).";
    const EXAMPLE: &'static str = "schemes = [\"http\", \"https\", \"dns\"]";
    type Options = SchemeNotInSetOptions;

    fn new(options: SchemeNotInSetOptions) -> Result<Self, String> {
        Ok(SchemeNotInSet { verdict: options.decision.into(), schemes: options.schemes })
    }
}
