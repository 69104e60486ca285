//! A false disk in memory that forgets what was not synced, as a real one may at a power cut.
//!
//! It follows the page cache of a POSIX system at its worst: appended bytes are durable only after a sync of their file,
//! names only after a sync of their folder, and a cut keeps any prefix of a file's unsynced writes (the last one torn,
//! pages in it maybe zero) and any subset of a folder's unsynced operations. A failed sync leaves any prefix durable
//! and marks the rest as clean, so that later syncs succeed without writing it (PostgreSQL's "fsyncgate" of 2018).
//! Renames are atomic, as on journalling file systems. Everything random comes from one seed.
//!
//! A run on a recording disk can be cut after each of its numbered operations, thousands of times, without running again.

mod content;
mod fault;
mod state;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use fastrand::Rng;
use model::world::{Disk, DiskFile, FileLock, ReadFile};

pub use fault::{Fault, FaultPlan, Trigger};
use state::{Operation, State};

/// What [`Disk::free_bytes`] says of a disk without a capacity.
pub const FREE_BYTES_UNLIMITED: u64 = 1 << 40;

/// A disk in memory. Clones share it.
#[derive(Clone)]
pub struct SimDisk {
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    state: State,
    /// The disk as it was when recording began, and what was done since; `None` if it does not record.
    record: Option<Record>,
    rng: Rng,
    plans: Vec<FaultPlan>,
    capacity: Option<u64>,
    /// Mutating operations so far.
    operations: u64,
    appends: u64,
    syncs: u64,
    /// The process that used this disk is gone: nothing works any more.
    dead: bool,
    /// Every fault that struck, in words.
    struck: Vec<String>,
}

struct Record {
    log: Vec<Operation>,
    /// State after `log[..replayed]`; moves forward only, starts again from `start` if need be.
    replayed: usize,
    cursor: State,
    start: State,
}

impl SimDisk {
    /// An empty disk without limits or faults.
    pub fn new(seed: u64) -> SimDisk {
        SimDisk::from_state(State::default(), Rng::with_seed(seed), None)
    }

    /// An empty disk that remembers every operation, for [`SimDisk::power_cut_at`]. It holds all bytes ever written.
    pub fn recording(seed: u64) -> SimDisk {
        let disk = SimDisk::new(seed);
        disk.start_recording();
        disk
    }

    fn from_state(state: State, rng: Rng, capacity: Option<u64>) -> SimDisk {
        let shared = Shared {
            state,
            record: None,
            rng,
            plans: Vec::new(),
            capacity,
            operations: 0,
            appends: 0,
            syncs: 0,
            dead: false,
            struck: Vec::new(),
        };
        SimDisk { shared: Arc::new(Mutex::new(shared)) }
    }

    /// Remembers every operation from now on; forgets what was remembered. Operation 0 is the next one.
    pub fn start_recording(&self) {
        let mut shared = self.lock_shared();
        let state = shared.state.clone();
        shared.operations = 0;
        shared.record = Some(Record { log: Vec::new(), replayed: 0, cursor: state.clone(), start: state });
    }

    /// Mutating operations so far (since recording began, if it records).
    pub fn operations(&self) -> u64 {
        self.lock_shared().operations
    }

    /// Appends so far, those that failed included.
    pub fn appends(&self) -> u64 {
        self.lock_shared().appends
    }

    /// Syncs of files so far, those that failed included.
    pub fn syncs(&self) -> u64 {
        self.lock_shared().syncs
    }

    /// Adds a fault that strikes once.
    pub fn fail(&self, plan: FaultPlan) {
        self.lock_shared().plans.push(plan);
    }

    /// Every fault that struck so far, in words.
    pub fn struck(&self) -> Vec<String> {
        self.lock_shared().struck.clone()
    }

    /// Forgets which faults have struck.
    pub fn forget_struck(&self) {
        self.lock_shared().struck.clear();
    }

    /// Limits the bytes in all files; `None` lifts the limit.
    pub fn set_capacity(&self, capacity: Option<u64>) {
        self.lock_shared().capacity = capacity;
    }

    /// Bytes in all files.
    pub fn used_bytes(&self) -> u64 {
        self.lock_shared().state.used_bytes()
    }

    /// The process is gone, the machine runs on: the new disk holds all that was written, synced or not. This one
    /// and its open files fail from now on; its locks are free.
    pub fn crash(&self) -> SimDisk {
        let mut shared = self.lock_shared();
        shared.dead = true;
        let mut state = std::mem::take(&mut shared.state);
        state.locks.clear();
        let rng = shared.rng.fork();
        SimDisk::from_state(state, rng, shared.capacity)
    }

    /// The disk as it may be after a power cut now. This one stays as it is.
    pub fn power_cut(&self, rng: &mut Rng) -> SimDisk {
        let (state, capacity) = {
            let shared = self.lock_shared();
            (shared.state.clone(), shared.capacity)
        };
        SimDisk::from_state(state.cut(rng), rng.fork(), capacity)
    }

