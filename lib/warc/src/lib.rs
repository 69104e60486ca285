//! WARC and ARC files: read, write, check, repair.

mod compress;
mod digest;
mod kind;
mod write;

pub use compress::{GZIP_LEVEL_MAX, MemberCompressor, MemberStream, is_incompressible};
pub use digest::{Algorithm, Declared, Hasher, base32};
pub use kind::RecordType;
pub use write::{HeadWriter, RecordId, TRAILER, WARC_FIELDS, push_field};
