//! `accept` and `reject`: the same answer always. Heritrix `AcceptDecideRule`, `RejectDecideRule`.

use model::{Candidate, Verdict};

use super::NoOptions;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Accepts everything.
pub struct Accept;

/// Rejects everything.
pub struct Reject;

impl DecideRule for Accept {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, _: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        Some(Verdict::Accept)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(Verdict::Accept)
    }
}

impl ConfiguredRule for Accept {
    const NAME: &'static str = "accept";
    const DOCS: &'static str = "Accepts everything (Heritrix AcceptDecideRule).";
    const EXAMPLE: &'static str = "";
    type Options = NoOptions;

    fn new(_: NoOptions) -> Result<Self, String> {
        Ok(Accept)
    }
}

impl DecideRule for Reject {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, _: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        Some(Verdict::Reject)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(Verdict::Reject)
    }
}

impl ConfiguredRule for Reject {
    const NAME: &'static str = "reject";
    const DOCS: &'static str = "Rejects everything: the usual first rule (Heritrix RejectDecideRule).";
    const EXAMPLE: &'static str = "";
    type Options = NoOptions;

    fn new(_: NoOptions) -> Result<Self, String> {
        Ok(Reject)
    }
}