    /// The disk as it may be after a power cut right after the first `operations` recorded operations. Cheap when
    /// called with rising numbers.
    ///
    /// # Panics
    /// If the disk does not record, or fewer operations were recorded.
    pub fn power_cut_at(&self, operations: u64, rng: &mut Rng) -> SimDisk {
        let state = self.state_at(operations);
        SimDisk::from_state(state.cut(rng), rng.fork(), None)
    }

    /// The disk as a killed process leaves it after the first `operations` recorded operations.
    ///
    /// # Panics
    /// As [`SimDisk::power_cut_at`].
    pub fn kill_at(&self, operations: u64, rng: &mut Rng) -> SimDisk {
        SimDisk::from_state(self.state_at(operations), rng.fork(), None)
    }

    /// The recorded operations in words, for reports.
    pub fn describe(&self, operation: u64) -> Option<String> {
        let shared = self.lock_shared();
        shared.record.as_ref()?.log.get(operation as usize).map(|operation| operation.to_string())
    }

    /// Changes bytes of a file behind everybody's back: rot, not a crash.
    ///
    /// # Errors
    /// `NotFound`, or `UnexpectedEof` if the file ends before.
    pub fn corrupt(&self, path: &Path, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut shared = self.lock_shared();
        let id = shared.state.inode_of(path)?;
        shared.state.inodes[id].overwrite(offset, bytes)
    }

    fn state_at(&self, operations: u64) -> State {
        let mut shared = self.lock_shared();
        let record = shared.record.as_mut().expect("a disk that records");
        let wanted = operations as usize;
        assert!(wanted <= record.log.len(), "only {} operations were recorded", record.log.len());
        if wanted < record.replayed {
            record.cursor = record.start.clone();
            record.replayed = 0;
        }
        while record.replayed < wanted {
            record.cursor.apply(&record.log[record.replayed]);
            record.replayed += 1;
        }
        let mut state = record.cursor.clone();
        state.locks.clear();
        state
    }

    fn lock_shared(&self) -> MutexGuard<'_, Shared> {
        // A test that panicked elsewhere must not hide its own message behind a poisoned lock.
        self.shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn alive(&self) -> io::Result<MutexGuard<'_, Shared>> {
        let shared = self.lock_shared();
        if shared.dead { Err(io::Error::other("the process was killed")) } else { Ok(shared) }
    }
}

impl Shared {
    /// Numbers an operation and says which fault strikes it.
    fn count(&mut self, path: &Path, is_append: bool, is_sync: bool) -> Option<Fault> {
        let operation = self.operations;
        self.operations += 1;
        self.appends += u64::from(is_append);
        self.syncs += u64::from(is_sync);
        let appends = is_append.then_some(self.appends);
        let syncs = is_sync.then_some(self.syncs);
        let index = self.plans.iter_mut().position(|plan| plan.strikes(path, operation, appends, syncs))?;
        let plan = self.plans.swap_remove(index);
        self.struck.push(format!("{:?} at operation {operation} on {}", plan.fault, path.display()));
        Some(plan.fault)
    }

    /// Numbers an operation on names or lengths, which only a kill can stop.
    fn count_plain(&mut self, path: &Path) -> io::Result<()> {
        match self.count(path, false, false) {
            Some(Fault::Kill) => Err(self.die()),
            Some(Fault::Error) => Err(io::Error::other(format!("{}: false disk error", path.display()))),
            _ => Ok(()),
        }
    }

    fn die(&mut self) -> io::Error {
        self.dead = true;
        // The state stays, for `crash` to take it.
        io::Error::other("the process was killed")
    }

    fn perform(&mut self, operation: Operation) {
        self.state.apply(&operation);
        if let Some(record) = &mut self.record {
            record.log.push(operation);
        }
    }

    fn append(&mut self, id: usize, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let fault = self.count(path, true, false);
        let free =
            self.capacity.map_or(u64::MAX, |capacity| capacity.saturating_sub(self.state.used_bytes()));
        let fits = (bytes.len() as u64).min(free) as usize;
        let part = match fault {
            None => fits,
            Some(Fault::Full | Fault::SyncLost | Fault::Error) => 0,
            Some(Fault::Short | Fault::Kill) => match self.rng.u8(..3) {
                0 => 0,
                1 => self.rng.usize(..=fits),
                _ => fits,
            },
        };
        self.perform(Operation::Write { id, bytes: Bytes::copy_from_slice(&bytes[..part]) });
        match fault {
            None if part == bytes.len() => Ok(()),
            None | Some(Fault::Full | Fault::Short) => {
                Err(io::Error::new(io::ErrorKind::StorageFull, format!("{}: no space left", path.display())))
            }
            Some(Fault::Kill) => Err(self.die()),
            Some(Fault::SyncLost | Fault::Error) => {
                Err(io::Error::other(format!("{}: false disk error", path.display())))
            }
        }
    }

    fn sync(&mut self, id: usize, path: &Path) -> io::Result<()> {
        match self.count(path, false, true) {
            None => {
                self.perform(Operation::SyncFile { id });
                Ok(())
            }
            Some(Fault::Kill) => Err(self.die()),
            Some(_) => {
                let unsynced = self.state.inodes[id].unsynced_bytes();
                let bytes_kept = self.rng.u64(..=unsynced);
                self.perform(Operation::SyncFailed { id, bytes_kept });
                Err(io::Error::other(format!("{}: false disk error at sync", path.display())))
            }
        }
    }
}

