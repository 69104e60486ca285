//! Sorted runs of keyed rows: written once front to back, then immutable.
//!
//! A file is a magic, blocks, an index, a filter and a trailer. A block holds rows whose keys leave out what they share
//! with the key before, compressed by LZ4 behind a CRC-32C. The index has, for each block, the shortest text that
//! divides it from the block before. A row without value is a tombstone: the key is deleted.

mod block;
mod cursor;
mod filter;
mod varint;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use model::world::{Disk, ReadFile};

use crate::stream::{Reader, Writer, u32_at, u64_at};
use crate::{Error, Result};
use block::{Block, BlockBuilder};
pub use cursor::{Cursor, Merge, RunCursor};
use filter::Filter;

/// Most bytes of key and value together.
pub const ROW_BYTES_MAX: usize = 16 << 20;

/// A block is ended when it has so many bytes before compression.
const BLOCK_BYTES: usize = 16 << 10;

/// Runs of more rows have no filter: it would fill the memory, and most look-ups that come so far do find their key.
const FILTER_ROWS_MAX: u64 = 16 << 20;

const MAGIC: [u8; 8] = *b"BQRUN\0\x001";
/// rows u64, index offset u64, filter offset u64, crc u32, magic.
const TRAILER_BYTES: usize = 36;
/// length before compression u32, length u32, crc u32.
const BLOCK_HEAD_BYTES: usize = 12;

/// Writes a run of ascending keys.
pub struct RunWriter {
    out: Writer,
    path: PathBuf,
    block: BlockBuilder,
    last_key: Vec<u8>,
    /// Dividing text and offset of each block.
    index: Vec<(Box<[u8]>, u64)>,
    filter: Option<Filter>,
    n_rows: u64,
    scratch: Vec<u8>,
}

impl RunWriter {
    /// Creates the file exclusively. `rows_max` sizes the filter: at most so many rows will come.
    ///
    /// # Errors
    /// When the name is taken or the disk fails.
    pub fn create(disk: &dyn Disk, path: &Path, rows_max: u64) -> Result<RunWriter> {
        let mut out = Writer::create(disk, path)?;
        out.write(&MAGIC)?;
        Ok(RunWriter {
            out,
            path: path.to_owned(),
            block: BlockBuilder::default(),
            last_key: Vec::new(),
            index: Vec::new(),
            filter: (rows_max <= FILTER_ROWS_MAX).then(|| Filter::for_rows(rows_max)),
            n_rows: 0,
            scratch: Vec::new(),
        })
    }

    /// Adds a row; `None` is a tombstone.
    ///
    /// # Errors
    /// [`Error::Limit`] over [`ROW_BYTES_MAX`]; when the disk fails.
    ///
    /// # Panics
    /// If the key is not above the last one.
    pub fn push(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<()> {
        check_row(key, value)?;
        assert!(self.n_rows == 0 || *self.last_key < *key, "keys must ascend");
        if self.block.is_empty() {
            let divider = if self.n_rows == 0 { &[][..] } else { &key[..=shared_bytes(&self.last_key, key)] };
            self.index.push((divider.into(), self.out.offset()));
        }
        self.block.push(key, value);
        if let Some(filter) = &mut self.filter {
            filter.insert(key);
        }
        self.n_rows += 1;
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        if self.block.len() >= BLOCK_BYTES { self.end_block() } else { Ok(()) }
    }

    /// Rows so far.
    pub fn len(&self) -> u64 {
        self.n_rows
    }

    /// True if nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes index and filter and gives the file's length in bytes. Not synced: that is done when a manifest names it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn finish(mut self) -> Result<u64> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        let index_offset = self.out.offset();
        let mut tail = Vec::new();
        for (divider, offset) in &self.index {
            varint::push(&mut tail, divider.len() as u64);
            tail.extend_from_slice(divider);
            varint::push(&mut tail, *offset);
        }
        let filter_offset = index_offset + tail.len() as u64;
        if let Some(filter) = &self.filter {
            filter.write(&mut tail);
        }
        for number in [self.n_rows, index_offset, filter_offset] {
            tail.extend_from_slice(&number.to_le_bytes());
        }
        let crc = crc32c::crc32c(&tail);
        tail.extend_from_slice(&crc.to_le_bytes());
        tail.extend_from_slice(&MAGIC);
        self.out.write(&tail)?;
        self.out.flush()?;
        Ok(self.out.offset())
    }

