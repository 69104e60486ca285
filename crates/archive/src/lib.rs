//! New capture or revisit; WARC files and their rotation.
//!
//! Two halves. [`RecordBuilder`] turns an exchange into finished records (heads, digests, gzip members) on any thread and
//! in no order: [`Prepared`]. [`WarcWriter`] belongs to one owner and appends what was prepared, file after file, under
//! rules 1 to 8 of the durability contract (DURABILITY.md). [`recover`] puts the files right when a job is resumed.
//!
//! Leaves to others: whether an earlier capture exists (its caller looks that up), when to sync and commit (the ledger
//! in `crawl`), index lines (`cdxj`, `index`). Follows WARC 1.1, and Heritrix in names, order and fields.

mod builder;
mod draft;
mod names;
mod options;
mod own_file;
mod prepared;
pub mod records;
mod recover;
mod warcinfo;
mod writer;

pub use builder::RecordBuilder;
pub use draft::{Block, Draft, Task};
pub use names::{NameError, NameTokens, WarcNames};
pub use options::{ArchiveOptions, Warcinfo};
pub use own_file::OwnFiles;
pub use prepared::Prepared;
pub use records::RecordMaker;
pub use recover::{RecoverError, Recovery, Unfinished, recover};
pub use writer::{Appended, WarcWriter};
