//! The state machine: journal entries in, URLs out.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use model::entry::{Admit, Done, Entry, QueueControl};
use model::world::Disk;
use model::{FetchItem, FetchOutcome, Fingerprint, History, Hop, MonoMs, Ordinal};

use crate::known::Known;
use crate::order::OrderKey;
use crate::queue::{HeadAt, LOOSE_BYTES, Loose, Place, WorkQueue};
use crate::recent::Recent;
use crate::rotation::Rotation;
use crate::rules::Rules;
use crate::segment::Segments;
use crate::sieve::{Offer, Sieve};
use crate::status::{Admitted, FrontierCounts, Next, QueueCounts, QueueState, QueueStatus, QueuedUrl, Saved};
use crate::stored;
use crate::table::QueueTable;
use crate::wire::{Put, Take};
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

/// With that many known fingerprints a flush for want of work waits a millisecond: about fifty times what it costs.
const KNOWN_PER_WAIT_MS: u64 = 10_000;

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

    /// Every queue waits its full delay from `now` (DURABILITY.md, rule 15). To be called once after a replay.
    pub fn resumed(&mut self, now: MonoMs) {
        self.replaying = false;
        self.clock = self.clock.max(now);
        self.resumed_at = now;
        for queue in &mut self.table.queues {
            queue.held = true;
        }
    }

    /// True if a flush of the sieve is due: the buffer is full, or its oldest offer has waited long, or less work is
    /// ready than twice the workers that have nothing to do. The caller journals the `Flush` and applies it.
    pub fn flush_due(&self, now: MonoMs, idle_workers: usize) -> bool {
        if self.sieve.len() == 0 {
            return false;
        }
        let waited_ms = now - self.offers_since;
        // A flush reads all fingerprints that are known: with many of them, idle workers wait a little.
        let wait_ms_min = (self.sieve.known.len() / KNOWN_PER_WAIT_MS).min(self.options.sieve_wait_ms_max);
        let is_work_short = self.rotation.n_ready + self.rotation.n_inactive < idle_workers * 2;
        self.sieve.len() >= self.options.sieve_buffer_entries
            || self.sieve.bytes() >= self.options.sieve_buffer_bytes
            || waited_ms >= self.options.sieve_wait_ms_max
            || is_work_short && self.sieve.n_waiting() > 0 && waited_ms >= wait_ms_min
    }

    /// True if the URL of that fingerprint has been admitted lately: whoever finds it again can drop it before the
    /// journal, since an admit with a lower ordinal is there. Forced URLs must not be asked for.
    pub fn recently_admitted(&self, fingerprint: Fingerprint) -> bool {
        self.recent.contains(fingerprint.0)
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
    fn pop(&mut self, id: u32) -> Result<Option<(OrderKey, Box<[u8]>)>> {
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

    fn flush(&mut self, through: Ordinal, novel: &mut dyn FnMut(Ordinal, &Admit)) -> Result<()> {
        let offers = self.sieve.flush(through)?;
        let bytes: usize = offers.iter().map(|offer| self.sieve.payload(offer).len() + LOOSE_BYTES).sum();
        let fits = self.memory_bytes + bytes <= self.options.queue_memory_bytes;
        let mut batch: Vec<(u32, Offer)> = Vec::with_capacity(if fits { 0 } else { offers.len() });
        let mut last_via = None;
        for offer in &offers {
            let (admit, payload) = self.read_offer(offer, &mut last_via);
            let id = self.queue_id(&admit.queue_key);
            if fits {
                let payload = Box::from(&self.sieve.payload(offer)[payload..]);
                self.enqueue(id, Loose { key: offer.key, payload });
            } else {
                batch.push((id, *offer));
                self.count_in(id);
            }
            self.counts.discovered += 1;
            novel(offer.key.ordinal(), &admit);
        }
        if !fits {
            self.spill(&mut batch)?;
        }
        self.sieve.forget(through);
        self.segments.tidy(&mut self.table.queues)
    }

    /// The admit that an offer was, and where in its payload that of its queue begins.
    fn read_offer(&self, offer: &Offer, last_via: &mut Option<surt::CanonicalUrl>) -> (Admit, usize) {
        let bytes = self.sieve.payload(offer);
        let mut take = Take(bytes);
        let queue_key = take.str().expect("written by admit").to_owned();
        let stored = stored::take_with_via(take.0, offer.key, last_via).expect("written by admit");
        let admit = Admit {
            candidate: stored.candidate,
            fingerprint: Fingerprint(offer.fingerprint),
            queue_key,
            precedence: offer.key.precedence(),
            cost: stored.cost,
            rule: self.rules.name(stored.rule).expect("numbered by admit").clone(),
            bypass: false,
        };
        (admit, bytes.len() - take.0.len())
    }

    /// Writes all queued URLs in memory, and `batch` out of the sieve, to a segment. Changes no order.
    fn spill(&mut self, batch: &mut [(u32, Offer)]) -> Result<()> {
        batch.sort_unstable_by_key(|(id, offer)| (*id, offer.key));
        let mut batch = batch.iter().peekable();
        let mut writer = self.segments.create()?;
        for (id, queue) in self.table.queues.iter_mut().enumerate() {
            // Descending by the turned order of the heap: the least key last.
            let mut memory = std::mem::take(&mut queue.memory).into_sorted_vec();
            while let Some((_, offer)) = batch.next_if(|(of, _)| *of as usize == id) {
                while memory.last().is_some_and(|loose| loose.key < offer.key) {
                    let loose = memory.pop().expect("just seen");
                    writer.push(loose.key, &loose.payload)?;
                }
                let mut take = Take(self.sieve.payload(offer));
                take.bytes().expect("written by admit");
                writer.push(offer.key, take.0)?;
            }
            while let Some(loose) = memory.pop() {
                writer.push(loose.key, &loose.payload)?;
            }
            queue.blocks.extend(writer.end_queue());
        }
        self.memory_bytes = 0;
        self.segments.adopt(writer)
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

    /// What is in flight goes back into its queue.
    fn land(&mut self, item: InFlight) {
        let queue = self.table.get(item.queue);
        queue.holds -= u16::from(item.holds);
        queue.in_flight -= u32::from(!item.ended);
        self.enqueue(item.queue, Loose { key: item.key, payload: item.payload });
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

    /// The number of a queue, which is created if need be.
    fn queue_id(&mut self, key: &str) -> u32 {
        self.table.id(key).unwrap_or_else(|| {
            self.rotation.add();
            self.table.add(WorkQueue { key: key.into(), ..WorkQueue::default() })
        })
    }

    fn enqueue_admit(&mut self, queue: u32, key: OrderKey, admit: &Admit) {
        let rule = self.rules.number(&admit.rule);
        let mut payload = Vec::new();
        stored::put(admit, rule, &mut payload);
        self.enqueue(queue, Loose { key, payload: payload.into_boxed_slice() });
    }

    fn enqueue(&mut self, id: u32, loose: Loose) {
        self.memory_bytes += loose.bytes();
        self.table.get(id).memory.push(loose);
        self.count_in(id);
    }

    /// Counts a URL that came into a queue.
    fn count_in(&mut self, id: u32) {
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
fn retry_ms(outcome: FetchOutcome) -> u64 {
    match outcome {
        FetchOutcome::Retry { delay_ms } => delay_ms,
        FetchOutcome::Finished | FetchOutcome::Deferred => 0,
    }
}
