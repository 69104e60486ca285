//! Absolute URLs in plain text.

use model::Hop;
use serde::{Deserialize, Serialize};

use crate::extractors::Builtin;
use crate::{Extractor, Payload, Progress, Sink};

/// Options of the extractor `plain`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlainOptions {
    /// Runs at all. Off: no program that we stand in for does it while it crawls (Nutch does, Heritrix does not).
    pub enabled: bool,
}

#[expect(clippy::derivable_impls, reason = "the reason for the value stands beside the field")]
impl Default for PlainOptions {
    fn default() -> Self {
        PlainOptions { enabled: false }
    }
}

pub(crate) const BUILTIN: Builtin = Builtin {
    name: "plain",
    about: "absolute URLs in text/plain",
    make: |options| Box::new(Plain { options: options.plain.clone() }),
};

struct Plain {
    options: PlainOptions,
}

impl Extractor for Plain {
    fn name(&self) -> &'static str {
        BUILTIN.name
    }

    fn wants(&self, payload: &Payload) -> bool {
        self.options.enabled && payload.media_type() == "text/plain"
    }

    fn extract(&self, payload: &Payload, sink: &mut Sink) -> Progress {
        let base = payload.base();
        for word in payload.text().split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"')) {
            let start = ["http://", "https://", "ftp://"].iter().filter_map(|scheme| word.find(scheme)).min();
            let Some(start) = start else { continue };
            let url = word[start..].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'']);
            if let Ok(url) = base.resolve(url) {
                sink.link(url, Hop::Speculative, "=SPECULATIVE_MISC");
            }
        }
        Progress::Finished
    }
}
