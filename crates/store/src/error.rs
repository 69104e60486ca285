//! What can go wrong with a stored file.

use std::io;
use std::path::{Path, PathBuf};

/// A result whose error names the file.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong with a stored file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk failed or is full. What was written is unknown: drop all memory and resume.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file is not as it was written, and no crash can have made it so.
    #[error("{} is damaged at offset {offset}: {what}; restore it from a copy, or run repair", file.display())]
    Corrupt {
        /// The file.
        file: PathBuf,
        /// First byte that is wrong.
        offset: u64,
        /// How.
        what: String,
    },
    /// A file was written by a later program.
    #[error("{} has format version {version}, this program reads up to {known}: use a newer program", file.display())]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its version.
        version: u32,
        /// The newest version that is read.
        known: u32,
    },
    /// An earlier write or sync failed: this file is never written again (rule 6). Resume.
    #[error("an earlier write to {} failed: resume the job", file.display())]
    Failed {
        /// The file.
        file: PathBuf,
    },
    /// A value does not fit the limits of its file. Nothing was written.
    #[error("{what}")]
    Limit {
        /// Which limit.
        what: String,
    },
}

impl Error {
    pub(crate) fn corrupt(file: &Path, offset: u64, what: impl Into<String>) -> Error {
        Error::Corrupt { file: file.to_owned(), offset, what: what.into() }
    }
}
