//! Queued URLs on disk: segments, each with one run of URLs a queue, sorted by key.
//!
//! URLs leave a run from its front alone, so what is left of it is one [`BlockRef`] in its queue. Segments of like size
//! are merged, which bounds the runs of a queue, and one of which little is left is written again. Files are never deleted
//! here: the manifest may still name them.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::world::{Disk, ReadFile};

use crate::order::OrderKey;
use crate::packed::{Chunk, PackedReader, PackedWriter};
use crate::queue::{Loose, WorkQueue};
use crate::wire::{Put, Take};
use crate::{FrontierError, Result};

pub(crate) const SEGMENT_MAGIC: [u8; 8] = *b"BQQSEG01";
/// A chunk ends with the URL that fills it beyond this. Small, since a queue's turn often needs one URL of a chunk.
const CHUNK_BYTES: usize = 4096;
/// Read at once where one chunk is wanted: most chunks pack to less.
const RANDOM_READ_BYTES: usize = 3072;
/// Read at once in a merge.
const MERGE_READ_BYTES: usize = 256 << 10;
/// That many segments of like size are merged, so that a queue has about 16 blocks at most.
const SEGMENTS_MERGED: usize = 5;
/// Below that many URLs all sizes are alike.
const SMALL_SEGMENT_ITEMS: u64 = 16 << 10;

/// What is left of a queue's run in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockRef {
    /// Key of the first URL that is left.
    pub(crate) head: OrderKey,
    /// Where its chunk begins in the file.
    pub(crate) chunk_offset: u64,
    /// URLs left.
    pub(crate) count: u32,
    /// Slot of the segment.
    pub(crate) slot: u16,
    /// Where the URL begins in its unpacked chunk.
    pub(crate) in_chunk: u16,
}

/// A segment in use.
pub(crate) struct Segment {
    pub(crate) number: u64,
    pub(crate) path: PathBuf,
    pub(crate) file: Box<dyn ReadFile>,
    pub(crate) len: u64,
    /// URLs written.
    pub(crate) items: u64,
    /// URLs left.
    pub(crate) live: u64,
    pub(crate) synced: bool,
}

/// All segments in use. A slot is free again when its segment is used up.
pub(crate) struct Segments {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    pub(crate) slots: Vec<Option<Segment>>,
    pub(crate) next_number: u64,
    cache: ChunkCache,
}

/// The place of a URL: what [`BlockRef`] points to.
struct ItemAt<'a> {
    key: OrderKey,
    payload: &'a [u8],
    next: usize,
}

fn item_at(chunk: &Chunk, at: usize) -> Option<ItemAt<'_>> {
    let mut take = Take(chunk.raw.get(at..)?);
    let key = OrderKey(take.fixed_u64()?);
    let payload = take.bytes()?;
    Some(ItemAt { key, payload, next: chunk.raw.len() - take.0.len() })
}

impl Segments {
    pub(crate) fn new(disk: Arc<dyn Disk>, dir: PathBuf, cache_bytes: usize) -> Segments {
        Segments { disk, dir, slots: Vec::new(), next_number: 1, cache: ChunkCache::new(cache_bytes) }
    }

