//! Rules by name: how a job file makes them, and how another crate adds its own.

use model::Verdict;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::rule::DecideRule;
use crate::rules;

/// A rule that is made from options.
pub trait ConfiguredRule: DecideRule + Sized + 'static {
    /// As [`DecideRule::name`].
    const NAME: &'static str;
    /// What it does and the rule of Heritrix it follows, for the reference page.
    const DOCS: &'static str;
    /// Options as TOML that can be read.
    const EXAMPLE: &'static str;
    /// Its options; unknown keys must be refused.
    type Options: Serialize + DeserializeOwned;

    /// Makes the rule.
    ///
    /// # Errors
    /// What is wrong with the options, lower case, no full stop.
    fn new(options: Self::Options) -> Result<Self, String>;
}

/// A rule in the registry.
#[derive(Clone, Copy)]
pub struct RuleEntry {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub docs: &'static str,
    /// Options as TOML.
    pub example: &'static str,
    /// Makes it from options.
    pub build: fn(toml::Table) -> Result<Box<dyn DecideRule>, String>,
    /// Reads options and writes them again, defaults filled in.
    pub round_trip: fn(toml::Table) -> Result<toml::Table, String>,
}

impl RuleEntry {
    /// The entry of a rule type.
    pub const fn of<R: ConfiguredRule>() -> RuleEntry {
        RuleEntry {
            name: R::NAME,
            docs: R::DOCS,
            example: R::EXAMPLE,
            build: |options| Ok(Box::new(R::new(read::<R>(options)?)?)),
            round_trip: |options| {
                toml::Table::try_from(read::<R>(options)?).map_err(|error| error.to_string())
            },
        }
    }
}

fn read<R: ConfiguredRule>(options: toml::Table) -> Result<R::Options, String> {
    options.try_into().map_err(|error: toml::de::Error| format!("rule {}: {}", R::NAME, error.message()))
}

/// A rule as a job file writes it: its name and its options in one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleSpec {
    /// Name in the registry.
    pub rule: String,
    /// The rule's own options.
    #[serde(flatten)]
    pub options: toml::Table,
}

/// The rules that are known.
#[derive(Clone)]
pub struct Registry {
    entries: Vec<RuleEntry>,
}

impl Registry {
    /// The rules of this crate.
    pub fn builtin() -> Registry {
        Registry { entries: rules::ALL.to_vec() }
    }

    /// One rule more; it replaces one of the same name.
    pub fn with(mut self, entry: RuleEntry) -> Registry {
        self.entries.retain(|known| known.name != entry.name);
        self.entries.push(entry);
        self
    }

    /// All entries, ours first.
    pub fn entries(&self) -> &[RuleEntry] {
        &self.entries
    }

    /// Makes a rule.
    ///
    /// # Errors
    /// An unknown name, with the names there are, or options that the rule refuses.
    pub fn build(&self, spec: &RuleSpec) -> Result<Box<dyn DecideRule>, String> {
        match self.entries.iter().find(|entry| entry.name == spec.rule) {
            Some(entry) => (entry.build)(spec.options.clone()),
            None => {
                let names: Vec<_> = self.entries.iter().map(|entry| entry.name).collect();
                Err(format!("no decide rule is called `{}`; there are {}", spec.rule, names.join(", ")))
            }
        }
    }
}

impl Default for Registry {
    fn default() -> Self {
        Registry::builtin()
    }
}

/// A verdict as options write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecisionOption {
    /// The rule accepts what it matches.
    Accept,
    /// The rule rejects what it matches.
    Reject,
}

impl From<DecisionOption> for Verdict {
    fn from(option: DecisionOption) -> Verdict {
        match option {
            DecisionOption::Accept => Verdict::Accept,
            DecisionOption::Reject => Verdict::Reject,
        }
    }
}
