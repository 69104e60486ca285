//! All queues by number and by name.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use crate::queue::WorkQueue;

/// All queues. A queue keeps its number for the life of the job.
#[derive(Debug, Default)]
pub(crate) struct QueueTable {
    pub(crate) queues: Vec<WorkQueue>,
    by_name: HashTable<u32>,
    /// Keyed by chance, since host names come from outside; it decides no order.
    hasher: RandomState,
}

impl QueueTable {
    pub(crate) fn id(&self, name: &str) -> Option<u32> {
        let queues = &self.queues;
        self.by_name.find(self.hasher.hash_one(name), |id| &*queues[*id as usize].key == name).copied()
    }

    /// Adds a queue whose name is not taken.
    pub(crate) fn add(&mut self, queue: WorkQueue) -> u32 {
        let id = u32::try_from(self.queues.len()).expect("fewer than 2^32 queues");
        let hash = self.hasher.hash_one(&*queue.key);
        self.queues.push(queue);
        let (queues, hasher) = (&self.queues, &self.hasher);
        self.by_name.insert_unique(hash, id, |id| hasher.hash_one(&*queues[*id as usize].key));
        id
    }

    pub(crate) fn get(&mut self, id: u32) -> &mut WorkQueue {
        &mut self.queues[id as usize]
    }
}
