//! Links in HTTP headers (Heritrix ExtractorHTTP), and addresses that every site may have.

use model::Hop;
use serde::{Deserialize, Serialize};

use crate::extractors::Builtin;
use crate::{ExtractOptions, Extractor, Links, Payload, Progress, Sink, refresh};

/// Values of one header that are read; a response with more is not worth it.
const VALUES_MAX: usize = 100;

/// Options of the extractor `http`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpOptions {
    /// Runs at all. Redirects are found even if not.
    pub enabled: bool,
    /// Every response gives `/favicon.ico` as an inferred link, as in Heritrix; the seen test drops the repeats.
    pub favicon: bool,
    /// Paths inferred for every response, e.g. `/.well-known/security.txt` (Heritrix `inferPaths`).
    pub infer_paths: Vec<String>,
    /// `Link` headers (RFC 8288) give links as `link` elements do. Heritrix does not read them.
    pub link_header: bool,
}

impl Default for HttpOptions {
    fn default() -> Self {
        HttpOptions { enabled: true, favicon: true, infer_paths: Vec::new(), link_header: true }
    }
}

pub(crate) const BUILTIN: Builtin = Builtin {
    name: "http",
    about: "Location, Refresh, Content-Location and Link headers; /favicon.ico",
    make: |options| Box::new(Http { options: options.http.clone(), redirects_only: redirects_only(options) }),
};

fn redirects_only(options: &ExtractOptions) -> bool {
    !options.http.enabled || options.links == Links::AAreaOnly
}

struct Http {
    options: HttpOptions,
    redirects_only: bool,
}

impl Extractor for Http {
    fn name(&self) -> &'static str {
        BUILTIN.name
    }

    fn wants(&self, payload: &Payload) -> bool {
        payload.head().is_some() && payload.url().is_http()
    }

    fn extract(&self, payload: &Payload, sink: &mut Sink) -> Progress {
        let Some(head) = payload.head() else { return Progress::Continue };
        let base = payload.base();
        let values = |name: &'static str| head.headers_named(name).take(VALUES_MAX).map(text);
        // Heritrix follows a Location whatever the status; of two, the last: RFC 9110 allows but one.
        for location in values("location") {
            sink.reference(&base, &location, Hop::Redirect, "Location:");
        }
        for value in values("refresh") {
            if let Some(target) = refresh::target(&value) {
                sink.reference(&base, target, Hop::Redirect, "Refresh:");
            }
        }
        if self.redirects_only {
            return Progress::Continue;
        }
        for value in values("content-location") {
            sink.reference(&base, &value, Hop::Inferred, "Content-Location:");
        }
        if self.options.link_header {
            for value in values("link") {
                links(&value, |target, rel| {
                    if let Some((hop, _)) = crate::rel::hop_of(rel) {
                        sink.reference(&base, target, hop, "Link:");
                    }
                });
            }
        }
        if self.options.favicon {
            sink.reference(&base, "/favicon.ico", Hop::Inferred, "=INFERRED_MISC");
        }
        for path in &self.options.infer_paths {
            sink.reference(&base, path, Hop::Inferred, "=INFERRED_MISC");
        }
        Progress::Continue
    }
}

/// A header value as text. Seen in the wild: Location in UTF-8, and in Latin-1.
fn text(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|byte| *byte as char).collect(),
    }
}

/// Targets and `rel` values of a Link header (RFC 8288, 3): `<target>; rel="a b"; …, <target> …`.
fn links(value: &str, mut each: impl FnMut(&str, &str)) {
    let mut rest = value;
    while let Some(open) = rest.find('<') {
        let Some(len) = rest[open + 1..].find('>') else { return };
        let target = &rest[open + 1..open + 1 + len];
        rest = &rest[open + len + 2..];
        let parameters_end = end_of_parameters(rest);
        let rel = rest[..parameters_end].split(';').find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("rel").then(|| value.trim().trim_matches('"'))
        });
        each(target, rel.unwrap_or_default());
        rest = &rest[parameters_end..];
    }
}

/// Place of the comma that ends a link's parameters; commas in quotes do not.
fn end_of_parameters(text: &str) -> usize {
    let mut quoted = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => return index,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_headers() {
        let mut found = Vec::new();
        let value = "</a>; rel=next, <b,c>;title=\"x, y\";rel=\"preload x\" , <d>, <e";
        links(value, |target, rel| found.push(format!("{target} {rel}")));
        assert_eq!(found, ["/a next", "b,c preload x", "d "]);
    }
}
