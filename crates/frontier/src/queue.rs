//! A work queue: the URLs of one host (by whatever policy gave them the same key) in the order in which they go.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use model::MonoMs;

use crate::order::OrderKey;
use crate::segment::BlockRef;

/// A queued URL held in memory.
#[derive(Debug)]
pub(crate) struct Loose {
    pub(crate) key: OrderKey,
    /// As [`crate::stored`] writes it.
    pub(crate) payload: Box<[u8]>,
}

/// What a queued URL in memory takes besides its payload: key, pointers, and what the allocator adds.
pub(crate) const LOOSE_BYTES: usize = 40;

impl Loose {
    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.payload.len() + LOOSE_BYTES
    }
}

impl PartialEq for Loose {
    fn eq(&self, other: &Loose) -> bool {
        self.key == other.key
    }
}

impl Eq for Loose {}

impl PartialOrd for Loose {
    fn partial_cmp(&self, other: &Loose) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Loose {
    /// Turned round, so that the least key is on top of a heap.
    fn cmp(&self, other: &Loose) -> Ordering {
        other.key.cmp(&self.key)
    }
}

/// Where a queue stands in the rotation (Heritrix's queue states).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Place {
    /// In no list: its URLs are all in flight or it waits for a `Done`.
    Busy,
    /// May give a URL now.
    Ready,
    /// Waits for its time.
    Snoozed,
    /// Waits until an active queue makes room.
    Inactive,
    /// Has no URL.
    #[default]
    Exhausted,
}

/// A work queue. Kept small: there may be a million of them.
#[derive(Debug, Default)]
pub(crate) struct WorkQueue {
    pub(crate) key: Box<str>,
    /// URLs in memory.
    pub(crate) memory: BinaryHeap<Loose>,
    /// URLs in segments; the head of each block is known.
    pub(crate) blocks: Vec<BlockRef>,
    /// Not to be handed out before.
    pub(crate) wake: MonoMs,
    /// Spent since the job began.
    pub(crate) total_spent: u64,
    /// Spent since the queue became active.
    pub(crate) session_spent: u32,
    /// URLs in memory and blocks, without those done ahead of their turn.
    pub(crate) queued: u32,
    /// Counts moves in the rotation: an entry of a list with another stamp is stale.
    pub(crate) stamp: u32,
    /// The last wait in milliseconds: what a resume waits again.
    pub(crate) wait_ms: u32,
    /// Requests going on.
    pub(crate) in_flight: u32,
    /// `Done`s to be applied before the queue may go on.
    pub(crate) holds: u16,
    /// Answers in a row that asked to slow down.
    pub(crate) slow_downs: u8,
    pub(crate) place: Place,
    pub(crate) retired: bool,
    /// Existed when the job was resumed: has to wait its full delay once.
    pub(crate) held: bool,
}

/// Where the least URL of a queue lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadAt {
    Memory,
    Block(usize),
}

impl WorkQueue {
    /// Adds a block, if there is one. Room is kept tight: a million queues with five blocks each have no bytes to waste.
    pub(crate) fn add_block(&mut self, block: Option<BlockRef>) {
        let Some(block) = block else { return };
        if self.blocks.len() == self.blocks.capacity() {
            self.blocks.reserve_exact(2);
        } else if self.blocks.capacity() > self.blocks.len() + 4 {
            self.blocks.shrink_to(self.blocks.len() + 2);
        }
        self.blocks.push(block);
    }

    /// The least key and its place; `None` if there is nothing.
    pub(crate) fn head(&self) -> Option<(OrderKey, HeadAt)> {
        let memory = self.memory.peek().map(|loose| (loose.key, HeadAt::Memory));
        let block = self.blocks.iter().enumerate().map(|(index, block)| (block.head, HeadAt::Block(index)));
        block.chain(memory).min_by_key(|(key, _)| *key)
    }
}
