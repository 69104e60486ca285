//! What is on the disk, what is only in the page cache, and what a power cut makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use fastrand::Rng;

use super::content::Content;

/// Bytes of a page of the page cache: what is written back, or not, as a whole.
const PAGE_BYTES: u64 = 4096;

/// A mutating operation, as it was performed.
#[derive(Debug, Clone)]
pub enum Operation {
    Create { path: PathBuf },
    Write { id: usize, bytes: Bytes },
    Truncate { id: usize, len: u64 },
    SyncFile { id: usize },
    SyncFailed { id: usize, bytes_kept: u64 },
    Rename { from: PathBuf, to: PathBuf },
    Link { id: usize, to: PathBuf },
    Remove { path: PathBuf },
    MakeDir { path: PathBuf },
    SyncDir { path: PathBuf },
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Write { id, bytes } => write!(f, "write {} bytes to file {id}", bytes.len()),
            other => write!(f, "{other:?}"),
        }
    }
}

/// An unsynced change to a file.
#[derive(Debug, Clone)]
enum FileChange {
    Write { offset: u64, bytes: Bytes },
    Truncate { len: u64 },
}

/// An unsynced change to the names in a folder.
#[derive(Debug, Clone)]
enum NameChange {
    Link {
        path: PathBuf,
        id: usize,
    },
    Unlink {
        path: PathBuf,
    },
    /// Atomic; noted in the folder of the new name.
    Rename {
        from: PathBuf,
        to: PathBuf,
        id: usize,
    },
    MakeDir {
        path: PathBuf,
    },
}

/// A file, whatever its names.
#[derive(Clone, Default)]
pub struct Inode {
    /// What programs see.
    pub view: Content,
    durable: Content,
    pending: Vec<FileChange>,
    names: usize,
}

/// A whole disk. A clone copies no file's bytes.
#[derive(Clone, Default)]
pub struct State {
    pub inodes: Vec<Inode>,
    pub locks: BTreeSet<PathBuf>,
    names: BTreeMap<PathBuf, usize>,
    folders: BTreeSet<PathBuf>,
    durable_names: BTreeMap<PathBuf, usize>,
    durable_folders: BTreeSet<PathBuf>,
    /// By folder.
    pending: BTreeMap<PathBuf, Vec<NameChange>>,
    used_bytes: u64,
}

/// How much of the unsynced a power cut takes.
#[derive(Clone, Copy, PartialEq)]
enum CutStyle {
    AllLost,
    AllKept,
    Mixed,
}

impl Inode {
    /// Unsynced bytes of writes.
    pub fn unsynced_bytes(&self) -> u64 {
        let bytes_of = |change: &FileChange| match change {
            FileChange::Write { bytes, .. } => bytes.len() as u64,
            FileChange::Truncate { .. } => 0,
        };
        self.pending.iter().map(bytes_of).sum()
    }

    /// Changes bytes in place, durably.
    pub fn overwrite(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let end = offset + bytes.len() as u64;
        if end > self.view.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for content in [&mut self.view, &mut self.durable] {
            if end <= content.len() {
                let tail = content.tail(end);
                content.append_at(offset, Bytes::copy_from_slice(bytes));
                content.append(tail.into());
            }
        }
        Ok(())
    }

    fn change(&mut self, change: FileChange) {
        apply_change(&mut self.view, &change);
        self.pending.push(change);
    }

    fn sync(&mut self) {
        for change in std::mem::take(&mut self.pending) {
            apply_change(&mut self.durable, &change);
        }
    }

    /// A prefix of the writes is durable; the rest counts as clean. Truncations are metadata, which the file system's
    /// own journal still holds.
    fn sync_failed(&mut self, bytes_kept: u64) {
        let mut left = bytes_kept;
        let mut still_pending = Vec::new();
        for change in std::mem::take(&mut self.pending) {
            match change {
                FileChange::Write { offset, mut bytes } if left > 0 => {
                    bytes.truncate(left.min(bytes.len() as u64) as usize);
                    left -= bytes.len() as u64;
                    apply_change(&mut self.durable, &FileChange::Write { offset, bytes });
                }
                FileChange::Write { .. } => {}
                truncation if left > 0 => apply_change(&mut self.durable, &truncation),
                truncation => still_pending.push(truncation),
            }
        }
        self.pending = still_pending;
    }

    /// What is left of it after a power cut.
    fn cut(mut self, style: CutStyle, rng: &mut Rng) -> Inode {
        let synced_len = self.durable.len();
        let kept = match style {
            CutStyle::AllLost => 0,
            CutStyle::AllKept => self.pending.len(),
            CutStyle::Mixed => rng.usize(..=self.pending.len()),
        };
        for change in &self.pending[..kept] {
            apply_change(&mut self.durable, change);
        }
        if style == CutStyle::Mixed {
            if let Some(FileChange::Write { offset, bytes }) = self.pending.get(kept)
                && rng.bool()
            {
                let part = bytes.slice(..rng.usize(..=bytes.len()));
                apply_change(&mut self.durable, &FileChange::Write { offset: *offset, bytes: part });
            }
            if rng.u8(..4) == 0 {
                lose_pages(&mut self.durable, synced_len, rng);
            }
        }
        Inode { view: self.durable.clone(), durable: self.durable, pending: Vec::new(), names: 0 }
    }
}

