//! Opening the journal after whatever stopped the last process (rules 11 to 13).

use std::path::Path;
use std::sync::Arc;

use model::world::{Chance, Disk};

use super::file::{self, FrameReader, JournalFile, Step, read_frames};
use super::{EachEntry, Journal, JournalOptions};
use crate::{Result, sync_with_ancestors};

/// Bytes copied at once.
const COPY_BYTES: usize = 1 << 20;

/// A journal that goes on.
pub struct Recovered {
    /// Open to append to, in a new file.
    pub journal: Journal,
    /// The number that the next entry gets.
    pub next_sequence: u64,
    /// What was cut or removed, in words for the person who resumes.
    pub notes: Vec<String>,
}

/// Opens the journal of a job, or begins one, and calls `each` with every entry after `after` (the manifest's sequence
/// number; 0 without one).
///
/// Before the first call everything that is read is durable: the last file is copied up to its last good frame. The
/// caller holds the job's lock, and has synced the other folders before it read the manifest. A kill in here is harmless.
///
/// # Errors
/// [`crate::Error::Corrupt`] naming file and offset where no crash can have made the journal what it is; or as `each`
/// says.
pub fn recover(
    disk: Arc<dyn Disk>,
    chance: Arc<dyn Chance>,
    folder: &Path,
    options: JournalOptions,
    after: u64,
    each: &mut EachEntry<'_>,
) -> Result<Recovered> {
    disk.create_dir_all(folder)?;
    sync_with_ancestors(&*disk, folder)?;
    let mut notes = Vec::new();
    let last = file::list(&*disk, folder)?.pop();
    let unstarted = match last {
        Some(last) if !settle(&*disk, folder, &last, &mut notes)? => Some(last),
        _ => None,
    };
    let last_sequence = read_frames(&*disk, folder, after, each)?;
    let next_sequence = last_sequence + 1;
    // It vouches for all entries before it, so it goes only now, in favour of one that says the same.
    if let Some(file) = unstarted {
        disk.remove_file(&file.path)?;
    }
    let journal = Journal::start(disk, chance, folder.to_owned(), options, next_sequence)?;
    Ok(Recovered { journal, next_sequence, notes })
}

/// Makes durable what is read of the last file, and cuts what is not: the page cache may show bytes that a later power
/// cut would take, and a file whose sync once failed is never trusted or written again. False if it has no frame.
fn settle(disk: &dyn Disk, folder: &Path, last: &JournalFile, notes: &mut Vec<String>) -> Result<bool> {
    let temporary = folder.join("recover.tmp");
    if disk.len_of(&temporary)?.is_some() {
        disk.remove_file(&temporary)?;
    }
    let good_end = match FrameReader::open(disk, last)? {
        None => 0,
        Some(mut frames) => loop {
            match frames.look()? {
                Step::Frame(head) => frames.skip(&head),
                Step::End | Step::BadTail => break frames.offset(),
            }
        },
    };
    let file = disk.open_read(&last.path)?;
    let bytes_cut = file.len() - good_end;
    if bytes_cut > 0 {
        notes.push(format!("{}: {bytes_cut} bytes of an uncommitted frame cut", last.path.display()));
    }
    if good_end <= file::HEAD_BYTES as u64 {
        return Ok(false);
    }
    let mut copy = disk.create_new(&temporary)?;
    let mut buffer = vec![0; COPY_BYTES];
    while copy.len() < good_end {
        let n = (good_end - copy.len()).min(COPY_BYTES as u64) as usize;
        file.read_exact_at(copy.len(), &mut buffer[..n])?;
        copy.append(&buffer[..n])?;
    }
    copy.sync()?;
    disk.replace(&temporary, &last.path)?;
    disk.sync_dir(folder)?;
    Ok(true)
}
