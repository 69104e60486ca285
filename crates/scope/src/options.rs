//! The scope section of a job: the common choices, from which the default sequence of rules is made.

use serde::{Deserialize, Serialize};

/// The common choices. Their defaults are those of Heritrix's default profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ScopeOptions {
    /// What a seed stands for.
    pub scope: ScopeKind,
    /// Whether things that a page in scope needs to be shown are fetched from anywhere.
    pub embeds: Embeds,
    /// Regular expressions, searched anywhere in a URL (`^` and `$` anchor): what matches one is in scope, too.
    pub include: Vec<String>,
    /// Regular expressions, searched likewise: what matches one is out of scope, embeds and redirects as well.
    pub exclude: Vec<String>,
    /// Most links a person would have clicked on the way from a seed; embeds and redirects do not count. No limit if
    /// absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_hops_max: Option<u32>,
    /// Most hops of any kind on the way from a seed.
    pub hops_max: u32,
    /// Most hops after the last link that still count as part of the page; redirects do not count.
    pub trans_hops_max: u32,
    /// Most guessed hops (out of scripts) among those.
    pub speculative_hops_max: u32,
    /// Most slashes in a path.
    pub path_segments_max: u32,
    /// Most repetitions of a path segment right after itself; 0 switches the rule off.
    pub path_repetitions_max: u32,
    /// Schemes that are fetched, in lower case.
    pub schemes: Vec<String>,
}

impl Default for ScopeOptions {
    fn default() -> Self {
        ScopeOptions {
            scope: ScopeKind::Prefix,
            embeds: Embeds::Any,
            include: Vec::new(),
            exclude: Vec::new(),
            link_hops_max: None,
            hops_max: 20,
            trans_hops_max: 2,
            speculative_hops_max: 1,
            path_segments_max: 20,
            path_repetitions_max: 2,
            schemes: crate::rules::SCHEMES.map(str::to_owned).to_vec(),
        }
    }
}

/// What a seed stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScopeKind {
    /// The page alone.
    Page,
    /// All URLs that begin with it up to the last slash, by http or https.
    #[default]
    Prefix,
    /// Its host and port.
    Host,
    /// Its registrable domain with all subdomains.
    Domain,
    /// Everything that the limits allow.
    Any,
}

/// Whether embeds may lie out of scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Embeds {
    /// What a page in scope needs to be shown, and where it redirects to, is fetched from anywhere.
    #[default]
    Any,
    /// Nothing out of scope is fetched.
    Scope,
}
