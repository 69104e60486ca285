//! `source-seed`: URLs that stem from certain seeds; needs source tags. Heritrix `SourceSeedDecideRule`.

use std::collections::BTreeSet;

use model::{Candidate, Verdict};
use serde::{Deserialize, Serialize};

use super::DecisionOption;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Options of [`SourceSeed`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SourceSeedOptions {
    /// What the rule answers where it matches.
    #[serde(default = "accept")]
    pub decision: DecisionOption,
    /// Source tags: texts of seed lines as typed.
    pub source_seeds: BTreeSet<String>,
}

fn accept() -> DecisionOption {
    DecisionOption::Accept
}

/// See the module.
pub struct SourceSeed {
    verdict: Verdict,
    source_seeds: BTreeSet<String>,
}

impl DecideRule for SourceSeed {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        self.source_seeds.contains(candidate.source_tag.as_ref()?).then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for SourceSeed {
    const NAME: &'static str = "source-seed";
    const DOCS: &'static str =
        "Matches URLs whose source tag is one of those listed (Heritrix SourceSeedDecideRule).";
    const EXAMPLE: &'static str = "source-seeds = [\"http://example.org/\"]";
    type Options = SourceSeedOptions;

    fn new(options: SourceSeedOptions) -> Result<Self, String> {
        Ok(SourceSeed { verdict: options.decision.into(), source_seeds: options.source_seeds })
    }
}
