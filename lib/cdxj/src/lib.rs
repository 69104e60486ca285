//! CDX and CDXJ lines, sorted files and look-ups.
//!
//! [`CdxLine`] reads and writes the two forms, [`lines_of_warc`] makes the lines of an archive file, [`sort`] and
//! [`merge`] bring lines into the order of bytes, in which [`SortedFile`] finds them. Leaves to others: how a URL becomes
//! a key (`surt::cdx_key`), how records are read (`warc`), where files lie.
//!
//! ```
//! use std::io::Cursor;
//! use cdxj::{CdxLine, SortedFile};
//!
//! let index = "org,example)/ 20260105100007 {\"url\": \"http://example.org/\", \"offset\": \"0\", \"filename\": \"a.warc\"}\n";
//! let mut file = SortedFile::new(Cursor::new(index.as_bytes()))?;
//! let prefix = format!("{} ", CdxLine::key_of("https://www.example.org"));
//! let line = file.lines_with_prefix(prefix.as_bytes())?.next().expect("one line")?;
//! assert_eq!(CdxLine::parse(&line).expect("a good line").filename, "a.warc");
//! # Ok::<(), std::io::Error>(())
//! ```

mod line;
mod of_warc;
mod sorted;

pub use line::{CDX11_HEADER, CdxLine, LINE_BYTES_MAX};
pub use of_warc::lines_of_warc;
pub use sorted::{PrefixLines, SortedFile, merge, sort};
