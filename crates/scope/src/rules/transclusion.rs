//! `transclusion`: what a page needs to be shown, wherever it lies. Heritrix `TransclusionDecideRule`.
//!
//! Walks the hop path back to the last link, form or sitemap. What was passed then must be at least one hop, with few
//! enough guesses (`X`) and few enough hops that are no redirects.

use model::{Candidate, Verdict};
use serde::{Deserialize, Serialize};

use super::DecisionOption;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Options of [`Transclusion`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TransclusionOptions {
    /// What the rule answers where it matches.
    pub decision: DecisionOption,
    /// Most hops after the last link, redirects not counted.
    pub trans_hops_max: u32,
    /// Most guessed hops among them.
    pub speculative_hops_max: u32,
}

impl Default for TransclusionOptions {
    fn default() -> Self {
        TransclusionOptions { decision: DecisionOption::Accept, trans_hops_max: 2, speculative_hops_max: 1 }
    }
}

/// See the module.
pub struct Transclusion {
    verdict: Verdict,
    trans_hops_max: u32,
    speculative_hops_max: u32,
}

impl DecideRule for Transclusion {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        let tail = candidate.hop_path.transclusion_tail();
        let count = |test: fn(u8) -> bool| tail.bytes().filter(|letter| test(*letter)).count() as u32;
        let matches = !tail.is_empty()
            && count(|letter| letter == b'X') <= self.speculative_hops_max
            && count(|letter| letter != b'R') <= self.trans_hops_max;
        matches.then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for Transclusion {
    const NAME: &'static str = "transclusion";
    const DOCS: &'static str = "Matches what a page needs to be shown (embeds, redirects, a few guesses) at few hops after the last \
                                link (Heritrix TransclusionDecideRule).";
    const EXAMPLE: &'static str = "trans-hops-max = 2\nspeculative-hops-max = 1";
    type Options = TransclusionOptions;

    fn new(options: TransclusionOptions) -> Result<Self, String> {
        Ok(Transclusion {
            verdict: options.decision.into(),
            trans_hops_max: options.trans_hops_max,
            speculative_hops_max: options.speculative_hops_max,
        })
    }
}

#[cfg(test)]
mod tests {
    use model::HopPath;
    use surt::CanonicalUrl;

    use super::*;

    #[test]
    fn tails() {
        let rule = Transclusion::new(TransclusionOptions::default()).unwrap();
        let check = |path: &str, expected: bool| {
            let mut candidate = Candidate::seed(CanonicalUrl::parse("http://a.example/").unwrap());
            candidate.hop_path = HopPath::parse(path).unwrap();
            assert_eq!(rule.decide(&candidate, &RuleContext::new(&candidate)).is_some(), expected, "{path}");
        };
        check("", false);
        check("L", false);
        check("LE", true);
        check("LEE", true);
        check("LEEE", false);
        check("LX", true);
        check("LXX", false);
        check("LRRRRR", true);
        check("LEREI", false);
        check("R", true);
        check("ES", false);
        check("MI", true);
    }
}