struct SimFile {
    disk: SimDisk,
    id: usize,
    path: PathBuf,
    len: u64,
}

impl DiskFile for SimFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.disk.alive()?.append(self.id, &self.path, bytes)?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.disk.alive()?.sync(self.id, &self.path)
    }

    fn len(&self) -> u64 {
        self.len
    }
}

struct SimReadFile {
    disk: SimDisk,
    id: usize,
    path: PathBuf,
}

impl ReadFile for SimReadFile {
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let shared = self.disk.alive()?;
        if shared.state.inodes[self.id].view.read(offset, buffer) {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("{}: file ends before", self.path.display()),
        ))
    }

    fn len(&self) -> u64 {
        let shared = self.disk.lock_shared();
        // After a crash the state has moved on to another disk.
        shared.state.inodes.get(self.id).map_or(0, |inode| inode.view.len())
    }
}

struct SimLock {
    disk: SimDisk,
    path: PathBuf,
}

impl FileLock for SimLock {}

impl Drop for SimLock {
    fn drop(&mut self) {
        let mut shared = self.disk.lock_shared();
        if !shared.dead {
            shared.state.locks.remove(&self.path);
        }
    }
}

fn taken(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, format!("{}: file exists", path.display()))
}

impl Disk for SimDisk {
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut shared = self.alive()?;
        if shared.state.exists(path) {
            return Err(taken(path));
        }
        shared.state.check_parent(path)?;
        shared.count_plain(path)?;
        let id = shared.state.inodes.len();
        shared.perform(Operation::Create { path: path.to_owned() });
        Ok(Box::new(SimFile { disk: self.clone(), id, path: path.to_owned(), len: 0 }))
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let shared = self.alive()?;
        let id = shared.state.inode_of(path)?;
        let len = shared.state.inodes[id].view.len();
        Ok(Box::new(SimFile { disk: self.clone(), id, path: path.to_owned(), len }))
    }

    fn open_read(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        let shared = self.alive()?;
        let id = shared.state.inode_of(path)?;
        Ok(Box::new(SimReadFile { disk: self.clone(), id, path: path.to_owned() }))
    }

    fn truncate(&self, path: &Path, len: u64) -> io::Result<()> {
        let mut shared = self.alive()?;
        let id = shared.state.inode_of(path)?;
        shared.count_plain(path)?;
        shared.perform(Operation::Truncate { id, len });
        Ok(())
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        let mut shared = self.alive()?;
        let id = shared.state.inode_of(path)?;
        shared.sync(id, path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.alive()?.state.exists(to) {
            return Err(taken(to));
        }
        self.replace(from, to)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut shared = self.alive()?;
        shared.state.inode_of(from)?;
        shared.state.check_parent(to)?;
        shared.count_plain(from)?;
        shared.perform(Operation::Rename { from: from.to_owned(), to: to.to_owned() });
        Ok(())
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut shared = self.alive()?;
        let id = shared.state.inode_of(from)?;
        if shared.state.exists(to) {
            return Err(taken(to));
        }
        shared.state.check_parent(to)?;
        shared.count_plain(to)?;
        shared.perform(Operation::Link { id, to: to.to_owned() });
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let mut shared = self.alive()?;
        shared.state.inode_of(path)?;
        shared.count_plain(path)?;
        shared.perform(Operation::Remove { path: path.to_owned() });
        Ok(())
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        let mut shared = self.alive()?;
        for folder in state::missing_folders(&shared.state, path)? {
            shared.count_plain(&folder)?;
            shared.perform(Operation::MakeDir { path: folder.clone() });
            let parent = folder.parent().unwrap_or(Path::new("")).to_owned();
            shared.count_plain(&parent)?;
            shared.perform(Operation::SyncDir { path: parent });
        }
        Ok(())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut shared = self.alive()?;
        if !shared.state.is_dir(path) {
            return Err(state::not_found(path));
        }
        shared.count_plain(path)?;
        shared.perform(Operation::SyncDir { path: path.to_owned() });
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        Ok(self.alive()?.state.list(path))
    }

    fn len_of(&self, path: &Path) -> io::Result<Option<u64>> {
        let shared = self.alive()?;
        Ok(shared.state.inode_of(path).ok().map(|id| shared.state.inodes[id].view.len()))
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        let shared = self.alive()?;
        if !shared.state.is_dir(path) && !shared.state.exists(path) {
            return Err(state::not_found(path));
        }
        let used = shared.state.used_bytes();
        Ok(shared.capacity.map_or(FREE_BYTES_UNLIMITED, |capacity| capacity.saturating_sub(used)))
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn FileLock>>> {
        if !self.alive()?.state.exists(path) {
            self.create_new(path)?;
        }
        if !self.alive()?.state.locks.insert(path.to_owned()) {
            return Ok(None);
        }
        Ok(Some(Box::new(SimLock { disk: self.clone(), path: path.to_owned() })))
    }

    fn is_real(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
