//! `hops-path-matches-regex`: URLs whose hop path matches as a whole. Heritrix `HopsPathMatchesRegexDecideRule`.

use model::{Candidate, Verdict};
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::{DecisionOption, compiled};
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Options of [`HopsPathMatchesRegex`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HopsPathMatchesRegexOptions {
    /// What the rule answers where it matches.
    #[serde(default = "accept")]
    pub decision: DecisionOption,
    /// Must match the whole hop path, e.g. `L?E*`.
    pub regex: String,
}

fn accept() -> DecisionOption {
    DecisionOption::Accept
}

/// See the module.
pub struct HopsPathMatchesRegex {
    verdict: Verdict,
    regex: Regex,
}

impl DecideRule for HopsPathMatchesRegex {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        self.regex.is_match(&candidate.hop_path.to_string()).then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for HopsPathMatchesRegex {
    const NAME: &'static str = "hops-path-matches-regex";
    const DOCS: &'static str =
        "Matches URLs whose whole hop path matches the expression (Heritrix HopsPathMatchesRegexDecideRule).";
    const EXAMPLE: &'static str = "regex = 'L?E*'";
    type Options = HopsPathMatchesRegexOptions;

    fn new(options: HopsPathMatchesRegexOptions) -> Result<Self, String> {
        Ok(HopsPathMatchesRegex { verdict: options.decision.into(), regex: compiled(&options.regex, true)? })
    }
}
