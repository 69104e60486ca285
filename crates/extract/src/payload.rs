//! What an extractor sees of an exchange: where it came from and the bytes, content coding undone.

use std::cell::OnceCell;

use bytes::Bytes;
use http1::ResponseHead;
use model::{FetchStatus, HopPath};
use surt::CanonicalUrl;

use crate::{Base, Charset, charset};

/// Everything about a payload but its bytes.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub url: &'a CanonicalUrl,
    pub via: Option<&'a CanonicalUrl>,
    pub via_context: Option<&'a str>,
    pub hop_path: Option<&'a HopPath>,
    pub is_sitemap: bool,
    pub is_prerequisite: bool,
    pub status: FetchStatus,
    pub head: Option<&'a ResponseHead>,
}

/// A payload to be read.
pub struct Payload<'a> {
    origin: Origin<'a>,
    content_type: Option<String>,
    media_type: String,
    bytes: Bytes,
    charset: OnceCell<Charset>,
    text: OnceCell<Option<String>>,
}

impl<'a> Payload<'a> {
    pub(crate) fn new(origin: Origin<'a>, content_type: Option<String>, bytes: Bytes) -> Payload<'a> {
        let media_type = content_type.as_deref().map(media_type).unwrap_or_default();
        Payload { origin, content_type, media_type, bytes, charset: OnceCell::new(), text: OnceCell::new() }
    }

    /// What was requested.
    pub fn url(&self) -> &CanonicalUrl {
        self.origin.url
    }

    /// The page that it was found on.
    pub fn via(&self) -> Option<&CanonicalUrl> {
        self.origin.via
    }

    /// Element and attribute that it was found in.
    pub fn via_context(&self) -> Option<&str> {
        self.origin.via_context
    }

    /// The hops that led to it; `None` for bytes that were not fetched.
    pub fn hop_path(&self) -> Option<&HopPath> {
        self.origin.hop_path
    }

    /// Listed as a sitemap.
    pub fn is_sitemap(&self) -> bool {
        self.origin.is_sitemap
    }

    /// Fetched because another URL needed it.
    pub fn is_prerequisite(&self) -> bool {
        self.origin.is_prerequisite
    }

    /// HTTP status.
    pub fn status(&self) -> FetchStatus {
        self.origin.status
    }

    /// The response's head; `None` for bytes that were not fetched.
    pub fn head(&self) -> Option<&ResponseHead> {
        self.origin.head
    }

    /// The Content-Type header.
    pub fn content_type(&self) -> Option<&str> {
        self.content_type.as_deref()
    }

    /// Its media type in lower case, without parameters and quotes; empty if there is none.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// The bytes, content coding undone.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The first bytes, at most that many.
    pub fn start(&self, len_max: usize) -> &[u8] {
        &self.bytes[..self.bytes.len().min(len_max)]
    }

    /// Ending of the path's last segment in lower case, without dot; empty if there is none.
    pub fn extension(&self) -> String {
        let path = self.url().path();
        let segment = path.rsplit('/').next().unwrap_or(path);
        segment.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
    }

    /// How its bytes become text: determined at the first call.
    pub fn charset(&self) -> &Charset {
        self.charset.get_or_init(|| charset::determine(self))
    }

    pub(crate) fn charset_if_needed(&self) -> Option<&Charset> {
        self.charset.get()
    }

    /// Bytes in which markup can be found by its ASCII characters: the payload itself for encodings that contain ASCII,
    /// else the payload as UTF-8. A byte order mark is cut.
    pub fn ascii_compatible(&self) -> &[u8] {
        let charset = self.charset();
        if charset.is_ascii_compatible() {
            return &self.bytes[charset.bom_bytes..];
        }
        let text = self
            .text
            .get_or_init(|| Some(charset.encoding.decode(&self.bytes[charset.bom_bytes..]).0.into_owned()));
        text.as_deref().unwrap_or_default().as_bytes()
    }

    /// The whole payload as text.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        self.charset().decode(self.ascii_compatible())
    }

    /// The base of its links as long as nothing in it says otherwise.
    pub fn base(&self) -> Base {
        Base::new(self.url())
    }
}

/// The type of a Content-Type value: lower case, quotes and blanks cut, ends at `;`, `,` or a blank.
fn media_type(value: &str) -> String {
    let value = value.trim_matches([' ', '\t', '"', '\'']);
    let end = value.find([';', ',', ' ', '\t', '"']).unwrap_or(value.len());
    value[..end].to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types() {
        // faults.md F058.
        for (value, expected) in [
            ("text/html;Charset=utf-8;charset=UTF-8", "text/html"),
            ("\"application/octet-stream\"", "application/octet-stream"),
            (" Text/HTML ;charset=\"utf-8\" ; x=y", "text/html"),
            ("text/html, text/plain", "text/html"),
            (";charset=utf-8", ""),
            ("", ""),
        ] {
            assert_eq!(media_type(value), expected, "{value}");
        }
    }
}
