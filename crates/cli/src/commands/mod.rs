//! A file a command; `job.rs` finds the job that several of them read.

mod job;

pub mod crawl;
pub mod demo;
pub mod explain;
pub mod index;
pub mod lookup;
pub mod resume;
pub mod search;
pub mod serve;
pub mod status;
pub mod warc;
