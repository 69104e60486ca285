//! What can go wrong: the disk, or what was found on it.

use std::io;
use std::path::{Path, PathBuf};

/// Why the frontier cannot go on. Memory may be half changed: drop it and resume (DURABILITY.md, rule 6).
#[derive(Debug, thiserror::Error)]
pub enum FrontierError {
    /// The disk failed or is full.
    #[error("{doing} {path}: {source}", path = path.display())]
    Disk {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// What the disk said.
        source: io::Error,
    },
    /// A file does not hold what was written to it.
    #[error("{path} is damaged: {reason}", path = path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A run of fingerprints cannot be written or read.
    #[error(transparent)]
    Run(#[from] store::Error),
    /// A journal entry contradicts the state it is applied to.
    #[error("journal entry {sequence} cannot be applied: {reason}")]
    Entry {
        /// The entry's sequence number.
        sequence: u64,
        /// What does not fit.
        reason: &'static str,
    },
}

/// The result of whatever touches disk or journal entries.
pub type Result<T> = std::result::Result<T, FrontierError>;

impl FrontierError {
    pub(crate) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FrontierError {
        let path = path.to_owned();
        move |source| FrontierError::Disk { doing, path, source }
    }

    pub(crate) fn corrupt(path: &Path, reason: &'static str) -> FrontierError {
        FrontierError::Corrupt { path: path.to_owned(), reason }
    }
}
