//! What extraction is told: the section `[extract]` of a job file.

use serde::{Deserialize, Serialize};

use crate::{
    CssOptions, HtmlOptions, HttpOptions, JsOptions, PlainOptions, RobotsTxtOptions, SitemapOptions,
    XmlOptions,
};

/// Which links of a page are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// All that the extractors find.
    #[default]
    All,
    /// Only `href` of `a` and `area` in HTML and redirects of HTTP: for comparing crawlers.
    AAreaOnly,
}

/// Options of all extractors. Unknown keys are refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractOptions {
    /// Which links of a page are followed.
    pub links: Links,
    /// Most links of one URL; what is found beyond is counted and dropped (Heritrix `maxOutlinks`). Links.
    pub outlinks_max: usize,
    /// Most bytes of a payload that are read, before its content coding is undone. Bytes.
    pub payload_bytes_max: usize,
    /// Most bytes that undoing the content coding may give; the rest is not read. Bytes.
    pub decoded_bytes_max: usize,
    /// Most problems that are listed. Problems.
    pub problems_max: usize,
    /// Whether payloads of 404 responses are read (Heritrix `extract404s`).
    pub extract_404: bool,
    /// Our product token, as `X-Robots-Tag: token: nofollow` names robots.
    pub robots_token: String,
    /// HTTP headers.
    pub http: HttpOptions,
    /// robots.txt.
    pub robots_txt: RobotsTxtOptions,
    /// Sitemaps.
    pub sitemap: SitemapOptions,
    /// HTML.
    pub html: HtmlOptions,
    /// Style sheets.
    pub css: CssOptions,
    /// Scripts and JSON.
    pub js: JsOptions,
    /// Feeds and other XML.
    pub xml: XmlOptions,
    /// Plain text.
    pub plain: PlainOptions,
}

impl Default for ExtractOptions {
    fn default() -> Self {
        ExtractOptions {
            links: Links::All,
            // Heritrix default, AbstractFrontier.
            outlinks_max: 6000,
            payload_bytes_max: 32 << 20,
            decoded_bytes_max: 64 << 20,
            problems_max: 100,
            extract_404: true,
            robots_token: "bequest".to_owned(),
            http: HttpOptions::default(),
            robots_txt: RobotsTxtOptions::default(),
            sitemap: SitemapOptions::default(),
            html: HtmlOptions::default(),
            css: CssOptions::default(),
            js: JsOptions::default(),
            xml: XmlOptions::default(),
            plain: PlainOptions::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_unknown_keys() {
        let options = ExtractOptions::default();
        let text = toml::to_string(&options).unwrap();
        assert_eq!(toml::from_str::<ExtractOptions>(&text).unwrap(), options);
        assert_eq!(
            toml::from_str::<ExtractOptions>("links = \"a-area-only\"").unwrap().links,
            Links::AAreaOnly
        );
        assert!(toml::from_str::<ExtractOptions>("outlink_max = 3").is_err());
        assert!(toml::from_str::<ExtractOptions>("[html]\nfoo = 3").is_err());
    }
}
