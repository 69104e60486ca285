//! The table file: everything of the frontier that is neither in segments nor in runs of fingerprints.
//!
//! Written anew at each save, as packed chunks of records: rules, segments and runs in use, the sieve's buffer, attempts,
//! items done ahead of their turn, prerequisites, then each queue with its blocks and its URLs in memory, then the order
//! of queues. The section of the manifest only names it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::world::{Disk, ReadFile};

use crate::packed::{Chunk, PackedReader, PackedWriter};
use crate::wire::{Put, Take};
use crate::{FrontierError, Result};

const MAGIC: [u8; 8] = *b"BQFRTB01";
/// A chunk ends with the record that fills it beyond this.
const CHUNK_BYTES: usize = 128 << 10;
/// Form of the section.
const VERSION: u64 = 1;

/// What the section of the manifest holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Section {
    /// Number of the table file.
    pub(crate) table: u64,
    /// Its length in bytes.
    pub(crate) len: u64,
}

impl Section {
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        [VERSION, self.table, self.len].into_iter().for_each(|number| bytes.put_u64(number));
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Section> {
        let mut take = Take(bytes);
        let version = take.u64()?;
        let section = Section { table: take.u64()?, len: take.u64()? };
        (version == VERSION && take.0.is_empty()).then_some(section)
    }
}

pub(crate) fn path_of(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("table-{number:08}"))
}

/// Writes records.
pub(crate) struct TableWriter {
    out: PackedWriter,
    raw: Vec<u8>,
}

impl TableWriter {
    /// Creates the table with the next free number.
    pub(crate) fn create(disk: &dyn Disk, dir: &Path, number: &mut u64) -> Result<TableWriter> {
        loop {
            let path = path_of(dir, *number);
            *number += 1;
            match PackedWriter::create(disk, path, MAGIC) {
                Err(FrontierError::Disk { source, .. })
                    if source.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(out) => return Ok(TableWriter { out, raw: Vec::with_capacity(2 * CHUNK_BYTES) }),
            }
        }
    }

    /// Adds a record that `write` appends.
    pub(crate) fn record(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        write(&mut self.raw);
        if self.raw.len() < CHUNK_BYTES {
            return Ok(());
        }
        self.out.chunk(&self.raw)?;
        self.raw.clear();
        Ok(())
    }

    /// Adds a list: its length, then each item as a record.
    pub(crate) fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut write: impl FnMut(T, &mut Vec<u8>),
    ) -> Result<()> {
        let len = items.len() as u64;
        self.record(|raw| raw.put_u64(len))?;
        for item in items {
            self.record(|raw| write(item, raw))?;
        }
        Ok(())
    }

    /// Syncs the file and gives its path and length.
    pub(crate) fn finish(mut self, disk: &dyn Disk) -> Result<(PathBuf, u64)> {
        if !self.raw.is_empty() {
            self.out.chunk(&self.raw)?;
        }
        // An empty chunk at the end shows that nothing is missing.
        self.out.chunk(&[])?;
        let path = self.out.path.clone();
        let len = self.out.finish()?;
        disk.sync_file(&path).map_err(FrontierError::disk("sync", &path))?;
        Ok((path, len))
    }
}

/// Reads records in the order in which they were written.
pub(crate) struct TableReader {
    file: Box<dyn ReadFile>,
    path: PathBuf,
    len: u64,
    reader: PackedReader,
    chunk: Chunk,
    at: usize,
}

impl TableReader {
    pub(crate) fn open(disk: &Arc<dyn Disk>, dir: &Path, section: Section) -> Result<TableReader> {
        let path = path_of(dir, section.table);
        let file = disk.open_read(&path).map_err(FrontierError::disk("open", &path))?;
        let mut magic = [0; MAGIC.len()];
        file.read_exact_at(0, &mut magic).map_err(FrontierError::disk("read", &path))?;
        if magic != MAGIC || file.len() < section.len {
            return Err(FrontierError::corrupt(&path, "it is no whole table of queues"));
        }
        let chunk = Chunk { raw: Vec::new(), next_offset: MAGIC.len() as u64 };
        Ok(TableReader {
            file,
            path,
            len: section.len,
            reader: PackedReader::new(2 * CHUNK_BYTES),
            chunk,
            at: 0,
        })
    }

    /// Reads a record with `read`, which gives `None` if it cannot be one.
    pub(crate) fn record<T>(&mut self, read: impl FnOnce(&mut Take) -> Option<T>) -> Result<T> {
        if self.at == self.chunk.raw.len() {
            self.chunk = self.reader.chunk(&*self.file, &self.path, self.len, self.chunk.next_offset)?;
            self.at = 0;
        }
        let mut take = Take(&self.chunk.raw[self.at..]);
        let value =
            read(&mut take).ok_or_else(|| FrontierError::corrupt(&self.path, "a record makes no sense"))?;
        self.at = self.chunk.raw.len() - take.0.len();
        Ok(value)
    }

    /// Reads a list, item by item.
    pub(crate) fn list<T>(&mut self, mut read: impl FnMut(&mut Take) -> Option<T>) -> Result<Vec<T>> {
        let len = self.record(|take| take.u64())?;
        let mut items = Vec::new();
        for _ in 0..len {
            items.push(self.record(&mut read)?);
        }
        Ok(items)
    }

    /// Checks that all was read.
    pub(crate) fn finish(mut self) -> Result<()> {
        let is_read = self.at == self.chunk.raw.len();
        let end = self.reader.chunk(&*self.file, &self.path, self.len, self.chunk.next_offset)?;
        let is_end = end.raw.is_empty() && end.next_offset == self.len;
        if is_read && is_end { Ok(()) } else { Err(self.corrupt("it does not end where it should")) }
    }

    pub(crate) fn corrupt(&self, reason: &'static str) -> FrontierError {
        FrontierError::corrupt(&self.path, reason)
    }
}
