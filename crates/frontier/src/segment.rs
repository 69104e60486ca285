//! Queued URLs on disk.

use crate::order::OrderKey;

/// What is left of a queue's part of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockRef {
    /// Key of the first URL that is left.
    pub(crate) head: OrderKey,
    /// Where its chunk begins in the file.
    pub(crate) chunk_offset: u64,
    /// URLs left.
    pub(crate) count: u32,
    /// Number of the segment among those in use.
    pub(crate) segment: u16,
    /// Where the URL begins in its unpacked chunk.
    pub(crate) in_chunk: u16,
}
