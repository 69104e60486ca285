//! Files, with exactly the operations whose order the durability contract speaks of. All of them block.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file that was created or opened to be appended to.
pub trait DiskFile: Send {
    /// Appends all bytes. After an error what is in the file is unknown.
    ///
    /// # Errors
    /// When the disk is full or fails.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Makes everything appended so far durable (fdatasync). Must not be repeated after an error.
    ///
    /// # Errors
    /// When the disk fails; what is durable is then unknown.
    fn sync(&mut self) -> io::Result<()>;

    /// Length in bytes.
    fn len(&self) -> u64;

    /// True if nothing is in it.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A file that is read at any place.
pub trait ReadFile: Send + Sync {
    /// Fills the buffer from that offset.
    ///
    /// # Errors
    /// `UnexpectedEof` if the file ends before.
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Length in bytes when it was opened or now.
    fn len(&self) -> u64;

    /// True if nothing is in it.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Held as long as a lock on a file is wanted.
pub trait FileLock: Send + Sync {}

/// Files and folders. A name is durable only once its folder was synced.
pub trait Disk: Send + Sync {
    /// Creates a new file (exclusively) to append to.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken.
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens an existing file to append to its end.
    ///
    /// # Errors
    /// `NotFound` if it does not exist.
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens a file to read.
    ///
    /// # Errors
    /// `NotFound` if it does not exist.
    fn open_read(&self, path: &Path) -> io::Result<Box<dyn ReadFile>>;
    /// Reads a whole small file.
    ///
    /// # Errors
    /// As [`Disk::open_read`].
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let file = self.open_read(path)?;
        let mut bytes = vec![0; file.len() as usize];
        file.read_exact_at(0, &mut bytes)?;
        Ok(bytes)
    }
    /// Cuts a file to a length; durable after [`Disk::sync_file`].
    ///
    /// # Errors
    /// When it does not exist or the disk fails.
    fn truncate(&self, path: &Path, len: u64) -> io::Result<()>;
    /// Makes a file's content and length durable.
    ///
    /// # Errors
    /// When it does not exist or the disk fails.
    fn sync_file(&self, path: &Path) -> io::Result<()>;
    /// Gives a file another name; refuses (`AlreadyExists`) to replace one.
    ///
    /// # Errors
    /// `AlreadyExists`, `NotFound`.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file another name, replacing what bears it.
    ///
    /// # Errors
    /// `NotFound`.
    fn replace(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a second name.
    ///
    /// # Errors
    /// `AlreadyExists`, `NotFound`.
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    ///
    /// # Errors
    /// `NotFound`.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Creates a folder and those above it; fine if it exists. Each new folder's parent is synced.
    ///
    /// # Errors
    /// When a file is in the way or the disk fails.
    fn create_dir_all(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder durable.
    ///
    /// # Errors
    /// When it does not exist or the disk fails.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Names in a folder, sorted; a folder that does not exist has none.
    ///
    /// # Errors
    /// When the disk fails.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;
    /// Length of a file; `None` if it does not exist.
    ///
    /// # Errors
    /// When the disk fails.
    fn len_of(&self, path: &Path) -> io::Result<Option<u64>>;
    /// Bytes that can still be written below that folder.
    ///
    /// # Errors
    /// When it does not exist.
    fn free_bytes(&self, path: &Path) -> io::Result<u64>;
    /// Locks a file (created if need be) against other processes; `None` if another holds it.
    ///
    /// # Errors
    /// When it cannot be opened.
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn FileLock>>>;
    /// True if [`Disk::free_bytes`] and locks speak of the machine's own file system at this very path.
    fn is_real(&self) -> bool;
}

/// The machine's file system.
pub struct StdDisk;

/// Puts the path into an error, which the standard library leaves out.
fn at<T>(path: &Path, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::new(error.kind(), PathError { path: path.to_owned(), error }))
}

/// An I/O error with the file it was met at.
#[derive(Debug)]
struct PathError {
    path: PathBuf,
    error: io::Error,
}

impl std::fmt::Display for PathError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for PathError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

struct StdFile {
    file: File,
    path: PathBuf,
    len: u64,
}

impl DiskFile for StdFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        at(&self.path, self.file.write_all(bytes))?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        at(&self.path, self.file.sync_data())
    }

    fn len(&self) -> u64 {
        self.len
    }
}

struct StdReadFile {
    file: File,
    path: PathBuf,
}

impl ReadFile for StdReadFile {
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        at(&self.path, self.file.read_exact_at(buffer, offset))
    }

    fn len(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }
}

/// The lock goes with the open file.
struct StdLock {
    _file: File,
}

impl FileLock for StdLock {}

impl Disk for StdDisk {
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = at(path, OpenOptions::new().append(true).create_new(true).open(path))?;
        Ok(Box::new(StdFile { file, path: path.to_owned(), len: 0 }))
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = at(path, OpenOptions::new().append(true).open(path))?;
        let len = at(path, file.metadata())?.len();
        Ok(Box::new(StdFile { file, path: path.to_owned(), len }))
    }

    fn open_read(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        let file = at(path, File::open(path))?;
        Ok(Box::new(StdReadFile { file, path: path.to_owned() }))
    }

    fn truncate(&self, path: &Path, len: u64) -> io::Result<()> {
        at(path, OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(len)))
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        at(path, OpenOptions::new().write(true).open(path).and_then(|file| file.sync_all()))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // Some file systems do not know the flag.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                if to.exists() {
                    return at(to, Err(io::ErrorKind::AlreadyExists.into()));
                }
                at(from, fs::rename(from, to))
            }
            other => at(from, other.map_err(io::Error::from)),
        }
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        at(from, fs::rename(from, to))
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        at(from, fs::hard_link(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        at(path, fs::remove_file(path))
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            self.create_dir_all(parent)?;
            match fs::create_dir(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
                other => at(path, other)?,
            }
            return self.sync_dir(parent);
        }
        at(path, fs::create_dir(path))
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        at(path, File::open(path).and_then(|folder| folder.sync_all()))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => at(path, other)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            // A name that is not UTF-8 is none of ours.
            if let Ok(name) = at(path, entry)?.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn len_of(&self, path: &Path) -> io::Result<Option<u64>> {
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            other => at(path, other).map(|metadata| Some(metadata.len())),
        }
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        let status = at(path, rustix::fs::statvfs(path).map_err(io::Error::from))?;
        Ok(status.f_bavail * status.f_frsize)
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn FileLock>>> {
        let file =
            at(path, OpenOptions::new().write(true).create(true).truncate(false).mode(0o644).open(path))?;
        match rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Box::new(StdLock { _file: file }))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => at(path, Err(error.into())),
        }
    }

    fn is_real(&self) -> bool {
        true
    }
}
