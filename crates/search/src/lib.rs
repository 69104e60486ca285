//! Full-text search over what was archived: query, ranking, summaries, explanation.
//!
//! Holds an embedded index (tantivy) with one document a URL, that of its newest capture. Ranks by BM25 over title, text,
//! host and the words of the URL. Where documents come from (`index`) and how hits are shown (`server`, `cli`) is none of
//! its business; it never reads a WARC file. The index is derived data: it may be deleted and built again at any time.
//!
//! ```
//! use search::{Document, Query, SearchIndex};
//!
//! let folder = tempfile::tempdir()?;
//! let index = SearchIndex::create_or_open(folder.path())?;
//! let mut writer = index.writer(Default::default())?;
//! writer.add(&Document { url: "http://example.org/".into(), title: "Hello".into(), ..Document::default() })?;
//! writer.commit("")?;
//! assert_eq!(index.search(&Query::words("hello"))?.hits[0].url, "http://example.org/");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clauses;
mod distinct;
mod document;
mod error;
mod explanation;
mod hits;
mod index;
mod query;
mod schema;
mod summary;
mod tokens;
mod writer;

pub use document::Document;
pub use error::SearchError;
pub use explanation::{ExplainedPart, Explanation};
pub use hits::{Hit, Hits};
pub use index::SearchIndex;
pub use query::Query;
pub use summary::{Part, Summary};
pub use writer::{SearchWriter, WriterOptions};