    fn end_block(&mut self) -> Result<()> {
        let raw = self.block.bytes();
        let scratch = &mut self.scratch;
        scratch.clear();
        scratch.resize(BLOCK_HEAD_BYTES + lz4_flex::block::get_maximum_output_size(raw.len()), 0);
        let len = lz4_flex::block::compress_into(raw, &mut scratch[BLOCK_HEAD_BYTES..])
            .expect("the output has the size that the compressor asks for");
        scratch.truncate(BLOCK_HEAD_BYTES + len);
        scratch[0..4].copy_from_slice(&(raw.len() as u32).to_le_bytes());
        scratch[4..8].copy_from_slice(&(len as u32).to_le_bytes());
        let crc = block_crc(scratch);
        scratch[8..12].copy_from_slice(&crc.to_le_bytes());
        self.out.write(scratch)?;
        self.block.clear();
        Ok(())
    }
}

/// Whether a row fits into a run.
pub(crate) fn check_row(key: &[u8], value: Option<&[u8]>) -> Result<()> {
    let len = key.len() + value.map_or(0, <[u8]>::len);
    if len <= ROW_BYTES_MAX {
        return Ok(());
    }
    Err(Error::Limit { what: format!("a row of {len} bytes, at most {ROW_BYTES_MAX} are stored") })
}

fn shared_bytes(one: &[u8], two: &[u8]) -> usize {
    one.iter().zip(two).take_while(|(one, two)| one == two).count()
}

/// Of the head without its checksum, and of the compressed rows.
fn block_crc(block: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&block[..8]), &block[BLOCK_HEAD_BYTES..])
}

/// A finished run. Index and filter are in memory: about 10 bits a row and some bytes a block.
pub struct Run {
    path: PathBuf,
    file: Box<dyn ReadFile>,
    index: Vec<(Box<[u8]>, u64)>,
    index_offset: u64,
    filter: Option<Filter>,
    n_rows: u64,
    file_len: u64,
    /// The block that was read last by a look-up: neighbours are often asked for together.
    last_block: Mutex<Option<(usize, Arc<Block>)>>,
}

impl Run {
    /// Opens a run and checks its index and filter.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if it is no whole run.
    pub fn open(disk: &dyn Disk, path: &Path) -> Result<Run> {
        let mut reader = Reader::open(disk, path)?;
        let len = reader.len();
        let torn = || Error::corrupt(path, len, "it ends too early or its trailer is broken");
        if len < (MAGIC.len() + TRAILER_BYTES) as u64 {
            return Err(torn());
        }
        reader.seek(len - TRAILER_BYTES as u64);
        let trailer = reader.peek(TRAILER_BYTES)?.to_vec();
        let (n_rows, index_offset, filter_offset) =
            (u64_at(&trailer, 0), u64_at(&trailer, 8), u64_at(&trailer, 16));
        let end = len - TRAILER_BYTES as u64;
        let is_ordered =
            MAGIC.len() as u64 <= index_offset && index_offset <= filter_offset && filter_offset <= end;
        if trailer[28..] != MAGIC || !is_ordered {
            return Err(torn());
        }
        reader.seek(index_offset);
        let tail = reader.peek((end - index_offset) as usize + 24)?;
        if crc32c::crc32c(tail) != u32_at(&trailer, 24) {
            return Err(Error::corrupt(path, index_offset, "the checksum of its index differs"));
        }
        let (index_bytes, rest) = tail.split_at((filter_offset - index_offset) as usize);
        let index = read_index(index_bytes)
            .ok_or_else(|| Error::corrupt(path, index_offset, "its index is broken"))?;
        let filter = Filter::read(&rest[..rest.len() - 24]);
        Ok(Run {
            path: path.to_owned(),
            file: disk.open_read(path)?,
            index,
            index_offset,
            filter,
            n_rows,
            file_len: len,
            last_block: Mutex::new(None),
        })
    }