fn apply_change(content: &mut Content, change: &FileChange) {
    match change {
        FileChange::Write { offset, bytes } => content.append_at(*offset, bytes.clone()),
        FileChange::Truncate { len } => content.resize(*len),
    }
}

/// The length reached the disk, but some pages behind the synced bytes did not: they read as zeros.
fn lose_pages(content: &mut Content, synced_len: u64, rng: &mut Rng) {
    if content.len() <= synced_len {
        return;
    }
    let mut tail = content.tail(synced_len);
    let mut start = 0;
    while start < tail.len() {
        let to_page_end = PAGE_BYTES - (synced_len + start as u64) % PAGE_BYTES;
        let end = tail.len().min(start + to_page_end as usize);
        if rng.u8(..3) == 0 {
            tail[start..end].fill(0);
        }
        start = end;
    }
    content.append_at(synced_len, tail.into());
}

impl State {
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes
    }

    pub fn exists(&self, path: &Path) -> bool {
        self.names.contains_key(path)
    }

    pub fn is_dir(&self, path: &Path) -> bool {
        is_root(path) || self.folders.contains(path)
    }

    pub fn inode_of(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| not_found(path))
    }

    pub fn check_parent(&self, path: &Path) -> io::Result<()> {
        let parent = parent_of(path);
        if self.is_dir(&parent) { Ok(()) } else { Err(not_found(&parent)) }
    }

    /// Names in a folder, folders included, sorted.
    pub fn list(&self, folder: &Path) -> Vec<String> {
        let below = |path: &&PathBuf| path.starts_with(folder);
        let inside = |path: &&PathBuf| path.parent() == Some(folder);
        let files =
            self.names.range(folder.to_owned()..).map(|(path, _)| path).take_while(below).filter(inside);
        let folders = self.folders.range(folder.to_owned()..).take_while(below).filter(inside);
        let name = |path: &PathBuf| Some(path.file_name()?.to_str()?.to_owned());
        let mut names: Vec<String> = files.chain(folders).filter_map(name).collect();
        names.sort();
        names
    }

    pub fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Create { path } => {
                self.inodes.push(Inode::default());
                self.link(path, self.inodes.len() - 1);
            }
            Operation::Write { id, bytes } => {
                let inode = &mut self.inodes[*id];
                inode.change(FileChange::Write { offset: inode.view.len(), bytes: bytes.clone() });
                if inode.names > 0 {
                    self.used_bytes += bytes.len() as u64;
                }
            }
            Operation::Truncate { id, len } => {
                let inode = &mut self.inodes[*id];
                self.used_bytes = self.used_bytes + len - inode.view.len();
                inode.change(FileChange::Truncate { len: *len });
            }
            Operation::SyncFile { id } => self.inodes[*id].sync(),
            Operation::SyncFailed { id, bytes_kept } => self.inodes[*id].sync_failed(*bytes_kept),
            Operation::Rename { from, to } => self.rename(from, to),
            Operation::Link { id, to } => self.link(to, *id),
            Operation::Remove { path } => {
                self.unname(path);
                self.note(parent_of(path), NameChange::Unlink { path: path.clone() });
            }
            Operation::MakeDir { path } => {
                self.folders.insert(path.clone());
                self.note(parent_of(path), NameChange::MakeDir { path: path.clone() });
            }
            Operation::SyncDir { path } => self.sync_dir(path),
        }
    }

    fn note(&mut self, folder: PathBuf, change: NameChange) {
        self.pending.entry(folder).or_default().push(change);
    }

    fn link(&mut self, path: &Path, id: usize) {
        self.name(path, id);
        self.note(parent_of(path), NameChange::Link { path: path.to_owned(), id });
    }

    fn rename(&mut self, from: &Path, to: &Path) {
        let id = self.names[from];
        if from == to {
            return;
        }
        self.unname(from);
        self.unname(to);
        self.name(to, id);
        self.note(parent_of(to), NameChange::Rename { from: from.to_owned(), to: to.to_owned(), id });
    }

    fn name(&mut self, path: &Path, id: usize) {
        self.names.insert(path.to_owned(), id);
        self.inodes[id].names += 1;
        if self.inodes[id].names == 1 {
            self.used_bytes += self.inodes[id].view.len();
        }
    }

    fn unname(&mut self, path: &Path) {
        let Some(id) = self.names.remove(path) else { return };
        self.inodes[id].names -= 1;
        if self.inodes[id].names == 0 {
            self.used_bytes -= self.inodes[id].view.len();
        }
    }

    fn sync_dir(&mut self, folder: &Path) {
        for change in self.pending.remove(folder).unwrap_or_default() {
            match change {
                // The new name is durable; the old one may linger until its own folder is synced.
                NameChange::Rename { from, to, id } if parent_of(&from) != folder => {
                    self.durable_names.insert(to, id);
                    self.note(parent_of(&from), NameChange::Unlink { path: from });
                }
                other => self.make_durable(other),
            }
        }
        // A rename out of this folder goes as a whole: a file system that keeps the removal keeps the new name.
        let is_out = |change: &NameChange| matches!(change, NameChange::Rename { from, .. } if parent_of(from) == folder);
        let mut out = Vec::new();
        for changes in self.pending.values_mut() {
            let (going, staying) = std::mem::take(changes).into_iter().partition(|change| is_out(change));
            *changes = staying;
            out.append(&mut { going });
        }
        out.into_iter().for_each(|change| self.make_durable(change));
    }

    fn make_durable(&mut self, change: NameChange) {
        match change {
            NameChange::Link { path, id } => {
                self.durable_names.insert(path, id);
            }
            NameChange::Unlink { path } => {
                self.durable_names.remove(&path);
            }
            NameChange::Rename { from, to, id } => {
                self.durable_names.remove(&from);
                self.durable_names.insert(to, id);
            }
            NameChange::MakeDir { path } => {
                self.durable_folders.insert(path);
            }
        }
    }

    /// One of the states in which the disk may be after a power cut.
    pub fn cut(mut self, rng: &mut Rng) -> State {
        let style = match rng.u8(..20) {
            0..3 => CutStyle::AllLost,
            3..6 => CutStyle::AllKept,
            _ => CutStyle::Mixed,
        };
        for (_, changes) in std::mem::take(&mut self.pending) {
            for change in kept_changes(changes, style, rng) {
                self.keep(change, style, rng);
            }
        }
        let folders = surviving_folders(&self.durable_folders);
        let survives = |path: &Path| {
            let parent = parent_of(path);
            is_root(&parent) || folders.contains(&parent)
        };
        let names: BTreeMap<PathBuf, usize> =
            self.durable_names.into_iter().filter(|(path, _)| survives(path)).collect();

        let mut state = State {
            inodes: Vec::new(),
            locks: BTreeSet::new(),
            durable_names: BTreeMap::new(),
            durable_folders: folders.clone(),
            folders,
            ..State::default()
        };
        let mut moved: BTreeMap<usize, usize> = BTreeMap::new();
        for (path, id) in names {
            let new_id = *moved.entry(id).or_insert_with(|| {
                state.inodes.push(std::mem::take(&mut self.inodes[id]).cut(style, rng));
                state.inodes.len() - 1
            });
            state.name(&path, new_id);
            state.durable_names.insert(path, new_id);
        }
        state
    }

    fn keep(&mut self, change: NameChange, style: CutStyle, rng: &mut Rng) {
        match change {
            // A rename of a name that never reached the disk is nothing.
            NameChange::Rename { from, to, id } if self.durable_names.get(&from) == Some(&id) => {
                let is_across = parent_of(&from) != parent_of(&to);
                let lingers = is_across && style == CutStyle::Mixed && rng.bool();
                if !lingers {
                    self.durable_names.remove(&from);
                }
                self.durable_names.insert(to, id);
            }
            NameChange::Rename { .. } => {}
            other => self.make_durable(other),
        }
    }
}

