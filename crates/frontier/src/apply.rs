//! What a committed entry changes.

use model::entry::{Admit, Done, Entry, QueueControl};
use model::{FetchOutcome, Hop, Ordinal};

use crate::frontier::{InFlight, retry_ms};
use crate::order::OrderKey;
use crate::queue::Place;
use crate::stored;
use crate::wire::Put;
use crate::{FetchEnd, Frontier, FrontierError, Result};

impl Frontier {
    /// Applies one committed entry; entries that do not concern the frontier change nothing. `novel` is told each URL
    /// that enters a queue for the first time (a forced one each time), in the order of ordinals.
    ///
    /// # Errors
    /// When the disk fails at a flush, or the entry contradicts the state.
    pub fn apply(
        &mut self,
        sequence: u64,
        entry: Entry,
        novel: &mut dyn FnMut(Ordinal, &Admit),
    ) -> Result<()> {
        match entry {
            Entry::Admit(admit) => self.admit(Ordinal(sequence), &admit, novel),
            Entry::Flush { through } => self.flush(through, novel),
            Entry::Done(done) => self.done(sequence, &done),
            Entry::QueueControl { queue_key, control } => self.control(&queue_key, control),
            // Whoever replays finds the admit in the journal and calls `requeue`.
            Entry::Lost { .. } => Ok(()),
            Entry::Launch { .. }
            | Entry::Config { .. }
            | Entry::ScopeChange { .. }
            | Entry::Action { .. } => Ok(()),
        }
    }