    /// Rows, tombstones included.
    pub fn len(&self) -> u64 {
        self.n_rows
    }

    /// True if it has no row.
    pub fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// Bytes of its file.
    pub fn file_len(&self) -> u64 {
        self.file_len
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The value of a key: `None` if the run says nothing of it, `Some(None)` if it was deleted. At most one disk read.
    ///
    /// # Errors
    /// When the block cannot be read or is corrupt.
    pub fn get(&self, key: &[u8]) -> Result<Option<Option<Vec<u8>>>> {
        if self.filter.as_ref().is_some_and(|filter| !filter.may_contain(key)) {
            return Ok(None);
        }
        let Some(index) = self.block_of(key) else { return Ok(None) };
        let cached = self.last_block.lock().expect("no panic while held").clone();
        let block = match cached {
            Some((at, block)) if at == index => block,
            _ => {
                let block = Arc::new(self.read_block(index)?);
                *self.last_block.lock().expect("no panic while held") = Some((index, block.clone()));
                block
            }
        };
        let found = block.get(key).map_err(|()| self.broken_rows(index))?;
        Ok(found.map(|value| value.map(<[u8]>::to_vec)))
    }

    /// Starts at the first key that is not below `from`.
    ///
    /// # Errors
    /// When the first block cannot be read or is corrupt.
    pub fn cursor(self: &Arc<Self>, from: &[u8]) -> Result<RunCursor> {
        RunCursor::new(self.clone(), from)
    }

    /// The block that holds a key, if any does.
    fn block_of(&self, key: &[u8]) -> Option<usize> {
        self.index.partition_point(|(divider, _)| **divider <= *key).checked_sub(1)
    }

    fn n_blocks(&self) -> usize {
        self.index.len()
    }

    fn read_block(&self, index: usize) -> Result<Block> {
        let offset = self.index[index].1;
        let end = self.index.get(index + 1).map_or(self.index_offset, |(_, next)| *next);
        let corrupt = |what| Error::corrupt(&self.path, offset, what);
        let len = end.checked_sub(offset).filter(|len| *len >= BLOCK_HEAD_BYTES as u64);
        let len = len.ok_or_else(|| corrupt("the index is out of order"))? as usize;
        let mut bytes = vec![0; len];
        self.file.read_exact_at(offset, &mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => corrupt("a block is cut off"),
            _ => error.into(),
        })?;
        let raw_len = u32_at(&bytes, 0) as usize;
        if u32_at(&bytes, 4) as usize != len - BLOCK_HEAD_BYTES || u32_at(&bytes, 8) != block_crc(&bytes) {
            return Err(corrupt("the checksum of a block differs"));
        }
        let raw = lz4_flex::block::decompress(&bytes[BLOCK_HEAD_BYTES..], raw_len)
            .map_err(|_| corrupt("a block cannot be decompressed"))?;
        Ok(Block::new(raw))
    }

    fn broken_rows(&self, index: usize) -> Error {
        Error::corrupt(&self.path, self.index[index].1, "the rows of a block are broken")
    }
}

fn read_index(mut bytes: &[u8]) -> Option<Vec<(Box<[u8]>, u64)>> {
    let mut index = Vec::new();
    while !bytes.is_empty() {
        let len = varint::take(&mut bytes)? as usize;
        let (divider, rest) = bytes.split_at_checked(len)?;
        bytes = rest;
        index.push((divider.into(), varint::take(&mut bytes)?));
    }
    Some(index)
}

#[cfg(test)]
mod tests;
