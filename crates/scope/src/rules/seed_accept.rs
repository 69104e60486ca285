//! `seed-accept`: the seeds themselves. Heritrix `SeedAcceptDecideRule`.
//!
//! A seed that a redirect bore is no seed here: exclusions hold for it (faults.md F125, F126).

use model::{Candidate, Verdict};

use super::DecisionOptions;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// See the module.
pub struct SeedAccept {
    verdict: Verdict,
}

impl DecideRule for SeedAccept {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        (candidate.is_seed && candidate.hop_path.hop_count() == 0).then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for SeedAccept {
    const NAME: &'static str = "seed-accept";
    const DOCS: &'static str =
        "Matches seeds as the user gave them, not those born of a redirect (Heritrix SeedAcceptDecideRule).";
    const EXAMPLE: &'static str = "decision = \"accept\"";
    type Options = DecisionOptions;

    fn new(options: DecisionOptions) -> Result<Self, String> {
        Ok(SeedAccept { verdict: options.decision.into() })
    }
}
