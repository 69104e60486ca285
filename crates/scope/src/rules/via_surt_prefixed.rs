//! `via-surt-prefixed`: URLs that were found on a page under a SURT prefix. Heritrix `ViaSurtPrefixedDecideRule`.

use model::{Candidate, Verdict};
use serde::{Deserialize, Serialize};
use surt::{SurtPrefixSet, surt_prefix_of_text};

use super::DecisionOption;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Options of [`ViaSurtPrefixed`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ViaSurtPrefixedOptions {
    /// What the rule answers where it matches.
    #[serde(default = "accept")]
    pub decision: DecisionOption,
    /// SURT prefixes, URLs or host names.
    pub surt_prefixes: Vec<String>,
}

fn accept() -> DecisionOption {
    DecisionOption::Accept
}

/// See the module.
pub struct ViaSurtPrefixed {
    verdict: Verdict,
    prefixes: SurtPrefixSet,
}

impl DecideRule for ViaSurtPrefixed {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, _: &Candidate, context: &RuleContext<'_>) -> Option<Verdict> {
        context.via_surt().is_some_and(|surt| self.prefixes.covers(surt)).then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }
}

impl ConfiguredRule for ViaSurtPrefixed {
    const NAME: &'static str = "via-surt-prefixed";
    const DOCS: &'static str = "Matches URLs that were found on a page under one of the prefixes (Heritrix ViaSurtPrefixedDecideRule).";
    const EXAMPLE: &'static str = "surt-prefixes = [\"http://(org,example,\"]";
    type Options = ViaSurtPrefixedOptions;

    fn new(options: ViaSurtPrefixedOptions) -> Result<Self, String> {
        let mut prefixes = SurtPrefixSet::new();
        for text in &options.surt_prefixes {
            let prefix =
                surt_prefix_of_text(text).map_err(|error| format!("SURT prefix `{text}`: {error}"))?;
            prefixes.insert_reduced(&prefix);
        }
        Ok(ViaSurtPrefixed { verdict: options.decision.into(), prefixes })
    }
}
