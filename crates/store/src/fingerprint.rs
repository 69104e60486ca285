//! Sorted runs of 64-bit fingerprints, for the sieve: written once front to back, then streamed.
//!
//! A file is a magic, blocks, an index with the first value and offset of each block, and a trailer. A block holds its
//! first value and then differences, each in as many bytes as the largest of the block needs: five for fifty million
//! to a billion random values, so that a merge moves five eighths of the bytes. Blocks and index carry a CRC-32C.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::world::Disk;

use crate::stream::{Reader, Writer, u32_at, u64_at};
use crate::{Error, Result};

/// Values in a full block.
pub const BLOCK_VALUES: usize = 8192;

const MAGIC: [u8; 8] = *b"BQFPRN01";
/// count u32, width u32, first u64, crc u32.
const BLOCK_HEAD_BYTES: usize = 20;
/// values u64, blocks u64, index offset u64, crc u32, magic.
const TRAILER_BYTES: usize = 36;

/// Writes a run of ascending fingerprints.
pub struct FingerprintRunWriter {
    out: Writer,
    path: PathBuf,
    block: Vec<u64>,
    last: Option<u64>,
    /// First value and offset of each block.
    index: Vec<(u64, u64)>,
    n_values: u64,
    scratch: Vec<u8>,
}

impl FingerprintRunWriter {
    /// Creates the file exclusively.
    ///
    /// # Errors
    /// When the name is taken or the disk fails.
    pub fn create(disk: &dyn Disk, path: &Path) -> Result<FingerprintRunWriter> {
        let mut out = Writer::create(disk, path)?;
        out.write(&MAGIC)?;
        Ok(FingerprintRunWriter {
            out,
            path: path.to_owned(),
            block: Vec::with_capacity(BLOCK_VALUES),
            last: None,
            index: Vec::new(),
            n_values: 0,
            scratch: Vec::new(),
        })
    }

    /// Adds a value.
    ///
    /// # Errors
    /// When the disk fails.
    ///
    /// # Panics
    /// If the value is not above the last one: the caller's merge would be broken.
    #[inline]
    pub fn push(&mut self, value: u64) -> Result<()> {
        assert!(
            self.last.is_none_or(|last| last < value),
            "fingerprints must ascend: {value} after {:?}",
            self.last
        );
        self.last = Some(value);
        self.block.push(value);
        if self.block.len() == BLOCK_VALUES { self.end_block() } else { Ok(()) }
    }

    /// Values so far.
    pub fn len(&self) -> u64 {
        self.n_values + self.block.len() as u64
    }

    /// True if nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the index, syncs the file and gives its length in bytes. Its folder is not synced.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn finish(mut self) -> Result<u64> {
        self.end_block()?;
        let index_offset = self.out.offset();
        let mut tail = Vec::with_capacity(self.index.len() * 16 + TRAILER_BYTES);
        for (first, offset) in &self.index {
            tail.extend_from_slice(&first.to_le_bytes());
            tail.extend_from_slice(&offset.to_le_bytes());
        }
        for number in [self.n_values, self.index.len() as u64, index_offset] {
            tail.extend_from_slice(&number.to_le_bytes());
        }
        let crc = crc32c::crc32c(&tail);
        tail.extend_from_slice(&crc.to_le_bytes());
        tail.extend_from_slice(&MAGIC);
        self.out.write(&tail)?;
        self.out.sync()?;
        Ok(self.out.offset())
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn end_block(&mut self) -> Result<()> {
        let Some(&first) = self.block.first() else { return Ok(()) };
        let widest = self.block.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(1);
        let width = (64 - widest.leading_zeros()).div_ceil(8) as usize;
        self.index.push((first, self.out.offset()));
        self.scratch.clear();
        self.scratch.extend_from_slice(&(self.block.len() as u32).to_le_bytes());
        self.scratch.extend_from_slice(&(width as u32).to_le_bytes());
        self.scratch.extend_from_slice(&first.to_le_bytes());
        self.scratch.extend_from_slice(&[0; 4]);
        for pair in self.block.windows(2) {
            self.scratch.extend_from_slice(&(pair[1] - pair[0]).to_le_bytes()[..width]);
        }
        let crc = block_crc(&self.scratch);
        self.scratch[16..20].copy_from_slice(&crc.to_le_bytes());
        self.out.write(&self.scratch)?;
        self.n_values += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }
}

/// Of the head without its checksum, and of the differences.
fn block_crc(block: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&block[..16]), &block[BLOCK_HEAD_BYTES..])
}

/// A finished run. Cheap to clone; holds two numbers a block in memory.
#[derive(Clone)]
pub struct FingerprintRun {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    index: Arc<[(u64, u64)]>,
    n_values: u64,
    index_offset: u64,
}

