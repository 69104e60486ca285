//! Files of packed chunks: what segments and saved tables are made of.
//!
//! A file is a magic and chunks; a chunk is its raw length, packed length and CRC-32C (each 4 bytes, little-endian) and
//! an LZ4 block. Files are created exclusively, written front to back, and never changed. Nothing in a file says where it
//! ends: whoever names it knows its length.

use std::path::{Path, PathBuf};

use model::world::{Disk, DiskFile, ReadFile};

use crate::{FrontierError, Result};

const HEAD_BYTES: usize = 12;
/// No chunk unpacks to more: a limit for damaged files.
const RAW_BYTES_MAX: u32 = 256 << 20;
/// Written at once.
const WRITE_BYTES: usize = 256 << 10;

/// Writes a file of chunks.
pub(crate) struct PackedWriter {
    file: Box<dyn DiskFile>,
    pub(crate) path: PathBuf,
    pending: Vec<u8>,
    offset: u64,
    scratch: Vec<u8>,
}

impl PackedWriter {
    pub(crate) fn create(disk: &dyn Disk, path: PathBuf, magic: [u8; 8]) -> Result<PackedWriter> {
        let file = disk.create_new(&path).map_err(FrontierError::disk("create", &path))?;
        Ok(PackedWriter {
            file,
            path,
            pending: magic.to_vec(),
            offset: magic.len() as u64,
            scratch: Vec::new(),
        })
    }

    /// Where the next chunk will begin.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn chunk(&mut self, raw: &[u8]) -> Result<()> {
        self.scratch.resize(lz4_flex::block::get_maximum_output_size(raw.len()), 0);
        let packed_len =
            lz4_flex::block::compress_into(raw, &mut self.scratch).expect("the buffer is large enough");
        let packed = &self.scratch[..packed_len];
        self.pending.extend_from_slice(&(raw.len() as u32).to_le_bytes());
        self.pending.extend_from_slice(&(packed_len as u32).to_le_bytes());
        self.pending.extend_from_slice(&crc32c::crc32c(packed).to_le_bytes());
        self.pending.extend_from_slice(packed);
        self.offset += (HEAD_BYTES + packed_len) as u64;
        if self.pending.len() >= WRITE_BYTES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<()> {
        self.file.append(&self.pending).map_err(FrontierError::disk("write", &self.path))?;
        self.pending.clear();
        Ok(())
    }

    /// Writes what is left, unsynced, and gives the length of the file.
    pub(crate) fn finish(mut self) -> Result<u64> {
        self.write()?;
        Ok(self.offset)
    }
}

/// An unpacked chunk and where the next one begins.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) raw: Vec<u8>,
    pub(crate) next_offset: u64,
}

/// Reads chunks at any offset, fast where they follow each other.
pub(crate) struct PackedReader {
    /// Bytes read at once.
    ahead: usize,
    window: Vec<u8>,
    window_offset: u64,
}

impl PackedReader {
    pub(crate) fn new(ahead: usize) -> PackedReader {
        PackedReader { ahead, window: Vec::new(), window_offset: 0 }
    }

    /// Forgets what was read ahead, before another file is read.
    pub(crate) fn forget(&mut self) {
        self.window.clear();
    }

    /// Reads the chunk that begins at `offset` of a file with `len` bytes.
    pub(crate) fn chunk(&mut self, file: &dyn ReadFile, path: &Path, len: u64, offset: u64) -> Result<Chunk> {
        let corrupt = |reason| FrontierError::corrupt(path, reason);
        let head = self.bytes(file, path, len, offset, HEAD_BYTES)?;
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let (raw_len, packed_len, crc) = (word(0), word(4), word(8));
        // LZ4 packs 255 bytes into one at best.
        if raw_len > RAW_BYTES_MAX || u64::from(raw_len) > (u64::from(packed_len) + 1) * 255 {
            return Err(corrupt("the head of a chunk is broken"));
        }
        let packed = self.bytes(file, path, len, offset + HEAD_BYTES as u64, packed_len as usize)?;
        if crc32c::crc32c(packed) != crc {
            return Err(corrupt("the checksum of a chunk differs"));
        }
        let mut raw = vec![0; raw_len as usize];
        match lz4_flex::block::decompress_into(packed, &mut raw) {
            Ok(unpacked) if unpacked == raw.len() => {}
            _ => return Err(corrupt("a chunk cannot be unpacked")),
        }
        Ok(Chunk { raw, next_offset: offset + HEAD_BYTES as u64 + u64::from(packed_len) })
    }

    fn bytes(&mut self, file: &dyn ReadFile, path: &Path, len: u64, offset: u64, n: usize) -> Result<&[u8]> {
        let end = self.window_offset + self.window.len() as u64;
        if offset < self.window_offset || offset + n as u64 > end {
            if offset.checked_add(n as u64).is_none_or(|end| end > len) {
                return Err(FrontierError::corrupt(path, "a chunk is cut off"));
            }
            let size = (n.max(self.ahead) as u64).min(len - offset);
            self.window.resize(size as usize, 0);
            self.window_offset = offset;
            if let Err(error) = file.read_exact_at(offset, &mut self.window) {
                self.window.clear();
                return Err(FrontierError::disk("read", path)(error));
            }
        }
        let at = (offset - self.window_offset) as usize;
        Ok(&self.window[at..at + n])
    }
}
