//! When the sieve is flushed, and what becomes of what turned out to be new.

use model::entry::Admit;
use model::planted::{Bug, is_planted};
use model::{Fingerprint, MonoMs, Ordinal};

use crate::queue::{LOOSE_BYTES, Loose};
use crate::sieve::Offer;
use crate::stored;
use crate::wire::Take;
use crate::{Frontier, Result};

/// With that many known fingerprints a flush for want of work waits a millisecond: about fifty times what it costs.
const KNOWN_PER_WAIT_MS: u64 = 10_000;

impl Frontier {
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

    pub(crate) fn flush(&mut self, through: Ordinal, novel: &mut dyn FnMut(Ordinal, &Admit)) -> Result<()> {
        let mut offers = self.sieve.flush(through)?;
        if is_planted(Bug::OutlinksLostAtFlush) {
            offers.retain(|offer| !offer.key.ordinal().0.is_multiple_of(50));
        }
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
    pub(crate) fn spill(&mut self, batch: &mut [(u32, Offer)]) -> Result<()> {
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
            queue.add_block(writer.end_queue());
        }
        self.memory_bytes = 0;
        self.segments.adopt(writer)
    }
}
