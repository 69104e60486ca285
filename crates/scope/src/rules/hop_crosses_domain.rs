//! `hop-crosses-domain`: URLs whose registrable domain is not that of their via. Heritrix
//! `HopCrossesAssignmentLevelDomainDecideRule`.

use model::{Candidate, Verdict};

use super::DecisionOptions;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// See the module.
pub struct HopCrossesDomain {
    verdict: Verdict,
}

impl DecideRule for HopCrossesDomain {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        let domain = |url: &surt::CanonicalUrl| {
            let host = url.host().unwrap_or_default().to_owned();
            surt::registrable_domain(&host).map(str::to_owned).unwrap_or(host)
        };
        let via = candidate.via.as_ref()?;
        (domain(&via.url) != domain(&candidate.url)).then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for HopCrossesDomain {
    const NAME: &'static str = "hop-crosses-domain";
    const DOCS: &'static str = "Matches URLs whose registrable domain differs from that of the page they were found on (Heritrix HopCrossesAssignmentLevelDomainDecideRule).";
    const EXAMPLE: &'static str = "decision = \"accept\"";
    type Options = DecisionOptions;

    fn new(options: DecisionOptions) -> Result<Self, String> {
        Ok(HopCrossesDomain { verdict: options.decision.into() })
    }
}
