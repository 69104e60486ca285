//! The state machine: URLs out, ends of fetches in. What entries change stands in `apply` and `flush`.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use model::entry::Admit;
use model::planted::{Bug, is_planted};
use model::world::Disk;
use model::{FetchItem, FetchOutcome, Fingerprint, History, Hop, MonoMs, Ordinal};

use crate::known::Known;
use crate::order::OrderKey;
use crate::queue::{HeadAt, Loose, Place, WorkQueue};
use crate::recent::Recent;
use crate::rotation::Rotation;
use crate::rules::Rules;
use crate::segment::Segments;
use crate::sieve::Sieve;
use crate::status::{Admitted, FrontierCounts, Next, Saved};
use crate::stored;
use crate::table::QueueTable;
use crate::{FetchEnd, FrontierError, FrontierOptions, Result};

/// Which URL next, and when.
///
/// State follows from the applied entries; what is handed out and how fetches end ([`Frontier::next`],
/// [`Frontier::finished`], [`Frontier::returned`]) only says which of the queued URLs are on their way. So a frontier that
/// is opened from a save and given the later entries holds the same queues as one that never stopped.
pub struct Frontier {
    pub(crate) options: FrontierOptions,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) dir: PathBuf,
    pub(crate) sieve: Sieve,
    pub(crate) recent: Recent,
    pub(crate) rules: Rules,
    pub(crate) table: QueueTable,
    pub(crate) rotation: Rotation,
    pub(crate) in_flight: HashMap<Ordinal, InFlight>,
    /// Attempts at items that are not finished.
    pub(crate) attempts: HashMap<Ordinal, u32>,
    /// Items that a replayed `Done` finished while they still lie in their queue; skipped when they come up.
    pub(crate) ahead: HashSet<Ordinal>,
    /// Prerequisites on their way, so that a second page that waits for the same one does not queue it again.
    pub(crate) prerequisites: HashMap<Fingerprint, Ordinal>,
    pub(crate) prerequisites_by_ordinal: HashMap<Ordinal, Fingerprint>,
    pub(crate) counts: FrontierCounts,
    /// The latest time that was told.
    pub(crate) clock: MonoMs,
    /// When the oldest offer in the sieve came.
    pub(crate) offers_since: MonoMs,
    /// Entries were replayed and no URL was asked for since.
    pub(crate) replaying: bool,
    /// When the job was resumed.
    pub(crate) resumed_at: MonoMs,
    /// Queued URLs on disk.
    pub(crate) segments: Segments,
    /// Bytes of queued URLs in memory.
    pub(crate) memory_bytes: usize,
    pub(crate) next_table: u64,
    /// Items handed out by this process.
    pub(crate) turns: u64,
}

/// An item that was handed out.
pub(crate) struct InFlight {
    /// Counts what is handed out.
    pub(crate) turn: u64,
    pub(crate) queue: u32,
    pub(crate) key: OrderKey,
    pub(crate) payload: Box<[u8]>,
    pub(crate) rule: u32,
    pub(crate) cost: u8,
    /// [`Frontier::finished`] was called.
    pub(crate) ended: bool,
    /// Counted in the queue's holds: a prerequisite, or deferred. Its queue stands still until its `Done` is applied.
    pub(crate) holds: bool,
}

