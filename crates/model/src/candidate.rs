//! A URL that was found and may be fetched.

use serde::{Deserialize, Serialize};
use surt::CanonicalUrl;

use crate::{Hop, HopPath};

/// Coarse order inside a queue: a lower directive goes first (Heritrix `SchedulingConstants`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum Directive {
    /// Prerequisites of urgent URLs.
    Highest,
    /// Prerequisites, forms.
    High,
    /// Seeds, embeds, redirects.
    Medium,
    /// All else.
    #[default]
    Normal,
}

impl Directive {
    /// One step more urgent; `Highest` stays. What a prerequisite gets from the URL that needs it.
    pub fn before(self) -> Directive {
        match self {
            Directive::Normal => Directive::Medium,
            Directive::Medium => Directive::High,
            Directive::High | Directive::Highest => Directive::Highest,
        }
    }
}

/// Where a URL was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Via {
    /// The page.
    pub url: CanonicalUrl,
    /// Element and attribute, or a name such as `=JS_MISC` (Heritrix `LinkContext`).
    pub context: String,
}

/// A URL that was found and may be fetched. Made from a seed or an [`crate::Outlink`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The URL as it will be requested.
    pub url: CanonicalUrl,
    /// `None` for seeds (but a seed born of a redirect keeps it).
    pub via: Option<Via>,
    /// How it was reached; empty for seeds.
    pub hop_path: HopPath,
    /// Order in its queue.
    pub directive: Directive,
    /// Scope grows by a seed's SURT prefix; a seed is shown as such in reports.
    pub is_seed: bool,
    /// Bypasses the seen test: prerequisites, forced URLs.
    pub force_fetch: bool,
    /// Listed as a sitemap by robots.txt or by a sitemap index (Heritrix annotation `isSitemap`).
    pub is_sitemap: bool,
    /// Text of the seed line it stems from, when the job tags sources.
    pub source_tag: Option<String>,
}

impl Candidate {
    /// The candidate of a seed: medium directive, no via.
    pub fn seed(url: CanonicalUrl) -> Candidate {
        Candidate {
            url,
            via: None,
            hop_path: HopPath::seed(),
            directive: Directive::Medium,
            is_seed: true,
            force_fetch: false,
            is_sitemap: false,
            source_tag: None,
        }
    }

    /// The last hop; `None` for seeds.
    pub fn last_hop(&self) -> Option<Hop> {
        self.hop_path.last()
    }
}
