//! `has-via`: URLs that were found on a page, that is all but seeds. Heritrix `HasViaDecideRule`.

use model::{Candidate, Verdict};

use super::DecisionOptions;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// See the module.
pub struct HasVia {
    verdict: Verdict,
}

impl DecideRule for HasVia {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        candidate.via.is_some().then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for HasVia {
    const NAME: &'static str = "has-via";
    const DOCS: &'static str = "Matches URLs that have a via (Heritrix HasViaDecideRule).";
    const EXAMPLE: &'static str = "decision = \"accept\"";
    type Options = DecisionOptions;

    fn new(options: DecisionOptions) -> Result<Self, String> {
        Ok(HasVia { verdict: options.decision.into() })
    }
}
