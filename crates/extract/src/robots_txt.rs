//! Sitemaps that robots.txt names (Heritrix ExtractorRobotsTxt; sitemaps.org, "Specifying the sitemap location").

use model::{Hop, Outlink};
use serde::{Deserialize, Serialize};

use crate::extractors::Builtin;
use crate::{Extractor, Payload, Progress, Sink};

/// Options of the extractor `robots-txt`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RobotsTxtOptions {
    /// Runs at all.
    pub enabled: bool,
    /// Most sitemaps that are taken out of one file. Links.
    pub sitemaps_max: usize,
}

impl Default for RobotsTxtOptions {
    fn default() -> Self {
        RobotsTxtOptions { enabled: true, sitemaps_max: 1000 }
    }
}

pub(crate) const BUILTIN: Builtin = Builtin {
    name: "robots-txt",
    about: "Sitemap lines of a robots.txt that was fetched as a prerequisite",
    make: |options| Box::new(RobotsTxt { options: options.robots_txt.clone() }),
};

struct RobotsTxt {
    options: RobotsTxtOptions,
}

impl Extractor for RobotsTxt {
    fn name(&self) -> &'static str {
        BUILTIN.name
    }

    fn wants(&self, payload: &Payload) -> bool {
        self.options.enabled
            && payload.is_prerequisite()
            && payload.status().is_2xx()
            && payload.url().path_and_query() == "/robots.txt"
    }

    fn extract(&self, payload: &Payload, sink: &mut Sink) -> Progress {
        let base = payload.base();
        for sitemap in robots::RobotsTxt::parse(payload.bytes()).sitemaps() {
            match base.resolve(sitemap) {
                Ok(url) => sink.push(
                    Outlink { url, hop: Hop::Manifest, context: "=MANIFEST_MISC".into(), is_sitemap: true },
                    self.options.sitemaps_max,
                ),
                Err(reason) => sink.unresolved(reason, sitemap),
            }
        }
        // A robots.txt that is an error page in HTML may be read as such.
        Progress::Continue
    }
}