    /// Queues an item again whose capture was lost. To be called for an [`Entry::Lost`] with the item's own admit, which
    /// only the journal still holds. Nothing changes if the item is queued or in flight.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn requeue(&mut self, ordinal: Ordinal, admit: &Admit) -> Result<()> {
        let key = OrderKey::new(admit.candidate.directive, admit.precedence, ordinal);
        if self.in_flight.contains_key(&ordinal) {
            return Ok(());
        }
        self.counts.finished = self.counts.finished.saturating_sub(1);
        self.attempts.remove(&ordinal);
        // If the finished item still lies in its queue, it only has to be skipped no longer.
        let queue = self.queue_id(&admit.queue_key);
        if self.ahead.remove(&ordinal) {
            self.table.get(queue).queued += 1;
            self.count_queued(queue, 1);
            self.settle(queue);
            return Ok(());
        }
        self.enqueue_admit(queue, key, admit);
        Ok(())
    }

    fn admit(
        &mut self,
        ordinal: Ordinal,
        admit: &Admit,
        novel: &mut dyn FnMut(Ordinal, &Admit),
    ) -> Result<()> {
        let key = OrderKey::new(admit.candidate.directive, admit.precedence, ordinal);
        self.recent.insert(admit.fingerprint.0);
        if self.sieve.len() == 0 {
            self.offers_since = self.clock;
        }
        if !(admit.bypass || admit.candidate.force_fetch) {
            let rule = self.rules.number(&admit.rule);
            self.sieve.offer(admit.fingerprint, key, |into| {
                into.put_str(&admit.queue_key);
                stored::put(admit, rule, into);
            });
            return Ok(());
        }
        if self.is_needless(ordinal, admit)? {
            return Ok(());
        }
        self.sieve.enter(admit.fingerprint, key);
        let queue = self.queue_id(&admit.queue_key);
        self.counts.discovered += 1;
        self.enqueue_admit(queue, key, admit);
        novel(ordinal, admit);
        if self.memory_bytes > self.options.queue_memory_bytes { self.spill(&mut []) } else { Ok(()) }
    }

    /// True for a URL that bypasses the buffer but need not be queued: a prerequisite that is on its way, a seed that is
    /// known.
    fn is_needless(&mut self, ordinal: Ordinal, admit: &Admit) -> Result<bool> {
        if admit.candidate.last_hop() == Some(Hop::Prerequisite) {
            if self.prerequisites.contains_key(&admit.fingerprint) {
                return Ok(true);
            }
            self.prerequisites.insert(admit.fingerprint, ordinal);
            self.prerequisites_by_ordinal.insert(ordinal, admit.fingerprint);
            return Ok(false);
        }
        Ok(!admit.candidate.force_fetch && self.sieve.is_queued(admit.fingerprint)?)
    }

    fn done(&mut self, sequence: u64, done: &Done) -> Result<()> {
        let ordinal = done.ordinal;
        match done.outcome {
            FetchOutcome::Finished => {
                self.attempts.remove(&ordinal);
                self.counts.finished += 1;
                if let Some(fingerprint) = self.prerequisites_by_ordinal.remove(&ordinal) {
                    self.prerequisites.remove(&fingerprint);
                }
            }
            FetchOutcome::Retry { .. } | FetchOutcome::Deferred => {
                self.attempts.insert(ordinal, done.attempt);
            }
        }
        let id = match self.in_flight.remove(&ordinal) {
            Some(item) => self.done_in_flight(item, done),
            None => self.done_replayed(sequence, done)?,
        };
        self.charge(id, done);
        Ok(())
    }

    fn done_in_flight(&mut self, mut item: InFlight, done: &Done) -> u32 {
        let id = item.queue;
        let queue = self.table.get(id);
        if !item.ended {
            queue.in_flight -= 1;
            item.ended = true;
        }
        if done.outcome == FetchOutcome::Finished {
            queue.holds -= u16::from(item.holds);
            self.settle(id);
        } else {
            self.land(item);
        }
        id
    }

    /// A `Done` of an earlier process: the item still lies in its queue, and the queue had its turn.
    fn done_replayed(&mut self, sequence: u64, done: &Done) -> Result<u32> {
        let unknown = FrontierError::Entry { sequence, reason: "done with an item of an unknown queue" };
        let id = self.table.id(&done.queue_key).ok_or(unknown)?;
        self.replaying = true;
        let duration_ms = done.log.started.map_or(0, |(_, duration_ms)| duration_ms);
        let end = FetchEnd { duration_ms, tried_network: done.log.started.is_some(), ..FetchEnd::default() };
        let wait_ms = self.options.politeness.delay_ms(&end, 0).max(retry_ms(done.outcome));
        let queue = self.table.get(id);
        queue.wait_ms = queue.wait_ms.max(u32::try_from(wait_ms).unwrap_or(u32::MAX));
        if done.outcome == FetchOutcome::Finished {
            if queue.queued == 0 || !self.ahead.insert(done.ordinal) {
                return Err(FrontierError::Entry {
                    sequence,
                    reason: "done with an item that is not queued",
                });
            }
            queue.queued -= 1;
            self.count_queued(id, -1);
        }
        let queue = self.table.get(id);
        if queue.place == Place::Inactive {
            queue.session_spent = 0;
        }
        if !queue.retired {
            self.rotation.put(id, queue, Place::Busy);
            self.settle(id);
        }
        Ok(id)
    }

    /// Charges a queue for an attempt (Heritrix: a deferral is free, a failure costs more, a refused URL nothing).
    fn charge(&mut self, id: u32, done: &Done) {
        if done.outcome == FetchOutcome::Deferred {
            return;
        }
        let status = done.log.status;
        let is_failure = !status.is_success() && !status.is_disregarded();
        let penalty = if is_failure { self.options.error_penalty } else { 0 };
        let cost = if status.is_disregarded() { 0 } else { u32::from(done.cost) + penalty };
        let queue = self.table.get(id);
        queue.session_spent = queue.session_spent.saturating_add(cost);
        queue.total_spent += u64::from(cost);
        if self.options.queue_total_budget.is_some_and(|budget| queue.total_spent >= budget) {
            self.retire(id);
        }
    }

    fn control(&mut self, queue_key: &str, control: QueueControl) -> Result<()> {
        let id = self.queue_id(queue_key);
        match control {
            QueueControl::Retire => self.retire(id),
            QueueControl::Unretire => self.unretire(id),
        }
        Ok(())
    }

    fn retire(&mut self, id: u32) {
        let queue = self.table.get(id);
        if queue.retired {
            return;
        }
        let queued = i64::from(queue.queued);
        self.count_queued(id, -queued);
        self.rotation.put(id, self.table.get(id), Place::Busy);
        self.table.get(id).retired = true;
        self.counts.queues.retired += 1;
        self.count_queued(id, queued);
    }

    fn unretire(&mut self, id: u32) {
        let queue = self.table.get(id);
        if !queue.retired {
            return;
        }
        let queued = i64::from(queue.queued);
        self.count_queued(id, -queued);
        self.table.get(id).retired = false;
        self.counts.queues.retired -= 1;
        self.count_queued(id, queued);
        self.rotation.put(id, self.table.get(id), Place::Exhausted);
        self.settle(id);
    }
}
