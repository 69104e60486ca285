//! Links of sitemaps and sitemap indexes (Heritrix ExtractorSitemap; the sitemaps.org protocol).

use model::{Hop, Outlink, Problem};
use serde::{Deserialize, Serialize};

use crate::extractors::Builtin;
use crate::{Extractor, Payload, Progress, Sink};

/// Pictures and films of one entry that are taken (Google's extension allows 1,000).
const RESOURCES_MAX: usize = 1000;

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
        let sitemap = robots::sitemap::parse(payload.bytes());
        if let Some(message) = sitemap.problem {
            sink.problem(Problem { extractor: BUILTIN.name, message, text: String::new() });
        }
        let base = payload.base();
        // Whether another host's pages may be listed here is a question of scope.
        let entries_max = self.options.entries_max.saturating_add(sink.extraction.outlinks.len());
        for entry in sitemap.entries {
            match base.resolve(&entry.loc) {
                Ok(url) => {
                    let context = "=MANIFEST_MISC".into();
                    sink.push(
                        Outlink { url, hop: Hop::Manifest, context, is_sitemap: entry.is_index },
                        entries_max,
                    );
                }
                Err(reason) => sink.unresolved(reason, &entry.loc),
            }
            for resource in entry.resources.iter().take(RESOURCES_MAX) {
                sink.reference(&base, resource, Hop::Embed, "=EMBED_MISC");
            }
        }
        // As in Heritrix, XML may be looked at once more.
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
