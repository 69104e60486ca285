//! What is known of every URL and host: status, history, digests.
//!
//! Three tables, each derived from journal entries alone and applied after their commit: rows by URL, facts by host,
//! and the first capture of each payload. What is fetched next is the frontier's business; whether a URL is known is
//! decided here (the frontier's seen test is its accelerator). The rows are what `explain` reads.

mod crawl_db;
mod digests;
mod hosts;
mod row;
mod url_entry;

pub use crawl_db::{CrawlDb, EachUrl, host_prefix};
pub use digests::Digests;
pub use hosts::{Hosts, HostsOptions, origin};
pub use url_entry::{LastFetch, UrlEntry, UrlState};
