//! What the index takes: one page.

use model::WallMs;

/// One page to be found: the newest capture of a URL. Empty fields are simply not searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Identity: a later document of the same URL replaces this one.
    pub url: String,
    /// Of the page, plain text.
    pub title: String,
    /// Visible text, plain; only the first [`Document::TEXT_BYTES_MAX`] bytes are kept.
    pub text: String,
    /// Host name in lower case, no port.
    pub host: String,
    /// When it was captured.
    pub date: WallMs,
    /// Payload digest as CDX files write it, e.g. base32 SHA-1. Pages of equal digest are shown once; empty = never a duplicate.
    pub digest: String,
    /// Media type, e.g. `text/html`.
    pub mime: String,
    /// Name of the WARC file, without folder and without `.open`.
    pub file: String,
    /// First byte of the record in that file.
    pub offset: u64,
}

impl Document {
    /// Bytes of text that are searched and stored; the rest of a longer page is dropped. A long book has about 1 MB.
    pub const TEXT_BYTES_MAX: usize = 1 << 20;
    /// Bytes of title that are searched and stored.
    pub const TITLE_BYTES_MAX: usize = 4 << 10;
    /// Bytes of URL that are split into words.
    pub const URL_BYTES_MAX: usize = 8 << 10;
}

/// The longest prefix of at most `bytes_max` bytes that ends between characters.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}