impl Frontier {
    /// Opens a frontier in a folder of its own: an empty one without `section`, else the one that was saved with it.
    /// After a resume call [`Frontier::resumed`] when the later entries are applied.
    ///
    /// # Errors
    /// When a named file is missing or damaged; `repair` must then rebuild it from the whole journal.
    pub fn open(
        options: FrontierOptions,
        disk: Arc<dyn Disk>,
        dir: PathBuf,
        section: Option<&[u8]>,
        now: MonoMs,
    ) -> Result<Frontier> {
        disk.create_dir_all(&dir).map_err(FrontierError::disk("create", &dir))?;
        let recent = Recent::new(options.recent_entries);
        let segments = Segments::new(disk.clone(), dir.clone(), options.chunk_cache_bytes);
        let sieve = Sieve::new(Known::new(disk.clone(), dir.clone()));
        let mut frontier = Frontier {
            options,
            disk,
            dir,
            sieve,
            recent,
            rules: Rules::default(),
            table: QueueTable::default(),
            rotation: Rotation::default(),
            in_flight: HashMap::new(),
            attempts: HashMap::new(),
            ahead: HashSet::new(),
            prerequisites: HashMap::new(),
            prerequisites_by_ordinal: HashMap::new(),
            counts: FrontierCounts::default(),
            clock: now,
            offers_since: now,
            replaying: section.is_some(),
            resumed_at: now,
            segments,
            memory_bytes: 0,
            next_table: 1,
            turns: 0,
        };
        if let Some(section) = section {
            frontier.load(section)?;
        }
        Ok(frontier)
    }

    /// Every queue waits its full delay from `now` (DURABILITY.md, rule 15). To be called once after a replay.
    pub fn resumed(&mut self, now: MonoMs) {
        self.replaying = false;
        self.clock = self.clock.max(now);
        self.resumed_at = now;
        for queue in &mut self.table.queues {
            queue.held = !is_planted(Bug::DelayForgotten);
        }
    }

