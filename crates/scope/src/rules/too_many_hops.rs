//! `too-many-hops`: URLs too many hops from a seed. Heritrix `TooManyHopsDecideRule`.

use model::{Candidate, Verdict};
use serde::{Deserialize, Serialize};

use super::DecisionOption;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Options of [`TooManyHops`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TooManyHopsOptions {
    /// What the rule answers beyond the limit.
    pub decision: DecisionOption,
    /// Most hops of any kind, those that fell off the kept path included.
    pub hops_max: u32,
}

impl Default for TooManyHopsOptions {
    fn default() -> Self {
        TooManyHopsOptions { decision: DecisionOption::Reject, hops_max: 20 }
    }
}

/// See the module.
pub struct TooManyHops {
    verdict: Verdict,
    hops_max: u32,
}

impl DecideRule for TooManyHops {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        (candidate.hop_path.hop_count() > self.hops_max).then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for TooManyHops {
    const NAME: &'static str = "too-many-hops";
    const DOCS: &'static str = "Matches URLs that are more hops of any kind away from a seed than the limit (Heritrix TooManyHopsDecideRule).";
    const EXAMPLE: &'static str = "hops-max = 20";
    type Options = TooManyHopsOptions;

    fn new(options: TooManyHopsOptions) -> Result<Self, String> {
        Ok(TooManyHops { verdict: options.decision.into(), hops_max: options.hops_max })
    }
}
