//! What a capture means for the search index.

/// A change of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageChange {
    /// The page is to be found with these words; an earlier one of its URL is replaced.
    Put(Page),
    /// The URL is a page no more: it moved for good, is gone, or asks not to be found.
    Remove {
        /// The URL.
        url: String,
    },
}

/// A captured page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// As captured.
    pub url: String,
    /// Of the page; empty if it has none.
    pub title: String,
    /// Visible text.
    pub text: String,
    /// Host of the URL, no port; empty if it has none.
    pub host: String,
    /// WARC-Date.
    pub date: model::WallMs,
    /// Payload digest with its label, `sha1:…`.
    pub digest: String,
    /// Media type by the response's header.
    pub mime: String,
    /// First byte of the record in its file.
    pub offset: u64,
}
