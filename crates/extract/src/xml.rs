//! Guessed links in XML: feeds first of all (Heritrix ExtractorXML).
//!
//! Takes whatever looks like a URL between quotes or between tags, CDATA sections literally.

use model::Hop;
use serde::{Deserialize, Serialize};

use crate::extractors::Builtin;
use crate::{Extractor, Payload, Progress, Sink, is_likely_uri, sitemap};

/// Options of the extractor `xml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct XmlOptions {
    /// Runs at all. In Heritrix's default profile it does not.
    pub enabled: bool,
}

impl Default for XmlOptions {
    fn default() -> Self {
        XmlOptions { enabled: true }
    }
}

pub(crate) const BUILTIN: Builtin = Builtin {
    name: "xml",
    about: "text and attributes of feeds and other XML that look like URLs",
    make: |options| Box::new(Xml { options: options.xml.clone() }),
};

struct Xml {
    options: XmlOptions,
}

impl Extractor for Xml {
    fn name(&self) -> &'static str {
        BUILTIN.name
    }

    fn wants(&self, payload: &Payload) -> bool {
        let media_type = payload.media_type();
        let is_xml = (media_type.contains("xml") && !media_type.contains("openxmlformats"))
            || matches!(payload.extension().as_str(), "rss" | "xml" | "atom")
            || payload.start(400).starts_with(b"<?xml");
        self.options.enabled && is_xml && !sitemap::looks_like_sitemap(payload)
    }

    fn extract(&self, payload: &Payload, sink: &mut Sink) -> Progress {
        let base = payload.base().with_encoding(payload.charset().encoding);
        strings(&payload.text(), |text, is_literal| {
            let text = text.trim();
            if text.contains([' ', '@', '\n']) || !text.contains(['.', '/']) {
                return;
            }
            let text = if is_literal { text.into() } else { htmlize::unescape(text) };
            if is_namespace(&text) || !is_likely_uri(&text) {
                return;
            }
            if let Ok(url) = base.resolve(&text) {
                sink.link(url, Hop::Speculative, "=SPECULATIVE_MISC");
            }
        });
        Progress::Finished
    }
}

/// Names of namespaces look like URLs, and every feed holds them.
fn is_namespace(text: &str) -> bool {
    const NAMES: [&str; 9] = [
        "http://www.w3.org/",
        "https://www.w3.org/",
        "http://purl.org/",
        "http://search.yahoo.com/mrss",
        "http://wellformedweb.org/",
        "http://www.itunes.com/dtds/",
        "http://rssnamespace.org/",
        "http://ns.adobe.com/",
        "http://www.sitemaps.org/schemas/",
    ];
    NAMES.iter().any(|name| text.starts_with(name))
}

/// Calls `each` with what stands between quotes of tags, between tags, and in CDATA sections (these are literal).
fn strings(xml: &str, mut each: impl FnMut(&str, bool)) {
    let mut rest = xml;
    while let Some(open) = rest.find('<') {
        each(&rest[..open], false);
        rest = &rest[open..];
        if let Some(data) = rest.strip_prefix("<![CDATA[") {
            let end = data.find("]]>").unwrap_or(data.len());
            each(&data[..end], true);
            rest = data.get(end + 3..).unwrap_or_default();
            continue;
        }
        if rest.starts_with("<!--") {
            rest = rest.find("-->").map_or("", |end| &rest[end + 3..]);
            continue;
        }
        let Some(end) = rest.find('>') else { return };
        let mut tag = &rest[..end];
        while let Some(start) = tag.find(['"', '\'']) {
            let quote = &tag[start..start + 1];
            let Some(len) = tag[start + 1..].find(quote) else { break };
            each(&tag[start + 1..start + 1 + len], false);
            tag = &tag[start + len + 2..];
        }
        rest = &rest[end + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(xml: &str, expected: &[&str]) {
        let mut found = Vec::new();
        strings(xml, |text, is_literal| {
            if !text.trim().is_empty() {
                found.push(format!("{text}{}", if is_literal { "!" } else { "" }));
            }
        });
        assert_eq!(found, expected, "{xml}");
    }

    #[test]
    fn texts_attributes_and_cdata() {
        // faults.md F048.
        check(
            "<item><link><![CDATA[http://example.org/p?a=1&b=2]]></link><media:content url=\"/m.jpg\"/></item>",
            &["http://example.org/p?a=1&b=2!", "/m.jpg"],
        );
        check("<a b='c' d=\"e'f\">g</a><!-- h --><i", &["c", "e'f", "g"]);
        check("<![CDATA[x", &["x!"]);
        check("<a b='", &[]);
    }
}
