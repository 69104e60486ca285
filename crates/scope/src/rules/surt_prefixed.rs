//! `surt-prefixed`: URLs under SURT prefixes, those of the seeds or others. Heritrix `SurtPrefixedDecideRule`, and
//! `OnHostsDecideRule` and `OnDomainsDecideRule` by the width of a seed.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use model::{Candidate, Verdict};
use serde::{Deserialize, Serialize};
use surt::{
    CanonicalUrl, Surt, SurtPrefixSet, surt_prefix_of_domain, surt_prefix_of_host, surt_prefix_of_seed,
    surt_prefix_of_text,
};

use super::DecisionOption;
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Options of [`SurtPrefixed`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SurtPrefixedOptions {
    /// What the rule answers where it matches. `accept` takes the `+` directives of the seeds file, `reject` the `-` ones.
    pub decision: DecisionOption,
    /// What each seed stands for in this rule.
    pub seeds: SeedWidth,
    /// More prefixes: SURT prefixes, URLs or host names.
    pub prefixes: Vec<String>,
    /// Matches also if the via lies under a prefix.
    pub also_check_via: bool,
}

impl Default for SurtPrefixedOptions {
    fn default() -> Self {
        SurtPrefixedOptions {
            decision: DecisionOption::Accept,
            seeds: SeedWidth::Prefix,
            prefixes: Vec::new(),
            also_check_via: false,
        }
    }
}

/// What a seed stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeedWidth {
    /// Nothing: seeds do not count here.
    None,
    /// The page itself, by http or https.
    Page,
    /// What begins with it up to the last slash.
    Prefix,
    /// Its host and port.
    Host,
    /// Its registrable domain with all subdomains.
    Domain,
}

/// See the module.
pub struct SurtPrefixed {
    verdict: Verdict,
    seeds: SeedWidth,
    also_check_via: bool,
    /// Grows while the job runs, seldom: when a redirect bears a seed, or one is added by hand.
    set: RwLock<Grown>,
    labels: RwLock<HashMap<Box<str>, Arc<str>>>,
}

/// Labels that are kept; beyond, they are made anew for each decision.
const LABELS_MAX: usize = 65_536;

#[derive(Default)]
struct Grown {
    prefixes: SurtPrefixSet,
    /// SURTs of single pages.
    pages: HashSet<Box<str>>,
}

impl Grown {
    /// The prefix or page that covers a SURT.
    fn cover<'a>(&'a self, surt: &str) -> Option<&'a str> {
        self.pages.get(surt).map(|page| &**page).or_else(|| self.prefixes.longest_match(surt))
    }
}

impl SurtPrefixed {
    fn set(&self) -> std::sync::RwLockReadGuard<'_, Grown> {
        // A panic elsewhere leaves the set as it is: it is changed by single calls.
        self.set.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_prefix(&self, prefix: &str) {
        self.set.write().unwrap_or_else(PoisonError::into_inner).prefixes.insert_reduced(prefix);
    }

    fn label_of(&self, cover: &str) -> Arc<str> {
        if let Some(label) = self.labels.read().unwrap_or_else(PoisonError::into_inner).get(cover) {
            return label.clone();
        }
        let sign = if self.verdict == Verdict::Accept { '+' } else { '-' };
        let label: Arc<str> = format!("{} {sign}{cover}", Self::NAME).into();
        let mut labels = self.labels.write().unwrap_or_else(PoisonError::into_inner);
        if labels.len() < LABELS_MAX {
            labels.insert(cover.into(), label.clone());
        }
        label
    }

    fn change_of(&self, seed: &CanonicalUrl) -> Option<String> {
        match self.seeds {
            SeedWidth::None => None,
            SeedWidth::Page => Some(Surt::for_scope(seed).into_string()),
            SeedWidth::Prefix => Some(surt_prefix_of_seed(seed)),
            SeedWidth::Host => Some(surt_prefix_of_host(seed)),
            SeedWidth::Domain => Some(surt_prefix_of_domain(seed)),
        }
    }
}

impl DecideRule for SurtPrefixed {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, _: &Candidate, context: &RuleContext<'_>) -> Option<Verdict> {
        let set = self.set();
        if set.prefixes.is_empty() && set.pages.is_empty() {
            return None;
        }
        let matches = set.cover(context.surt()).is_some()
            || self.also_check_via && context.via_surt().is_some_and(|surt| set.cover(surt).is_some());
        matches.then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }

    fn label(&self, _: &Candidate, context: &RuleContext<'_>) -> Option<Arc<str>> {
        let set = self.set();
        let cover = set.cover(context.surt()).or_else(|| set.cover(context.via_surt()?))?;
        Some(self.label_of(cover))
    }

    fn seed_change(&self, seed: &CanonicalUrl) -> Option<String> {
        self.change_of(seed).filter(|change| self.set().cover(change).is_none())
    }

    fn apply_change(&self, surt_prefix: &str) {
        match self.seeds {
            SeedWidth::None => {}
            SeedWidth::Page => {
                self.set.write().unwrap_or_else(PoisonError::into_inner).pages.insert(surt_prefix.into());
            }
            SeedWidth::Prefix | SeedWidth::Host | SeedWidth::Domain => self.add_prefix(surt_prefix),
        }
    }

    fn directive(&self, sign: char, surt_prefix: &str) -> bool {
        let is_ours = (sign == '+') == (self.verdict == Verdict::Accept);
        if is_ours {
            self.add_prefix(surt_prefix);
        }
        is_ours
    }
}

impl ConfiguredRule for SurtPrefixed {
    const NAME: &'static str = "surt-prefixed";
    const DOCS: &'static str = "Matches URLs whose SURT (https taken as http) begins with a prefix: those that the seeds stand for, \
                                those listed, and those of the directives in the seeds file (Heritrix SurtPrefixedDecideRule, \
                                OnHostsDecideRule, OnDomainsDecideRule).";
    const EXAMPLE: &'static str =
        "decision = \"accept\"\nseeds = \"host\"\nprefixes = [\"http://(org,example,\"]";
    type Options = SurtPrefixedOptions;

    fn new(options: SurtPrefixedOptions) -> Result<Self, String> {
        let mut prefixes = SurtPrefixSet::new();
        for text in &options.prefixes {
            let prefix =
                surt_prefix_of_text(text).map_err(|error| format!("SURT prefix `{text}`: {error}"))?;
            prefixes.insert_reduced(&prefix);
        }
        Ok(SurtPrefixed {
            verdict: options.decision.into(),
            seeds: options.seeds,
            also_check_via: options.also_check_via,
            set: RwLock::new(Grown { prefixes, ..Grown::default() }),
            labels: RwLock::default(),
        })
    }
}
