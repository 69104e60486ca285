//! `too-many-path-segments`: URLs with deep paths. Heritrix `TooManyPathSegmentsDecideRule`.

use model::{Candidate, Verdict};
use serde::{Deserialize, Serialize};

use super::DecisionOption;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Options of [`TooManyPathSegments`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TooManyPathSegmentsOptions {
    /// What the rule answers beyond the limit.
    pub decision: DecisionOption,
    /// Most slashes in the path, the first one included.
    pub path_segments_max: u32,
}

impl Default for TooManyPathSegmentsOptions {
    fn default() -> Self {
        TooManyPathSegmentsOptions { decision: DecisionOption::Reject, path_segments_max: 20 }
    }
}

/// See the module.
pub struct TooManyPathSegments {
    verdict: Verdict,
    path_segments_max: u32,
}

impl DecideRule for TooManyPathSegments {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        (candidate.url.path().bytes().filter(|byte| *byte == b'/').count() > self.path_segments_max as usize)
            .then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for TooManyPathSegments {
    const NAME: &'static str = "too-many-path-segments";
    const DOCS: &'static str =
        "Matches URLs whose path has more slashes than the limit (Heritrix TooManyPathSegmentsDecideRule).";
    const EXAMPLE: &'static str = "path-segments-max = 20";
    type Options = TooManyPathSegmentsOptions;

    fn new(options: TooManyPathSegmentsOptions) -> Result<Self, String> {
        Ok(TooManyPathSegments {
            verdict: options.decision.into(),
            path_segments_max: options.path_segments_max,
        })
    }
}
