//! WARC and ARC files: read, write, check.
//!
//! Reads WARC 1.0 and 1.1 (ISO 28500) and ARC 1 and 2, plain, gzipped record by record or as a whole, and zstd; writes
//! WARC 1.1. Lenient in what it reads: [`Reader`] gives what can be read and a list of [`Problem`]s with their offsets, in
//! bounded memory whatever the file says. Knows no clock, no network and no file beyond `std::io`'s traits. Leaves to
//! others: names and rotation of files (`archive`), index lines (`cdxj`).
//!
//! ```
//! use std::io::Read;
//! use warc::{HeadWriter, MemberCompressor, Reader, RecordType, TRAILER, check};
//!
//! let mut record = Vec::new();
//! HeadWriter::begin(&mut record, &RecordType::Resource, Some("dns:example.org"), "2026-01-05T10:00:07Z")
//!     .finish(&[7; 16], Some("text/dns"), 5);
//! record.extend_from_slice(b"hello");
//! record.extend_from_slice(TRAILER);
//! let mut file = Vec::new();
//! MemberCompressor::new().append_member(6, &record, &mut file);
//!
//! let mut reader = Reader::new(file.as_slice());
//! let head = reader.next_record()?.expect("one record");
//! assert_eq!(head.target_uri().as_deref(), Some("dns:example.org"));
//! let mut block = Vec::new();
//! reader.block().read_to_end(&mut block)?;
//! assert_eq!(block, b"hello");
//! assert_eq!(reader.end_record()?.expect("it was begun").length, file.len() as u64);
//! assert!(check(file.as_slice(), |_, _| {})?.is_ok());
//! # Ok::<(), std::io::Error>(())
//! ```

mod arc;
mod check;
mod compress;
mod digest;
mod head;
mod headers;
mod kind;
mod message;
mod problem;
mod raw;
mod reader;
mod source;
mod write;

pub use check::{Report, check};
pub use compress::{GZIP_LEVEL_MAX, MemberCompressor, MemberStream, is_incompressible};
pub use digest::{Algorithm, Declared, Hasher, base32};
pub use head::{Format, RecordHead, date_digits14};
pub use headers::Headers;
pub use kind::RecordType;
pub use message::{HttpResponse, Piece};
pub use problem::{PROBLEMS_MAX, Problem, Severity};
pub use reader::{Block, HEAD_BYTES_MAX, Reader, RecordEnd};
pub use source::Coding;
pub use write::{HeadWriter, RecordId, TRAILER, WARC_FIELDS, push_field};
