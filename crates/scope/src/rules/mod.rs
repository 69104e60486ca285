//! The decide rules, one a file. Those that look at a response (status, content type, length) are not here yet: scope is
//! asked before the fetch.

mod constant;
mod has_via;
mod hop_crosses_domain;
mod hops_path_matches_regex;
mod matches_file_pattern;
mod matches_regex;
mod pathological_path;
mod prerequisite_accept;
mod scheme_not_in_set;
mod seed_accept;
mod source_seed;
mod surt_prefixed;
mod too_many_hops;
mod too_many_link_hops;
mod too_many_path_segments;
mod transclusion;
mod via_surt_prefixed;

pub use constant::{Accept, Reject};
pub use has_via::HasVia;
pub use hop_crosses_domain::HopCrossesDomain;
pub use hops_path_matches_regex::{HopsPathMatchesRegex, HopsPathMatchesRegexOptions};
pub use matches_file_pattern::{FilePreset, MatchesFilePattern, MatchesFilePatternOptions};
pub use matches_regex::{MatchesRegex, MatchesRegexOptions};
pub use pathological_path::{PathologicalPath, PathologicalPathOptions};
pub use prerequisite_accept::PrerequisiteAccept;
pub use scheme_not_in_set::{SCHEMES, SchemeNotInSet, SchemeNotInSetOptions};
pub use seed_accept::SeedAccept;
pub use source_seed::{SourceSeed, SourceSeedOptions};
pub use surt_prefixed::{SeedWidth, SurtPrefixed, SurtPrefixedOptions};
pub use too_many_hops::{TooManyHops, TooManyHopsOptions};
pub use too_many_link_hops::{TooManyLinkHops, TooManyLinkHopsOptions};
pub use too_many_path_segments::{TooManyPathSegments, TooManyPathSegmentsOptions};
pub use transclusion::{Transclusion, TransclusionOptions};
pub use via_surt_prefixed::{ViaSurtPrefixed, ViaSurtPrefixedOptions};

pub use crate::registry::DecisionOption;
use crate::registry::RuleEntry;

/// All rules, in the order in which a sequence usually has them.
pub const ALL: [RuleEntry; 18] = [
    RuleEntry::of::<Accept>(),
    RuleEntry::of::<Reject>(),
    RuleEntry::of::<SurtPrefixed>(),
    RuleEntry::of::<ViaSurtPrefixed>(),
    RuleEntry::of::<TooManyHops>(),
    RuleEntry::of::<TooManyLinkHops>(),
    RuleEntry::of::<Transclusion>(),
    RuleEntry::of::<MatchesRegex>(),
    RuleEntry::of::<HopsPathMatchesRegex>(),
    RuleEntry::of::<MatchesFilePattern>(),
    RuleEntry::of::<PathologicalPath>(),
    RuleEntry::of::<TooManyPathSegments>(),
    RuleEntry::of::<SeedAccept>(),
    RuleEntry::of::<PrerequisiteAccept>(),
    RuleEntry::of::<HasVia>(),
    RuleEntry::of::<HopCrossesDomain>(),
    RuleEntry::of::<SourceSeed>(),
    RuleEntry::of::<SchemeNotInSet>(),
];

/// Options of rules that only say what they answer.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DecisionOptions {
    /// What the rule answers where it matches.
    pub decision: DecisionOption,
}

impl Default for DecisionOptions {
    fn default() -> Self {
        DecisionOptions { decision: DecisionOption::Accept }
    }
}

/// Options of rules that have none.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoOptions {}

/// A compiled expression that must match the whole text if asked so.
fn compiled(regex: &str, full_match: bool) -> Result<regex::Regex, String> {
    let text = match full_match {
        true => format!("^(?:{regex})$"),
        false => regex.to_owned(),
    };
    // The limit of compiled size keeps a hostile job file from taking memory: 10 MB, the default of the regex crate.
    regex::Regex::new(&text).map_err(|error| format!("regular expression `{regex}`: {error}"))
}
