//! `too-many-link-hops`: URLs too many links from a seed; embeds and redirects do not count. Ours: Heritrix
//! counts all hops (`too-many-hops`).

use model::{Candidate, Verdict};
use serde::{Deserialize, Serialize};

use super::DecisionOption;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Options of [`TooManyLinkHops`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TooManyLinkHopsOptions {
    /// What the rule answers beyond the limit.
    pub decision: DecisionOption,
    /// Most hops `L` among the kept 50.
    pub link_hops_max: u32,
}

impl Default for TooManyLinkHopsOptions {
    fn default() -> Self {
        TooManyLinkHopsOptions { decision: DecisionOption::Reject, link_hops_max: 5 }
    }
}

/// See the module.
pub struct TooManyLinkHops {
    verdict: Verdict,
    link_hops_max: u32,
}

impl DecideRule for TooManyLinkHops {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        (candidate.hop_path.link_hop_count() > self.link_hops_max).then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for TooManyLinkHops {
    const NAME: &'static str = "too-many-link-hops";
    const DOCS: &'static str = "Matches URLs that are more links (hop L) away from a seed than the limit; embeds and redirects do not count.";
    const EXAMPLE: &'static str = "link-hops-max = 5";
    type Options = TooManyLinkHopsOptions;

    fn new(options: TooManyLinkHopsOptions) -> Result<Self, String> {
        Ok(TooManyLinkHops { verdict: options.decision.into(), link_hops_max: options.link_hops_max })
    }
}
