//! What a person asks.

/// A search: words, and which part of the result is wanted.
///
/// Syntax of `words`: `word`, `"a phrase"`, `+must`, `-not`, `site:example.org`. Anything else is read as words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// As typed; at most [`Query::BYTES_MAX`] bytes are read.
    pub words: String,
    /// 1 is the first page; 0 means the same.
    pub page: u32,
    /// Hits on a page; cut to [`Query::PER_PAGE_MAX`].
    pub per_page: u32,
    /// Show pages of equal payload each; normally only the best of them is shown.
    pub with_duplicates: bool,
    /// Also leave out the summaries, which cost more than the search itself.
    pub without_summaries: bool,
}

impl Query {
    /// Bytes of a query that are read.
    pub const BYTES_MAX: usize = 4096;
    /// Words and phrases of a query that are read.
    pub const CLAUSES_MAX: usize = 128;
    /// Most hits a page can have.
    pub const PER_PAGE_MAX: u32 = 1000;
    /// Hits that can be paged through; later pages are empty.
    pub const DEPTH_MAX: u32 = 10_000;

    /// The first ten hits for some words.
    pub fn words(words: impl Into<String>) -> Query {
        Query { words: words.into(), page: 1, per_page: 10, with_duplicates: false, without_summaries: false }
    }

    /// Hits before the wanted page, and hits on it.
    pub(crate) fn window(&self) -> (usize, usize) {
        let per_page = self.per_page.clamp(1, Query::PER_PAGE_MAX);
        let offset = u64::from(self.page.max(1) - 1) * u64::from(per_page);
        (offset.min(u64::from(Query::DEPTH_MAX)) as usize, per_page as usize)
    }
}