    /// Opens a saved segment in its slot.
    pub(crate) fn load(&mut self, slot: u16, number: u64, len: u64, items: u64, live: u64) -> Result<()> {
        let path = path_of(&self.dir, number);
        let file = self.disk.open_read(&path).map_err(FrontierError::disk("open", &path))?;
        if file.len() < len {
            return Err(FrontierError::corrupt(&path, "it is shorter than when it was written"));
        }
        let slot = usize::from(slot);
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, || None);
        }
        self.slots[slot] = Some(Segment { number, path, file, len, items, live, synced: true });
        Ok(())
    }

    /// Begins a new segment.
    pub(crate) fn create(&mut self) -> Result<SegmentWriter> {
        let used = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        let slot = u16::try_from(used).expect("merging keeps segments few");
        loop {
            let number = self.next_number;
            self.next_number += 1;
            match PackedWriter::create(&*self.disk, path_of(&self.dir, number), SEGMENT_MAGIC) {
                // Left over from a process that died: the manifest's owner deletes it.
                Err(FrontierError::Disk { source, .. })
                    if source.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(out) => {
                    return Ok(SegmentWriter { out, number, slot, raw: Vec::new(), items: 0, block: None });
                }
            }
        }
    }

    /// Takes a finished segment into use.
    pub(crate) fn adopt(&mut self, writer: SegmentWriter) -> Result<()> {
        let SegmentWriter { mut out, number, slot, raw, items, .. } = writer;
        if !raw.is_empty() {
            out.chunk(&raw)?;
        }
        let path = out.path.clone();
        let len = out.finish()?;
        let file = self.disk.open_read(&path).map_err(FrontierError::disk("open", &path))?;
        let segment = Segment { number, path, file, len, items, live: items, synced: false };
        let slot = usize::from(slot);
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, || None);
        }
        self.slots[slot] = (items > 0).then_some(segment);
        Ok(())
    }

    /// Takes the first URL of a block; a block with none left is to be removed.
    pub(crate) fn take(&mut self, block: &mut BlockRef) -> Result<Box<[u8]>> {
        let segment = self.slots[usize::from(block.slot)].as_mut().expect("blocks point to segments in use");
        let chunk = self.cache.get(segment, block.chunk_offset)?;
        let damaged = || FrontierError::corrupt(&segment.path, "a URL is not where it should be");
        let item = item_at(&chunk, block.in_chunk.into())
            .filter(|item| item.key == block.head)
            .ok_or_else(damaged)?;
        let payload = Box::from(item.payload);
        block.count -= 1;
        if block.count > 0 {
            if item.next < chunk.raw.len() {
                block.in_chunk = item.next as u16;
                block.head = item_at(&chunk, item.next).ok_or_else(damaged)?.key;
            } else {
                block.chunk_offset = chunk.next_offset;
                block.in_chunk = 0;
                block.head =
                    item_at(&*self.cache.get(segment, block.chunk_offset)?, 0).ok_or_else(damaged)?.key;
            }
        }
        segment.live -= 1;
        if segment.live == 0 {
            self.slots[usize::from(block.slot)] = None;
        }
        Ok(payload)
    }

    /// The first `n` URLs of a block, which stay.
    pub(crate) fn peek(&self, block: &BlockRef, n: usize) -> Result<Vec<Loose>> {
        let segment = self.slots[usize::from(block.slot)].as_ref().expect("blocks point to segments in use");
        let mut cursor = Cursor::new(RANDOM_READ_BYTES);
        let mut block = *block;
        let mut loose = Vec::new();
        while block.count > 0 && loose.len() < n {
            let key = block.head;
            let payload = cursor.take(segment, &mut block)?;
            loose.push(Loose { key, payload: payload.into() });
        }
        Ok(loose)
    }

    /// Merges segments of like size where there are many, and writes again those of which less than a quarter is left.
    pub(crate) fn tidy(&mut self, queues: &mut [WorkQueue]) -> Result<()> {
        loop {
            let merged = self.due_for_merge();
            if merged.is_empty() {
                return Ok(());
            }
            self.merge(&merged, queues)?;
        }
    }

    fn due_for_merge(&self) -> Vec<u16> {
        let mut tiers: HashMap<u32, Vec<u16>> = HashMap::new();
        let mut sparse = Vec::new();
        for (slot, segment) in self.slots.iter().enumerate() {
            let Some(segment) = segment else { continue };
            tiers.entry(tier(segment.live)).or_default().push(slot as u16);
            if segment.live * 4 < segment.items {
                sparse.push(slot as u16);
            }
        }
        let full = tiers
            .into_iter()
            .filter(|(_, slots)| slots.len() >= SEGMENTS_MERGED)
            .min_by_key(|(tier, _)| *tier);
        full.map_or(sparse, |(_, slots)| slots)
    }

    fn merge(&mut self, merged: &[u16], queues: &mut [WorkQueue]) -> Result<()> {
        let mut writer = self.create()?;
        let mut cursors: Vec<Cursor> = self.slots.iter().map(|_| Cursor::new(MERGE_READ_BYTES)).collect();
        let mut sources: Vec<BlockRef> = Vec::new();
        for queue in queues {
            sources.clear();
            queue.blocks.retain(|block| {
                let is_source = merged.contains(&block.slot);
                if is_source {
                    sources.push(*block);
                }
                !is_source
            });
            while let Some(index) = (0..sources.len()).min_by_key(|index| sources[*index].head) {
                let block = &mut sources[index];
                let slot = usize::from(block.slot);
                let segment = self.slots[slot].as_ref().expect("blocks point to segments in use");
                let key = block.head;
                let payload = cursors[slot].take(segment, block)?;
                writer.push(key, payload)?;
                if block.count == 0 {
                    sources.swap_remove(index);
                }
            }
            queue.add_block(writer.end_queue());
        }
        for slot in merged {
            self.slots[usize::from(*slot)] = None;
        }
        self.adopt(writer)
    }

    /// Makes all segments durable but for their folder, and names them.
    pub(crate) fn sync(&mut self) -> Result<Vec<(PathBuf, u64)>> {
        for segment in self.slots.iter_mut().flatten().filter(|segment| !segment.synced) {
            self.disk.sync_file(&segment.path).map_err(FrontierError::disk("sync", &segment.path))?;
            segment.synced = true;
        }
        Ok(self.slots.iter().flatten().map(|segment| (segment.path.clone(), segment.len)).collect())
    }
}

