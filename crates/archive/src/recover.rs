//! Puts WARC files right when a job is resumed (DURABILITY.md, rules 7, 12 and 14).
//!
//! An `.open` file with committed bytes is cut behind them, synced and renamed; one without is deleted. Nothing is changed
//! before every committed range was found whole. May be killed at any place and run again.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::RecordPlace;
use model::planted::{Bug, is_planted};
use model::world::Disk;

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    /// `.open` files that got their names: each with the bytes that were cut off.
    pub renamed: Vec<(PathBuf, u64)>,
    /// `.open` files without a committed byte: deleted.
    pub deleted: Vec<PathBuf>,
    /// Files with committed bytes that are nowhere: moved away by somebody. Only a warning.
    pub missing: Vec<Arc<str>>,
    /// Committed ranges that were checked.
    pub n_ranges_checked: u64,
}

/// What the journal has committed.
#[derive(Debug, Clone, Copy)]
pub struct Unfinished<'a> {
    /// Committed length of each file, by its name without `.open`. Files that are not named here have none.
    pub committed: &'a BTreeMap<Arc<str>, u64>,
    /// Committed records that are checked by their CRC-32C: at least those since the last manifest.
    pub ranges: &'a [RecordPlace],
}

/// Why a resume must stop.
#[derive(Debug)]
pub enum RecoverError {
    /// The disk failed.
    Io(io::Error),
    /// A committed record is not what was committed.
    Broken {
        /// The file.
        path: PathBuf,
        /// The record.
        place: RecordPlace,
        /// What is wrong.
        reason: String,
    },
    /// A file is shorter than what was committed of it.
    TooShort {
        /// The file.
        path: PathBuf,
        /// Its length.
        len: u64,
        /// What was committed.
        committed: u64,
    },
    /// A file exists with and without `.open`.
    Twice {
        /// The name without.
        path: PathBuf,
    },
}

impl fmt::Display for RecoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecoverError::Io(error) => write!(f, "{error}"),
            RecoverError::Broken { path, place, reason } => write!(
                f,
                "committed record at offset {} of {} ({} bytes) is damaged: {reason}",
                place.offset,
                path.display(),
                place.length
            ),
            RecoverError::TooShort { path, len, committed } => {
                write!(f, "{} has {len} bytes, but {committed} were committed", path.display())
            }
            RecoverError::Twice { path } => {
                write!(f, "{} exists with and without .open; move one of them away", path.display())
            }
        }
    }
}

impl std::error::Error for RecoverError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RecoverError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for RecoverError {
    fn from(error: io::Error) -> RecoverError {
        RecoverError::Io(error)
    }
}

/// Puts the WARC files of all launches right. `dirs` are their folders. All cuts and names are durable when it returns.
///
/// # Errors
/// When the disk fails, or a committed byte is missing or damaged: nothing was changed then.
pub fn recover(disk: &dyn Disk, dirs: &[PathBuf], known: Unfinished<'_>) -> Result<Recovery, RecoverError> {
    let mut recovery = Recovery::default();
    let files = find(disk, dirs, known.committed)?;
    for (name, committed) in known.committed {
        match files.get(name) {
            Some(found) => check_len(found, *committed)?,
            None if *committed > 0 => recovery.missing.push(name.clone()),
            None => {}
        }
    }
    for place in known.ranges {
        if let Some(found) = files.get(&place.file) {
            check_range(disk, &found.path, place)?;
            recovery.n_ranges_checked += 1;
        }
    }
    for dir in dirs {
        // What an earlier process renamed or created may not be durable yet.
        if disk.len_of(dir)?.is_some() || !disk.list(dir)?.is_empty() {
            disk.sync_dir(dir)?;
        }
    }
    for (name, found) in files.iter().filter(|(_, found)| found.is_open) {
        let committed = known.committed.get(name).copied().unwrap_or(0);
        if committed == 0 {
            disk.remove_file(&found.path)?;
            recovery.deleted.push(found.path.clone());
            continue;
        }
        if found.len > committed {
            disk.truncate(&found.path, committed - u64::from(is_planted(Bug::CutOffByOne)))?;
        }
        disk.sync_file(&found.path)?;
        let closed = found.dir.join(&**name);
        disk.rename(&found.path, &closed)?;
        recovery.renamed.push((closed, found.len - committed));
    }
    let touched = files.values().filter(|found| found.is_open).map(|found| found.dir);
    for dir in dirs.iter().filter(|dir| touched.clone().any(|touched| touched == dir.as_path())) {
        disk.sync_dir(dir)?;
    }
    Ok(recovery)
}

struct Found<'a> {
    dir: &'a Path,
    path: PathBuf,
    len: u64,
    is_open: bool,
}

/// Files that end in `.open`, and closed ones that the journal knows, by their names without `.open`.
fn find<'a>(
    disk: &dyn Disk,
    dirs: &'a [PathBuf],
    committed: &BTreeMap<Arc<str>, u64>,
) -> Result<BTreeMap<Arc<str>, Found<'a>>, RecoverError> {
    let mut files: BTreeMap<Arc<str>, Found<'a>> = BTreeMap::new();
    for dir in dirs {
        for entry in disk.list(dir)? {
            let (name, is_open) = match entry.strip_suffix(".open") {
                Some(name) => (name, true),
                None => (entry.as_str(), false),
            };
            if !is_open && !committed.contains_key(name) {
                continue;
            }
            let path = dir.join(&entry);
            let len = disk.len_of(&path)?.unwrap_or(0);
            if files.insert(name.into(), Found { dir, path, len, is_open }).is_some() {
                return Err(RecoverError::Twice { path: dir.join(name) });
            }
        }
    }
    Ok(files)
}

fn check_len(found: &Found<'_>, committed: u64) -> Result<(), RecoverError> {
    if found.len < committed {
        return Err(RecoverError::TooShort { path: found.path.clone(), len: found.len, committed });
    }
    Ok(())
}

fn check_range(disk: &dyn Disk, path: &Path, place: &RecordPlace) -> Result<(), RecoverError> {
    let broken =
        |reason: String| RecoverError::Broken { path: path.to_owned(), place: place.clone(), reason };
    let file = disk.open_read(path)?;
    if place.offset.checked_add(place.length).is_none_or(|end| end > file.len()) {
        return Err(broken(format!("the file ends at {}", file.len())));
    }
    let mut buffer = vec![0; place.length.min(1 << 20) as usize];
    let (mut done, mut crc32c) = (0, 0);
    while done < place.length {
        let n = (place.length - done).min(buffer.len() as u64) as usize;
        file.read_exact_at(place.offset + done, &mut buffer[..n])?;
        crc32c = crc32c::crc32c_append(crc32c, &buffer[..n]);
        done += n as u64;
    }
    if crc32c != place.crc32c {
        return Err(broken(format!("CRC-32C is {crc32c:08x}, committed was {:08x}", place.crc32c)));
    }
    Ok(())
}
