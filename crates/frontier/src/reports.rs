//! What reports and `explain` ask.

use crate::order::OrderKey;
use crate::queue::{Loose, Place, WorkQueue};
use crate::status::{FrontierCounts, QueueCounts, QueueState, QueueStatus, QueuedUrl};
use crate::stored;
use crate::{Frontier, Result};

impl Frontier {
    /// Sums over the frontier. Costs nothing.
    pub fn counts(&self) -> FrontierCounts {
        let rotation = &self.rotation;
        let retired = self.counts.queues.retired;
        let others = rotation.n_ready + rotation.n_snoozed + rotation.n_inactive + rotation.n_exhausted;
        FrontierCounts {
            pending: self.sieve.n_waiting() as u64,
            in_flight: self.in_flight.len() as u64,
            queues: QueueCounts {
                ready: rotation.n_ready as u64,
                busy: self.table.queues.len() as u64 - others as u64 - retired,
                snoozed: rotation.n_snoozed as u64,
                inactive: rotation.n_inactive as u64,
                exhausted: rotation.n_exhausted as u64,
                retired,
            },
            ..self.counts
        }
    }

    /// Where a queue stands; `None` if there is no queue of that name.
    pub fn queue_of(&self, key: &str) -> Option<QueueStatus> {
        Some(self.status_of(&self.table.queues[self.table.id(key)? as usize]))
    }

    /// All queues in the order in which they came to be.
    pub fn queues(&self) -> impl Iterator<Item = QueueStatus> + '_ {
        self.table.queues.iter().map(|queue| self.status_of(queue))
    }

    fn status_of(&self, queue: &WorkQueue) -> QueueStatus {
        let state = match queue.place {
            _ if queue.retired => QueueState::Retired,
            Place::Busy => QueueState::Busy,
            Place::Ready => QueueState::Ready,
            Place::Snoozed => QueueState::Snoozed,
            Place::Inactive => QueueState::Inactive,
            Place::Exhausted => QueueState::Exhausted,
        };
        QueueStatus {
            key: queue.key.to_string(),
            state,
            queued: u64::from(queue.queued),
            in_flight: queue.in_flight,
            wake: queue.wake,
            wait_ms: u64::from(queue.wait_ms),
            session_spent: u64::from(queue.session_spent),
            total_spent: queue.total_spent,
            slow_downs: u32::from(queue.slow_downs),
        }
    }

    /// The next `n` URLs of a queue in their order; empty if there is no queue of that name. Reads the disk.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn peek(&self, key: &str, n: usize) -> Result<Vec<QueuedUrl>> {
        let Some(id) = self.table.id(key) else {
            return Ok(Vec::new());
        };
        let queue = &self.table.queues[id as usize];
        let mut keys: Vec<OrderKey> = queue.memory.iter().map(|loose| loose.key).collect();
        let mut urls: Vec<QueuedUrl> = Vec::new();
        // What is done ahead of its turn is skipped; it may stand before all else.
        let n_read = n.saturating_add(self.ahead.len());
        let from_memory = |loose: &Loose| self.queued_url(loose);
        if keys.len() > n_read {
            keys.select_nth_unstable(n_read);
            keys.truncate(n_read);
        }
        let last = keys.iter().max().copied();
        let memory = queue.memory.iter().filter(|loose| Some(loose.key) <= last);
        urls.extend(memory.filter_map(from_memory));
        for block in &queue.blocks {
            urls.extend(self.segments.peek(block, n_read)?.iter().filter_map(from_memory));
        }
        urls.sort_unstable_by_key(|url| OrderKey::new(url.directive, url.precedence, url.ordinal));
        urls.truncate(n);
        Ok(urls)
    }

    /// `None` for what is done ahead of its turn.
    fn queued_url(&self, loose: &Loose) -> Option<QueuedUrl> {
        let ordinal = loose.key.ordinal();
        if self.ahead.contains(&ordinal) {
            return None;
        }
        Some(QueuedUrl {
            ordinal,
            url: stored::take(&loose.payload, loose.key)?.candidate.url,
            directive: loose.key.directive(),
            precedence: loose.key.precedence(),
            attempts: self.attempts.get(&ordinal).copied().unwrap_or(0),
        })
    }
}