/// A prefix or any subset.
fn kept_changes(mut changes: Vec<NameChange>, style: CutStyle, rng: &mut Rng) -> Vec<NameChange> {
    match style {
        CutStyle::AllLost => changes.clear(),
        CutStyle::AllKept => {}
        CutStyle::Mixed if rng.bool() => changes.truncate(rng.usize(..=changes.len())),
        CutStyle::Mixed => changes.retain(|_| rng.bool()),
    }
    changes
}

/// Folders all of whose parents are there too.
fn surviving_folders(durable: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut surviving = BTreeSet::new();
    // Parents sort before what is in them.
    for folder in durable {
        let parent = parent_of(folder);
        if is_root(&parent) || surviving.contains(&parent) {
            surviving.insert(folder.clone());
        }
    }
    surviving
}

/// The folders that must be made for `path` to exist, outermost first.
pub fn missing_folders(state: &State, path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut missing = Vec::new();
    for folder in path.ancestors().take_while(|folder| !state.is_dir(folder)) {
        if state.exists(folder) {
            return Err(io::Error::new(
                io::ErrorKind::NotADirectory,
                format!("{}: not a folder", folder.display()),
            ));
        }
        missing.push(folder.to_owned());
    }
    missing.reverse();
    Ok(missing)
}

pub fn not_found(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("{}: no such file or folder", path.display()))
}

fn parent_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

fn is_root(path: &Path) -> bool {
    path.as_os_str().is_empty() || path == Path::new("/")
}
