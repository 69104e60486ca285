//! Reading and writing files front to back in large pieces.

use std::io;
use std::path::Path;

use model::world::{Disk, DiskFile, ReadFile};

/// Bytes that are read or written at once.
const CHUNK_BYTES: usize = 256 << 10;

/// Reads a file front to back.
pub(crate) struct Reader {
    file: Box<dyn ReadFile>,
    /// Where the file ends for this reader: its length when opened.
    len: u64,
    buffer: Vec<u8>,
    /// Unread bytes are `buffer[start..]`.
    start: usize,
    /// File offset of `buffer[start]`.
    offset: u64,
}

impl Reader {
    pub fn open(disk: &dyn Disk, path: &Path) -> io::Result<Reader> {
        let file = disk.open_read(path)?;
        let len = file.len();
        Ok(Reader { file, len, buffer: Vec::new(), start: 0, offset: 0 })
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn remaining(&self) -> u64 {
        self.len - self.offset
    }

    pub fn seek(&mut self, offset: u64) {
        self.buffer.clear();
        self.start = 0;
        self.offset = offset.min(self.len);
    }

    /// The next bytes without taking them; the caller has checked that so many remain.
    pub fn peek(&mut self, n: usize) -> io::Result<&[u8]> {
        let held = self.buffer.len() - self.start;
        if held < n {
            self.buffer.drain(..self.start);
            self.start = 0;
            let more = (n - held).max(CHUNK_BYTES).min((self.remaining() as usize).saturating_sub(held));
            self.buffer.resize(held + more, 0);
            self.file.read_exact_at(self.offset + held as u64, &mut self.buffer[held..])?;
        }
        self.buffer.get(self.start..self.start + n).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    /// Steps over bytes that were peeked.
    pub fn skip(&mut self, n: usize) {
        self.start += n;
        self.offset += n as u64;
    }
}

/// Writes a new file front to back.
pub(crate) struct Writer {
    file: Box<dyn DiskFile>,
    buffer: Vec<u8>,
}

impl Writer {
    pub fn create(disk: &dyn Disk, path: &Path) -> io::Result<Writer> {
        Ok(Writer { file: disk.create_new(path)?, buffer: Vec::with_capacity(CHUNK_BYTES) })
    }

    /// Where the next byte goes.
    pub fn offset(&self) -> u64 {
        self.file.len() + self.buffer.len() as u64
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK_BYTES { self.flush() } else { Ok(()) }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.file.append(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.sync()
    }
}

/// The little-endian number at a place that the caller knows to exist.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The little-endian number at a place that the caller knows to exist.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
