//! Captures shown again: look-up by URL and time, the stored bytes, and pages rewritten so that they stay in the archive.
//!
//! Reads CDXJ and WARC files, also while a crawl writes them, and nothing else of a job. Raw first: `id_` gives the payload
//! as it was stored. Otherwise links and embeds of HTML and CSS lead to captures and the rest is untouched. Scripts are not
//! rewritten; [`POLICY`] keeps what they load within the archive. URLs look like those of other web archives:
//! `/web/20260105100007/http://example.org/`. How it comes to a browser is the business of `server`.

mod files;
mod live;
mod replay;
mod shown;
mod stored;

mod attributes;
mod charset;
mod css;
mod entities;
mod headers;
mod html;
mod link;
mod place;
mod srcset;

pub use files::{ArchiveFiles, WarcFile};
pub use replay::{Answer, Replay, Resolved};
pub use shown::{REWRITTEN_BYTES_MAX, ShowError, Shown, ShownBody};
pub use stored::StoredRecord;

pub use charset::Charset;
pub use css::rewrite_css;
pub use headers::{POLICY, shown_headers};
pub use html::{RewriteError, rewrite_html};
pub use link::Links;
pub use place::{Modifier, Place};
