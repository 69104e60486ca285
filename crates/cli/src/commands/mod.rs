//! A file a command; `job.rs` finds the job that several of them read.

mod job;

pub mod demo;
pub mod crawl;
pub mod resume;
pub mod status;
pub mod explain;
pub mod warc;
pub mod lookup;
pub mod index;
pub mod search;
pub mod serve;