impl FingerprintRun {
    /// Opens a run and checks its index.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if it is no whole run.
    pub fn open(disk: Arc<dyn Disk>, path: &Path) -> Result<FingerprintRun> {
        let mut reader = Reader::open(&*disk, path)?;
        let len = reader.len();
        let torn = || Error::corrupt(path, len, "it ends too early or its trailer is broken");
        if len < (MAGIC.len() + TRAILER_BYTES) as u64 {
            return Err(torn());
        }
        reader.seek(len - TRAILER_BYTES as u64);
        let trailer = reader.peek(TRAILER_BYTES)?.to_vec();
        let (n_values, n_blocks, index_offset) =
            (u64_at(&trailer, 0), u64_at(&trailer, 8), u64_at(&trailer, 16));
        let index_bytes = n_blocks.checked_mul(16);
        let end =
            index_bytes.and_then(|bytes| bytes.checked_add(index_offset)?.checked_add(TRAILER_BYTES as u64));
        if end != Some(len) || trailer[28..] != MAGIC {
            return Err(torn());
        }
        reader.seek(index_offset);
        let bytes = reader.peek((n_blocks * 16) as usize + 24)?;
        if crc32c::crc32c(bytes) != u32_at(&trailer, 24) {
            return Err(Error::corrupt(path, index_offset, "the checksum of its index differs"));
        }
        let index = bytes[..bytes.len() - 24]
            .chunks_exact(16)
            .map(|pair| (u64_at(pair, 0), u64_at(pair, 8)))
            .collect();
        Ok(FingerprintRun { disk, path: path.to_owned(), index, n_values, index_offset })
    }

    /// Number of values.
    pub fn len(&self) -> u64 {
        self.n_values
    }

    /// True if it has no value.
    pub fn is_empty(&self) -> bool {
        self.n_values == 0
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Streams all values in order.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn iter(&self) -> Result<FingerprintIter> {
        let mut reader = Reader::open(&*self.disk, &self.path)?;
        reader.seek(MAGIC.len() as u64);
        Ok(FingerprintIter {
            reader,
            path: self.path.clone(),
            end: self.index_offset,
            block: Vec::new(),
            at: 0,
            left: self.n_values,
        })
    }

    /// Whether it holds a value: one disk read of a block.
    ///
    /// # Errors
    /// When the block cannot be read or is corrupt.
    pub fn contains(&self, value: u64) -> Result<bool> {
        let after = self.index.partition_point(|(first, _)| *first <= value);
        let Some(&(_, offset)) = after.checked_sub(1).and_then(|index| self.index.get(index)) else {
            return Ok(false);
        };
        let mut iter = self.iter()?;
        iter.reader.seek(offset);
        let block = iter.next_block()?;
        Ok(block.is_some_and(|values| values.binary_search(&value).is_ok()))
    }
}

/// Streams the values of a run. After an error it ends.
pub struct FingerprintIter {
    reader: Reader,
    path: PathBuf,
    end: u64,
    block: Vec<u64>,
    at: usize,
    left: u64,
}

impl FingerprintIter {
    /// The next block of values as a whole, what was not taken of the last one dropped: the fast way.
    ///
    /// # Errors
    /// [`Error::Corrupt`] on a broken block.
    pub fn next_block(&mut self) -> Result<Option<&[u64]>> {
        self.at = 0;
        self.block.clear();
        if self.reader.offset() >= self.end {
            return Ok(None);
        }
        self.read_block()?;
        Ok(Some(&self.block))
    }

    fn read_block(&mut self) -> Result<()> {
        let offset = self.reader.offset();
        let corrupt = |what| Error::corrupt(&self.path, offset, what);
        let limit = self.end - offset;
        if limit < BLOCK_HEAD_BYTES as u64 {
            return Err(corrupt("a block is cut off"));
        }
        let head = self.reader.peek(BLOCK_HEAD_BYTES)?;
        let (count, width, first, crc) =
            (u32_at(head, 0) as usize, u32_at(head, 4) as usize, u64_at(head, 8), u32_at(head, 16));
        if count == 0 || count > BLOCK_VALUES || width == 0 || width > 8 {
            return Err(corrupt("the head of a block is broken"));
        }
        let len = BLOCK_HEAD_BYTES + (count - 1) * width;
        if limit < len as u64 {
            return Err(corrupt("a block is cut off"));
        }
        let bytes = self.reader.peek(len)?;
        if block_crc(bytes) != crc {
            return Err(Error::corrupt(&self.path, offset, "the checksum of a block differs"));
        }
        let differences = &bytes[BLOCK_HEAD_BYTES..];
        self.block.reserve(count);
        self.block.push(first);
        // A width that the compiler knows makes the loop several times faster.
        match width {
            1 => unpack::<1>(first, differences, &mut self.block),
            2 => unpack::<2>(first, differences, &mut self.block),
            3 => unpack::<3>(first, differences, &mut self.block),
            4 => unpack::<4>(first, differences, &mut self.block),
            5 => unpack::<5>(first, differences, &mut self.block),
            6 => unpack::<6>(first, differences, &mut self.block),
            7 => unpack::<7>(first, differences, &mut self.block),
            _ => unpack::<8>(first, differences, &mut self.block),
        }
        self.reader.skip(len);
        Ok(())
    }

