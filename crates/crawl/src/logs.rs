//! Text files that grow while a job runs: crawl.log and CDXJ, which a resume writes again from the journal, and logs of
//! errors, which are for people.

use std::path::Path;
use std::sync::Arc;

use model::entry::Done;
use model::world::{Disk, DiskFile};
use model::{CaptureKind, FetchOutcome, Hop};

use crate::crawl_log;
use crate::job::{JobDir, LaunchDir};

/// Bytes collected before they are written.
const BUFFER_BYTES: usize = 64 << 10;

/// A text file that is appended to.
pub struct Log {
    file: Box<dyn DiskFile>,
    buffer: Vec<u8>,
}

impl Log {
    /// Opens or creates a file to append to.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn open(disk: &dyn Disk, path: &Path) -> std::io::Result<Log> {
        let file =
            if disk.len_of(path)?.is_some() { disk.open_append(path)? } else { disk.create_new(path)? };
        Ok(Log { file, buffer: Vec::new() })
    }

    /// Appends text.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn push(&mut self, text: &str) -> std::io::Result<()> {
        self.buffer.extend_from_slice(text.as_bytes());
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Hands what was collected to the system.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn flush(&mut self) -> std::io::Result<()> {
        if !self.buffer.is_empty() {
            self.file.append(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Makes it durable; gives its length.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync(&mut self) -> std::io::Result<u64> {
        self.flush()?;
        self.file.sync()?;
        Ok(self.file.len())
    }
}

/// The logs of a launch and the job's CDXJ file.
pub struct Logs {
    crawl_log: Log,
    cdxj: Log,
    nonfatal: Log,
}

/// Lengths of the two files that a resume writes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct LogLengths {
    /// Of the last launch's crawl.log.
    pub crawl_log: u64,
    /// Of `current.cdxj`.
    pub cdxj: u64,
}

impl Logs {
    /// Opens the logs of a launch, whose folders exist.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn open(disk: &Arc<dyn Disk>, job: &JobDir, launch: &LaunchDir) -> std::io::Result<Logs> {
        Ok(Logs {
            crawl_log: Log::open(&**disk, &launch.crawl_log())?,
            cdxj: Log::open(&**disk, &job.cdxj_current())?,
            nonfatal: Log::open(&**disk, &launch.logs().join("nonfatal-errors.log"))?,
        })
    }

    /// Writes the lines of an attempt that ended.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn done(&mut self, done: &Done) -> anyhow::Result<()> {
        if done.outcome == FetchOutcome::Finished {
            self.crawl_log.push(&crawl_log::line(done))?;
        }
        if let Some(line) = cdxj_line(done) {
            self.cdxj.push(&line)?;
        }
        Ok(())
    }

    /// Writes to nonfatal-errors.log.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn nonfatal(&mut self, text: &str) -> anyhow::Result<()> {
        self.nonfatal.push(text)?;
        self.nonfatal.push("\n")?;
        Ok(())
    }

    /// Hands everything to the system, so that others can read it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        self.crawl_log.flush()?;
        self.cdxj.flush()?;
        self.nonfatal.flush()?;
        Ok(())
    }

    /// Makes crawl.log and CDXJ durable; gives their lengths.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync(&mut self) -> anyhow::Result<LogLengths> {
        self.nonfatal.flush()?;
        Ok(LogLengths { crawl_log: self.crawl_log.sync()?, cdxj: self.cdxj.sync()? })
    }
}

/// The CDXJ line of a capture; DNS answers have none, as in other tools' indexes.
fn cdxj_line(done: &Done) -> Option<String> {
    let capture = done.capture.as_ref().filter(|capture| capture.kind != CaptureKind::Resource)?;
    let is_dns = done.url.scheme() == "dns" && done.log.hop_path.last() == Some(Hop::Prerequisite);
    (!is_dns).then(|| index::cdxj_line(&done.url, done.log.status, capture))
}
