//! Bytes of a message: in memory while small, in a scratch file when large.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;

use crate::world::Disk;

/// Bytes of a message. Cheap to clone.
#[derive(Debug, Clone)]
pub enum Body {
    /// All in memory.
    Memory(Bytes),
    /// In a scratch file, which goes when the last clone goes.
    Spool(Arc<Spool>),
}

/// A scratch file that holds a large body.
pub struct Spool {
    /// Where it lies, in the job's `state/scratch`.
    pub path: PathBuf,
    /// First byte of the body in the file.
    pub offset: u64,
    /// Length of the body in bytes.
    pub len: u64,
    /// The disk it lies on.
    pub disk: Arc<dyn Disk>,
    /// Whether this value removes the file when dropped.
    pub owns_file: bool,
}

impl std::fmt::Debug for Spool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Spool({} +{} {} bytes)", self.path.display(), self.offset, self.len)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if self.owns_file {
            // A leftover is harmless: scratch is emptied when the job starts.
            let _ = self.disk.remove_file(&self.path);
        }
    }
}

impl Body {
    /// No bytes.
    pub fn empty() -> Body {
        Body::Memory(Bytes::new())
    }

    /// Length in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Body::Memory(bytes) => bytes.len() as u64,
            Body::Spool(spool) => spool.len,
        }
    }

    /// True if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first bytes, at most `len_max`: without copying from memory, read from a spool.
    ///
    /// # Errors
    /// When the scratch file cannot be read.
    pub fn prefix(&self, len_max: usize) -> io::Result<Bytes> {
        match self {
            Body::Memory(bytes) => Ok(bytes.slice(..bytes.len().min(len_max))),
            Body::Spool(spool) => {
                let mut buffer = vec![0; (spool.len as usize).min(len_max)];
                let file = spool.disk.open_read(&spool.path)?;
                file.read_exact_at(spool.offset, &mut buffer)?;
                Ok(buffer.into())
            }
        }
    }

    /// Calls `each` with successive pieces of at most 256 KiB (one piece when in memory).
    ///
    /// # Errors
    /// When the scratch file cannot be read, or as `each` says.
    pub fn for_each_chunk(&self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match self {
            Body::Memory(bytes) => each(bytes),
            Body::Spool(spool) => {
                let file = spool.disk.open_read(&spool.path)?;
                let mut buffer = vec![0; 256 << 10];
                let mut done = 0;
                while done < spool.len {
                    let n = (spool.len - done).min(buffer.len() as u64) as usize;
                    file.read_exact_at(spool.offset + done, &mut buffer[..n])?;
                    each(&buffer[..n])?;
                    done += n as u64;
                }
                Ok(())
            }
        }
    }
}