    #[cold]
    fn refill(&mut self) -> Result<bool> {
        Ok(self.next_block()?.is_some())
    }
}

fn unpack<const WIDTH: usize>(first: u64, differences: &[u8], values: &mut Vec<u64>) {
    let mut value = first;
    values.extend(differences.chunks_exact(WIDTH).map(|bytes| {
        let mut wide = [0; 8];
        wide[..WIDTH].copy_from_slice(bytes);
        value = value.wrapping_add(u64::from_le_bytes(wide));
        value
    }));
}

impl Iterator for FingerprintIter {
    type Item = Result<u64>;

    #[inline]
    fn next(&mut self) -> Option<Result<u64>> {
        if self.at == self.block.len() {
            match self.refill() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.reader.seek(self.end);
                    self.block.clear();
                    return Some(Err(error));
                }
            }
        }
        let value = self.block[self.at];
        self.at += 1;
        self.left = self.left.saturating_sub(1);
        Some(Ok(value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testweb::disk::SimDisk;

    fn check(values: &[u64]) {
        let disk = Arc::new(SimDisk::new(1));
        disk.create_dir_all(Path::new("/r")).unwrap();
        let path = Path::new("/r/a.fp");
        let mut writer = FingerprintRunWriter::create(&*disk, path).unwrap();
        values.iter().for_each(|value| writer.push(*value).unwrap());
        let len = writer.finish().unwrap();
        assert_eq!(disk.len_of(path).unwrap(), Some(len));
        let run = FingerprintRun::open(disk.clone(), path).unwrap();
        let read: Vec<u64> = run.iter().unwrap().map(Result::unwrap).collect();
        assert_eq!(read, values);
        for value in values.iter().step_by(1 + values.len() / 50) {
            assert!(run.contains(*value).unwrap());
            assert_eq!(run.contains(value.wrapping_add(1)).unwrap(), values.contains(&value.wrapping_add(1)));
        }
    }

    #[test]
    fn reads_back() {
        check(&[]);
        check(&[0]);
        check(&[u64::MAX]);
        check(&[0, 1, u64::MAX]);
        check(&(0..BLOCK_VALUES as u64).collect::<Vec<_>>());
        check(&(0..3 * BLOCK_VALUES as u64 + 5).map(|n| n * 1_000_003).collect::<Vec<_>>());
        let mut random = fastrand::Rng::with_seed(7);
        for bits in [8, 16, 24, 40, 48, 63, 64] {
            let values: std::collections::BTreeSet<u64> =
                (0..20_000).map(|_| random.u64(..) >> (64 - bits)).collect();
            check(&values.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn any_flipped_byte_is_found() {
        let disk = Arc::new(SimDisk::new(1));
        disk.create_dir_all(Path::new("/r")).unwrap();
        let path = Path::new("/r/a.fp");
        let mut writer = FingerprintRunWriter::create(&*disk, path).unwrap();
        (0..50).for_each(|n| writer.push(n * n * 77).unwrap());
        writer.finish().unwrap();
        let whole = disk.read(path).unwrap();
        // The magic at the front is only for people's eyes.
        for (at, byte) in whole.iter().enumerate().skip(MAGIC.len()) {
            disk.corrupt(path, at as u64, &[byte ^ 0x41]).unwrap();
            let read = FingerprintRun::open(disk.clone(), path)
                .and_then(|run| run.iter()?.collect::<Result<Vec<_>>>());
            assert!(matches!(read, Err(Error::Corrupt { .. })), "byte {at}");
            disk.corrupt(path, at as u64, &[*byte]).unwrap();
        }
    }

    #[test]
    #[should_panic(expected = "must ascend")]
    fn refuses_a_value_twice() {
        let disk = SimDisk::new(1);
        let mut writer = FingerprintRunWriter::create(&disk, Path::new("a")).unwrap();
        writer.push(1).unwrap();
        writer.push(1).unwrap();
    }
}
