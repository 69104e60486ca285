//! What can go wrong with the index itself. A query is never an error.

use std::path::PathBuf;

/// Failure of the index on disk.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// There is no index in the folder. It can be built with `bequest index`.
    #[error("open search index in {0}: there is none (build it with: bequest index)")]
    Absent(PathBuf),
    /// Another process is writing to the index; try again when it is done.
    #[error("write search index: another process is writing to it")]
    Busy,
    /// The index was written with other fields, by another version of the program; delete the folder and build it again.
    #[error(
        "open search index in {0}: it was written by another version (delete the folder and build it again)"
    )]
    OtherVersion(PathBuf),
    /// The folder cannot be made.
    #[error("create folder {0}: {1}")]
    Folder(PathBuf, std::io::Error),
    /// Anything else: input/output, or a damaged index (delete the folder and build it again).
    #[error("search index: {0}")]
    Engine(tantivy::TantivyError),
}

impl From<tantivy::TantivyError> for SearchError {
    fn from(error: tantivy::TantivyError) -> SearchError {
        match error {
            tantivy::TantivyError::LockFailure(..) => SearchError::Busy,
            other => SearchError::Engine(other),
        }
    }
}