/// Segments of one tier are of like size.
fn tier(live: u64) -> u32 {
    (live / SMALL_SEGMENT_ITEMS).checked_ilog(SEGMENTS_MERGED as u64).map_or(0, |log| log + 1)
}

fn path_of(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("segment-{number:08}"))
}

/// Writes a segment, queue after queue in the order of their numbers.
pub(crate) struct SegmentWriter {
    out: PackedWriter,
    number: u64,
    slot: u16,
    raw: Vec<u8>,
    items: u64,
    block: Option<BlockRef>,
}

impl SegmentWriter {
    /// Adds a URL to the queue at hand; keys ascend.
    pub(crate) fn push(&mut self, key: OrderKey, payload: &[u8]) -> Result<()> {
        let block = self.block.get_or_insert_with(|| BlockRef {
            head: key,
            chunk_offset: self.out.offset(),
            count: 0,
            slot: self.slot,
            in_chunk: u16::try_from(self.raw.len()).expect("a chunk with so much ends"),
        });
        block.count += 1;
        self.items += 1;
        self.raw.extend_from_slice(&key.0.to_le_bytes());
        self.raw.put_bytes(payload);
        if self.raw.len() >= CHUNK_BYTES {
            self.out.chunk(&self.raw)?;
            self.raw.clear();
        }
        Ok(())
    }

    /// Ends the queue at hand; `None` if it had no URL.
    pub(crate) fn end_queue(&mut self) -> Option<BlockRef> {
        self.block.take()
    }
}

/// Walks through one segment front to back.
struct Cursor {
    reader: PackedReader,
    offset: u64,
    chunk: Chunk,
    /// The last payload: it may lie in a chunk that is gone.
    payload: Vec<u8>,
}

impl Cursor {
    fn new(ahead: usize) -> Cursor {
        Cursor { reader: PackedReader::new(ahead), offset: 0, chunk: Chunk::default(), payload: Vec::new() }
    }

    /// Takes the first URL of a block.
    fn take(&mut self, segment: &Segment, block: &mut BlockRef) -> Result<&[u8]> {
        let damaged = || FrontierError::corrupt(&segment.path, "a URL is not where it should be");
        self.load(segment, block.chunk_offset)?;
        let item = item_at(&self.chunk, block.in_chunk.into())
            .filter(|item| item.key == block.head)
            .ok_or_else(damaged)?;
        self.payload.clear();
        self.payload.extend_from_slice(item.payload);
        let next = item.next;
        block.count -= 1;
        if block.count > 0 {
            if next < self.chunk.raw.len() {
                block.in_chunk = next as u16;
            } else {
                block.chunk_offset = self.chunk.next_offset;
                block.in_chunk = 0;
                self.load(segment, block.chunk_offset)?;
            }
            block.head = item_at(&self.chunk, block.in_chunk.into()).ok_or_else(damaged)?.key;
        }
        Ok(&self.payload)
    }

    fn load(&mut self, segment: &Segment, offset: u64) -> Result<()> {
        // No chunk begins at 0: there is the magic.
        if self.offset != offset {
            self.chunk = self.reader.chunk(&*segment.file, &segment.path, segment.len, offset)?;
            self.offset = offset;
        }
        Ok(())
    }
}

/// Chunks unpacked lately; the oldest goes first.
struct ChunkCache {
    chunks: HashMap<(u64, u64), Arc<Chunk>>,
    order: VecDeque<(u64, u64)>,
    bytes: usize,
    bytes_max: usize,
    reader: PackedReader,
}

impl ChunkCache {
    fn new(bytes_max: usize) -> ChunkCache {
        ChunkCache {
            chunks: HashMap::new(),
            order: VecDeque::new(),
            bytes: 0,
            bytes_max,
            reader: PackedReader::new(RANDOM_READ_BYTES),
        }
    }

    fn get(&mut self, segment: &Segment, offset: u64) -> Result<Arc<Chunk>> {
        let name = (segment.number, offset);
        if let Some(chunk) = self.chunks.get(&name) {
            return Ok(chunk.clone());
        }
        // The window may hold bytes of another file.
        self.reader.forget();
        let chunk = Arc::new(self.reader.chunk(&*segment.file, &segment.path, segment.len, offset)?);
        self.bytes += chunk.raw.len();
        self.chunks.insert(name, chunk.clone());
        self.order.push_back(name);
        while self.bytes > self.bytes_max && self.order.len() > 1 {
            let oldest = self.order.pop_front().expect("more than one");
            self.bytes -= self.chunks.remove(&oldest).map_or(0, |chunk| chunk.raw.len());
        }
        Ok(chunk)
    }
}
