//! The journal: the only truth about decisions, as frames of entries in files of their own folder.
//!
//! A file is named after its first sequence number. Its head carries a random salt, which goes into the checksum and
//! the marker of each of its frames, so that page content cannot imitate one. One frame is outstanding at a time: append,
//! sync, apply. After a failed write or sync the journal refuses everything; going on is [`recover`].

mod admit_row;
mod file;
mod frame;
mod recover;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::entry::Entry;
use model::planted::{Bug, is_planted};
use model::world::{Chance, Disk, DiskFile};

use crate::{Error, Result};
pub use file::read_frames;
pub use frame::FRAME_BYTES_MAX;
pub use recover::{Recovered, recover};

/// What is done with each entry and its sequence number.
pub type EachEntry<'a> = dyn FnMut(u64, Entry) -> Result<()> + 'a;

/// Options of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalOptions {
    /// A file that is longer, bytes, is followed by another.
    pub file_bytes_max: u64,
    /// Whether files stay when a manifest has made them superfluous (`keep-journal`).
    pub keep: bool,
}

impl Default for JournalOptions {
    fn default() -> JournalOptions {
        JournalOptions { file_bytes_max: 64 << 20, keep: true }
    }
}

/// The journal of a job, open to append to.
pub struct Journal {
    disk: Arc<dyn Disk>,
    chance: Arc<dyn Chance>,
    folder: PathBuf,
    options: JournalOptions,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    encoder: frame::Encoder,
    next_sequence: u64,
    is_synced: bool,
    has_failed: bool,
    bytes_appended: u64,
}

impl Journal {
    /// Starts a file at a sequence number; its folder exists.
    fn start(
        disk: Arc<dyn Disk>,
        chance: Arc<dyn Chance>,
        folder: PathBuf,
        options: JournalOptions,
        next_sequence: u64,
    ) -> Result<Journal> {
        let path = folder.join(file::name(next_sequence));
        let salt = chance.bits();
        let file = start_file(&*disk, &folder, &path, salt, next_sequence)?;
        Ok(Journal {
            disk,
            chance,
            folder,
            options,
            path,
            file,
            encoder: frame::Encoder::new(salt),
            next_sequence,
            is_synced: true,
            has_failed: false,
            bytes_appended: 0,
        })
    }

    /// Appends the entries as one frame, with one write, and gives the sequence number of the first. Not durable
    /// before [`Journal::sync`].
    ///
    /// # Errors
    /// [`Error::Limit`] if the entries take more than [`FRAME_BYTES_MAX`]: nothing was written. Any other: resume.
    ///
    /// # Panics
    /// If there are no entries.
    pub fn append(&mut self, entries: &[Entry]) -> Result<u64> {
        assert!(!entries.is_empty(), "a frame has entries");
        self.check()?;
        if self.file.len() > self.options.file_bytes_max {
            self.rotate()?;
        }
        let frame = self.encoder.encode(self.next_sequence, entries)?;
        let len = frame.len() as u64;
        self.has_failed = true;
        self.is_synced = false;
        match self.file.append(frame) {
            Err(error) if error.kind() == ErrorKind::StorageFull && is_planted(Bug::FullDiskIgnored) => {}
            other => other?,
        }
        self.has_failed = false;
        self.bytes_appended += len;
        let first = self.next_sequence;
        self.next_sequence += entries.len() as u64;
        Ok(first)
    }

    /// Makes what was appended durable: the commit point. Never repeated after an error.
    ///
    /// # Errors
    /// When the disk fails: resume.
    pub fn sync(&mut self) -> Result<()> {
        self.check()?;
        self.has_failed = true;
        if !is_planted(Bug::FrameNotSynced) {
            self.file.sync()?;
        }
        self.has_failed = false;
        self.is_synced = true;
        Ok(())
    }

    /// The number that the next entry gets.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// Bytes appended since it was opened: every 256 MiB of them a manifest is due.
    pub fn bytes_appended(&self) -> u64 {
        self.bytes_appended
    }

    /// Starts another file, unless the current one is empty.
    ///
    /// # Errors
    /// When the disk fails: resume.
    pub fn rotate(&mut self) -> Result<()> {
        self.check()?;
        if !self.is_synced {
            self.sync()?;
        }
        if self.file.len() <= file::HEAD_BYTES as u64 {
            return Ok(());
        }
        self.has_failed = true;
        let salt = self.chance.bits();
        let path = self.folder.join(file::name(self.next_sequence));
        self.file = start_file(&*self.disk, &self.folder, &path, salt, self.next_sequence)?;
        self.path = path;
        self.encoder.set_salt(salt);
        self.has_failed = false;
        Ok(())
    }

    /// A manifest at that sequence number is durable: starts another file and deletes those that hold nothing later,
    /// unless the journal is to be kept.
    ///
    /// # Errors
    /// When the disk fails: resume.
    pub fn manifest_written(&mut self, sequence: u64) -> Result<()> {
        if self.options.keep {
            return self.check();
        }
        self.rotate()?;
        let files = file::list(&*self.disk, &self.folder)?;
        for pair in files.windows(2) {
            if pair[1].first_sequence <= sequence + 1 {
                self.disk.remove_file(&pair[0].path)?;
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        if self.has_failed { Err(Error::Failed { file: self.path.clone() }) } else { Ok(()) }
    }
}

/// Creates a file with its head; both are durable when this returns.
fn start_file(
    disk: &dyn Disk,
    folder: &Path,
    path: &Path,
    salt: u64,
    first_sequence: u64,
) -> Result<Box<dyn DiskFile>> {
    let mut file = disk.create_new(path)?;
    file.append(&file::head(salt, first_sequence))?;
    file.sync()?;
    disk.sync_dir(folder)?;
    Ok(file)
}

#[cfg(test)]
mod tests;
