//! What was found in a payload.

use serde::{Deserialize, Serialize};

use crate::Hop;

/// A link as it was found, resolved against its base but not yet parsed into a [`surt::CanonicalUrl`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Outlink {
    /// The absolute URL, WHATWG-serialised, fragment cut.
    pub url: surt::CanonicalUrl,
    /// How it was found.
    pub hop: Hop,
    /// Element and attribute, e.g. `a/@href`, or `=JS_MISC` and the like (Heritrix `LinkContext`).
    pub context: std::borrow::Cow<'static, str>,
    /// A sitemap by declaration: robots.txt or sitemap index.
    pub is_sitemap: bool,
}

/// Something that could not be read; extraction went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Which extractor met it.
    pub extractor: &'static str,
    /// What it was, lower case, no full stop.
    pub message: String,
    /// The text it was met in, cut to 200 bytes.
    pub text: String,
}

/// Meta robots and X-Robots-Tag, all groups that apply to us merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RobotsMeta {
    /// Do not follow links.
    pub nofollow: bool,
    /// Do not show in search.
    pub noindex: bool,
    /// Do not show a cached copy.
    pub noarchive: bool,
}

/// What was found in a payload. Extraction cannot fail: it gives what it found and a list of problems.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extraction {
    /// Links in the order they were found, each URL once per hop.
    pub outlinks: Vec<Outlink>,
    /// Links that were found beyond the limit on outlinks and dropped (annotation `dol:<n>`).
    pub outlinks_dropped: u64,
    /// Label of the encoding that text was read in, e.g. `UTF-8`; `None` if none was needed.
    pub charset: Option<String>,
    /// What the page asks of robots.
    pub robots_meta: RobotsMeta,
    /// Names of the extractors that ran, in order.
    pub extractors: Vec<&'static str>,
    /// For crawl.log, e.g. `usingCharsetInHTML:UTF-8`.
    pub annotations: Vec<String>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}