    /// The next URL, or when to ask again.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn next(&mut self, now: MonoMs) -> Result<Next> {
        if self.replaying {
            self.resumed(now);
        }
        self.clock = self.clock.max(now);
        self.rotation.wake(&mut self.table.queues, now);
        while let Some(id) = self.next_queue() {
            if let Some(item) = self.hand_out(id, now)? {
                return Ok(Next::Item(item));
            }
        }
        if let Some(wake) = self.rotation.next_wake(&self.table.queues) {
            return Ok(Next::WaitUntil(wake));
        }
        let is_empty = self.counts.queued == 0 && self.sieve.n_waiting() == 0 && self.in_flight.is_empty();
        Ok(if is_empty { Next::Empty } else { Next::Wait })
    }

    /// A ready queue; if there is none, an inactive one becomes active.
    fn next_queue(&mut self) -> Option<u32> {
        if let Some(id) = self.rotation.next_ready(&self.table.queues) {
            return Some(id);
        }
        let id = self.rotation.next_inactive(&self.table.queues)?;
        self.table.get(id).session_spent = 0;
        Some(id)
    }

    /// The queue's least item; `None` if the queue has to wait, and was put where it belongs.
    fn hand_out(&mut self, id: u32, now: MonoMs) -> Result<Option<FetchItem>> {
        let resumed_at = self.resumed_at;
        let queue = self.table.get(id);
        if queue.held {
            queue.held = false;
            queue.wake = queue.wake.max(resumed_at + self.options.resume_wait_ms(queue.wait_ms));
        }
        if queue.wake > now {
            self.rotation.put(id, queue, Place::Snoozed);
            return Ok(None);
        }
        let Some((key, payload)) = self.pop(id)? else {
            self.rotation.put(id, self.table.get(id), Place::Exhausted);
            return Ok(None);
        };
        let item = self.take_off(id, key, payload)?;
        self.rotation.put(id, self.table.get(id), Place::Busy);
        self.settle(id);
        Ok(Some(item))
    }

    /// Takes the least item out of a queue, those done ahead of their turn skipped.
    pub(crate) fn pop(&mut self, id: u32) -> Result<Option<(OrderKey, Box<[u8]>)>> {
        loop {
            let queue = self.table.get(id);
            let Some((key, at)) = queue.head() else {
                return Ok(None);
            };
            let payload = match at {
                HeadAt::Memory => {
                    let loose = queue.memory.pop().expect("it is the head");
                    self.memory_bytes -= loose.bytes();
                    loose.payload
                }
                HeadAt::Block(index) => {
                    let payload = self.segments.take(&mut queue.blocks[index])?;
                    if queue.blocks[index].count == 0 {
                        queue.blocks.swap_remove(index);
                    }
                    payload
                }
            };
            if self.ahead.remove(&key.ordinal()) {
                continue;
            }
            queue.queued -= 1;
            self.count_queued(id, -1);
            return Ok(Some((key, payload)));
        }
    }

    /// Makes a queued item one in flight.
    fn take_off(&mut self, id: u32, key: OrderKey, payload: Box<[u8]>) -> Result<FetchItem> {
        let ordinal = key.ordinal();
        let Some(stored) = stored::take(&payload, key) else {
            return Err(FrontierError::corrupt(&self.dir, "a queued URL cannot be read"));
        };
        let prerequisite = stored.candidate.last_hop() == Some(Hop::Prerequisite);
        let queue = self.table.get(id);
        queue.in_flight += 1;
        queue.holds += u16::from(prerequisite);
        let item = FetchItem {
            ordinal,
            candidate: stored.candidate,
            queue_key: queue.key.to_string(),
            attempt: self.attempts.get(&ordinal).copied().unwrap_or(0) + 1,
            history: History::default(),
        };
        self.turns += 1;
        let in_flight = InFlight {
            turn: self.turns,
            queue: id,
            key,
            payload,
            rule: stored.rule,
            cost: stored.cost,
            ended: false,
            holds: prerequisite,
        };
        self.in_flight.insert(ordinal, in_flight);
        Ok(item)
    }

    /// A fetch has ended: the queue's wait begins. The item itself leaves only when its `Done` is applied.
    pub fn finished(&mut self, ordinal: Ordinal, end: &FetchEnd, now: MonoMs) {
        self.clock = self.clock.max(now);
        let Some(item) = self.in_flight.get_mut(&ordinal).filter(|item| !item.ended) else {
            return;
        };
        item.ended = true;
        let queue = self.table.get(item.queue);
        queue.in_flight -= 1;
        if end.outcome == FetchOutcome::Deferred && !item.holds {
            // The prerequisite goes first, and it comes with the `Done`.
            item.holds = true;
            queue.holds += 1;
        }
        if end.slow_down {
            queue.slow_downs = queue.slow_downs.saturating_add(1);
        } else if end.tried_network {
            queue.slow_downs = 0;
        }
        let polite_ms = self.options.politeness.delay_ms(end, u32::from(queue.slow_downs));
        let wait_ms = polite_ms.max(retry_ms(end.outcome));
        if now + wait_ms >= queue.wake {
            queue.wake = now + wait_ms;
            if end.tried_network || wait_ms > 0 {
                queue.wait_ms = u32::try_from(wait_ms).unwrap_or(u32::MAX);
            }
        }
        let id = item.queue;
        self.settle(id);
    }

    /// The item was not tried, e.g. because its address has its full number of requests: back into its queue, which
    /// waits until `again_at`. The attempt does not count.
    pub fn returned(&mut self, ordinal: Ordinal, again_at: MonoMs) {
        let Some(item) = self.in_flight.remove(&ordinal) else {
            return;
        };
        let queue = self.table.get(item.queue);
        queue.wake = queue.wake.max(again_at);
        self.land(item);
    }

    /// robots.txt of a queue's host asks for a Crawl-delay: so a resume waits that long, too. For use in a replay, where
    /// no [`Frontier::finished`] tells it.
    pub fn crawl_delay_known(&mut self, queue_key: &str, crawl_delay_s: f64) {
        let least_ms = self.options.politeness.least_ms(Some(crawl_delay_s));
        if let Some(id) = self.table.id(queue_key) {
            let queue = self.table.get(id);
            queue.wait_ms = queue.wait_ms.max(u32::try_from(least_ms).unwrap_or(u32::MAX));
        }
    }

    /// What a `Done` must know of an item in flight besides its candidate; `None` if it is not in flight.
    pub fn admitted(&self, ordinal: Ordinal) -> Option<Admitted> {
        let item = self.in_flight.get(&ordinal)?;
        Some(Admitted { rule: self.rules.name(item.rule)?.clone(), cost: item.cost })
    }

    /// Items in flight, in the order of their ordinals.
    pub fn in_flight(&self) -> Vec<Ordinal> {
        let mut ordinals: Vec<Ordinal> = self.in_flight.keys().copied().collect();
        ordinals.sort_unstable();
        ordinals
    }

    /// Writes what a resume needs, synced, and names it for the manifest. To be called right after an applied `Flush`.
    /// Items handed out count as queued. Files of earlier saves stay until the manifest's owner deletes them.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn save(&mut self) -> Result<Saved> {
        // A resumed frontier remembers none either: so both go on alike.
        self.recent.clear();
        self.write_table()
    }

    /// What is in flight goes back into its queue.
    pub(crate) fn land(&mut self, item: InFlight) {
        let queue = self.table.get(item.queue);
        queue.holds -= u16::from(item.holds);
        queue.in_flight -= u32::from(!item.ended);
        self.enqueue(item.queue, Loose { key: item.key, payload: item.payload });
    }

    /// The number of a queue, which is created if need be.
    pub(crate) fn queue_id(&mut self, key: &str) -> u32 {
        self.table.id(key).unwrap_or_else(|| {
            self.rotation.add();
            self.table.add(WorkQueue { key: key.into(), ..WorkQueue::default() })
        })
    }

    pub(crate) fn enqueue_admit(&mut self, queue: u32, key: OrderKey, admit: &Admit) {
        let rule = self.rules.number(&admit.rule);
        let mut payload = Vec::new();
        stored::put(admit, rule, &mut payload);
        self.enqueue(queue, Loose { key, payload: payload.into_boxed_slice() });
    }

    pub(crate) fn enqueue(&mut self, id: u32, loose: Loose) {
        self.memory_bytes += loose.bytes();
        self.table.get(id).memory.push(loose);
        self.count_in(id);
    }

    /// Counts a URL that came into a queue.
    pub(crate) fn count_in(&mut self, id: u32) {
        self.table.get(id).queued += 1;
        self.count_queued(id, 1);
        self.settle(id);
    }

    pub(crate) fn count_queued(&mut self, id: u32, change: i64) {
        let counter = match self.table.get(id).retired {
            true => &mut self.counts.queued_retired,
            false => &mut self.counts.queued,
        };
        *counter = counter.checked_add_signed(change).expect("never fewer than none");
    }

    /// Puts a queue that is in no list where it belongs.
    pub(crate) fn settle(&mut self, id: u32) {
        let in_flight_max = self.options.in_flight_per_queue.max(1);
        let queue = self.table.get(id);
        if queue.retired
            || matches!(queue.place, Place::Ready | Place::Snoozed | Place::Inactive) && queue.holds == 0
        {
            return;
        }
        let place = if queue.holds > 0 || queue.in_flight >= in_flight_max {
            Place::Busy
        } else if queue.queued == 0 {
            if queue.in_flight > 0 { Place::Busy } else { Place::Exhausted }
        } else if queue.place == Place::Exhausted {
            // New, or new work after a pause: it has to queue up.
            Place::Inactive
        } else if queue.session_spent >= self.options.balance_replenish {
            Place::Inactive
        } else if queue.wake > self.clock {
            Place::Snoozed
        } else {
            Place::Ready
        };
        if place != queue.place {
            self.rotation.put(id, queue, place);
        }
    }
}

/// Milliseconds that a retry waits.
pub(crate) fn retry_ms(outcome: FetchOutcome) -> u64 {
    match outcome {
        FetchOutcome::Retry { delay_ms } => delay_ms,
        FetchOutcome::Finished | FetchOutcome::Deferred => 0,
    }
}
