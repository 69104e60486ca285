//! Links, title and text out of a payload.
//!
//! Takes an [`model::Exchange`] and gives an [`model::Extraction`]: the links with their hop letters, what the page asks
//! of robots, and a list of problems. It cannot fail. Whether a link belongs to the crawl is none of its business, and
//! bytes are never changed: content codings and charsets are undone for reading only.
//!
//! Follows Heritrix's extractors in names, order, hop letters and contexts; HTML is read as the HTML standard's
//! tokenizer reads it, and a little more leniently where a link would be lost otherwise.
//!
//! ```
//! use extract::{ExtractOptions, Extractors, extract_payload};
//!
//! let extractors = Extractors::builtin(ExtractOptions::default());
//! let base = "http://example.org/".parse().unwrap();
//! let page = br#"<a href="a?b=1&amp;c=2#top">x</a>"#;
//! let found = extract_payload(&extractors, &base, "text/html", page);
//! assert_eq!(found.outlinks[0].url.as_str(), "http://example.org/a?b=1&c=2");
//! ```

mod charset;
mod coding;
mod extractors;
mod options;
mod payload;
mod resolve;
mod sink;

mod css;
mod html;
mod http;
mod js;
mod plain;
mod robots_txt;
mod sitemap;
mod xml;

mod likely;
mod prescan;
mod refresh;
mod rel;
mod scan;
mod srcset;
pub mod text;

pub use charset::{Charset, CharsetSource};
pub use css::CssOptions;
pub use extractors::{ALL, Builtin, ExtractContext, Extractor, Extractors, Progress, extract_payload};
pub use html::HtmlOptions;
pub use http::HttpOptions;
pub use js::JsOptions;
pub use likely::is_likely_uri;
pub use options::{ExtractOptions, Links};
pub use payload::Payload;
pub use plain::PlainOptions;
pub use resolve::{Base, Unresolved};
pub use robots_txt::RobotsTxtOptions;
pub use sink::Sink;
pub use sitemap::SitemapOptions;
pub use xml::XmlOptions;
