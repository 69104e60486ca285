//! `prerequisite-accept`: what must be fetched first (DNS, robots.txt). Heritrix `PrerequisiteAcceptDecideRule`.
//!
//! Asked even if another rule accepted already, as in Heritrix: its logs name this rule for each prerequisite.

use model::{Candidate, Verdict};

use super::DecisionOptions;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// See the module.
pub struct PrerequisiteAccept {
    verdict: Verdict,
}

impl DecideRule for PrerequisiteAccept {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        (candidate.last_hop() == Some(model::Hop::Prerequisite)).then_some(self.verdict)
    }
}

impl ConfiguredRule for PrerequisiteAccept {
    const NAME: &'static str = "prerequisite-accept";
    const DOCS: &'static str =
        "Matches prerequisites: the last hop is P (Heritrix PrerequisiteAcceptDecideRule).";
    const EXAMPLE: &'static str = "decision = \"accept\"";
    type Options = DecisionOptions;

    fn new(options: DecisionOptions) -> Result<Self, String> {
        Ok(PrerequisiteAccept { verdict: options.decision.into() })
    }
}
