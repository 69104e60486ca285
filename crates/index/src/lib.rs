//! Index entries out of captures: CDXJ lines at once, pages for the search index later, from the WARC.
//!
//! [`cdxj_line`] costs nothing and is called when a capture is committed. [`read_pages`] reads finished WARC files, which
//! costs as much as fetching, so it runs after a crawl or beside it, and [`Applied`] says how far it came. What is done with
//! pages (`search`) and where files lie is the caller's business.

mod applied;
mod line;
mod page;
mod read;

pub use applied::Applied;
pub use line::cdxj_line;
pub use page::{Page, PageChange};
pub use read::{PageOptions, ReadReport, read_pages};
