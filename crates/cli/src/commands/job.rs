//! The job that a command reads: the folder named, or the current one.

use std::path::PathBuf;

use crawl::JobError;

/// The folder of the job.
///
/// # Errors
/// When it holds none.
pub fn existing(job: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let folder = job.unwrap_or_else(|| PathBuf::from("."));
    if !replay::ArchiveFiles::is_job(&folder) {
        return Err(JobError::Missing(folder).into());
    }
    Ok(folder)
}
