//! Saving a frontier for the manifest, and opening it again.
//!
//! A save stands at one place of the journal. What was handed out counts as queued; times are not saved, since every
//! queue waits its full delay after a resume. What the files are made of: `table_file`, `segment`, and runs of `store`.

use std::collections::HashSet;

use model::{Fingerprint, Ordinal};

use crate::order::OrderKey;
use crate::queue::{Loose, Place, WorkQueue};
use crate::segment::BlockRef;
use crate::status::Saved;
use crate::table_file::{Section, TableReader, TableWriter};
use crate::wire::{Put, Take};
use crate::{Frontier, FrontierError, Result};

impl Frontier {
    pub(crate) fn write_table(&mut self) -> Result<Saved> {
        self.segments.tidy(&mut self.table.queues)?;
        let mut files = self.segments.sync()?;
        self.sieve.known.write()?;
        files.extend(self.sieve.known.files());
        let mut out = TableWriter::create(&*self.disk, &self.dir, &mut self.next_table)?;
        let table = self.next_table - 1;
        self.write_lists(&mut out)?;
        self.write_queues(&mut out)?;
        self.write_order(&mut out)?;
        let (path, len) = out.finish(&*self.disk)?;
        files.push((path, len));
        self.disk.sync_dir(&self.dir).map_err(FrontierError::disk("sync", &self.dir))?;
        Ok(Saved { section: Section { table, len }.to_bytes(), files })
    }

    fn write_lists(&self, out: &mut TableWriter) -> Result<()> {
        let numbers = [
            self.counts.finished,
            self.counts.discovered,
            self.next_table,
            self.segments.next_number,
            self.sieve.known.next_number,
        ];
        out.record(|raw| numbers.into_iter().for_each(|number| raw.put_u64(number)))?;
        out.list(self.rules.names().iter(), |name, raw| raw.put_str(name))?;
        let slots = self.segments.slots.iter().enumerate();
        let used: Vec<_> = slots.filter_map(|(slot, segment)| Some((slot, segment.as_ref()?))).collect();
        out.list(used.into_iter(), |(slot, segment), raw| {
            let numbers = [slot as u64, segment.number, segment.len, segment.items, segment.live];
            numbers.into_iter().for_each(|number| raw.put_u64(number));
        })?;
        out.list(self.sieve.known.runs(), |(number, len), raw| {
            raw.put_u64(number);
            raw.put_u64(len);
        })?;
        out.list(self.sieve.offers().iter(), |offer, raw| {
            raw.put_u64(offer.fingerprint);
            raw.put_u64(offer.key.0);
            raw.put_bytes(self.sieve.payload(offer));
        })?;
        let mut attempts: Vec<_> =
            self.attempts.iter().map(|(ordinal, attempts)| (ordinal.0, *attempts)).collect();
        attempts.sort_unstable();
        out.list(attempts.into_iter(), |(ordinal, attempts), raw| {
            raw.put_u64(ordinal);
            raw.put_u64(attempts.into());
        })?;
        let mut ahead: Vec<u64> = self.ahead.iter().map(|ordinal| ordinal.0).collect();
        ahead.sort_unstable();
        out.list(ahead.into_iter(), |ordinal, raw| raw.put_u64(ordinal))?;
        let mut prerequisites: Vec<_> =
            self.prerequisites.iter().map(|(print, of)| (of.0, print.0)).collect();
        prerequisites.sort_unstable();
        out.list(prerequisites.into_iter(), |(ordinal, fingerprint), raw| {
            raw.put_u64(ordinal);
            raw.put_u64(fingerprint);
        })
    }

    fn write_queues(&self, out: &mut TableWriter) -> Result<()> {
        let mut handed_out: Vec<_> =
            self.in_flight.values().map(|item| (item.queue, item.key, &item.payload)).collect();
        handed_out.sort_unstable_by_key(|(queue, key, _)| (*queue, *key));
        let mut handed_out = handed_out.into_iter().peekable();
        out.record(|raw| raw.put_u64(self.table.queues.len() as u64))?;
        let mut loose: Vec<(OrderKey, &[u8])> = Vec::new();
        for (id, queue) in self.table.queues.iter().enumerate() {
            loose.clear();
            loose.extend(queue.memory.iter().map(|loose| (loose.key, &*loose.payload)));
            let n_queued = u64::from(queue.queued);
            let n_memory = loose.len();
            while let Some((_, key, payload)) = handed_out.next_if(|(of, ..)| *of as usize == id) {
                loose.push((key, payload));
            }
            let n_handed_out = (loose.len() - n_memory) as u64;
            out.record(|raw| write_queue(queue, n_queued + n_handed_out, loose.len(), raw))?;
            for (key, payload) in &loose {
                out.record(|raw| {
                    raw.put_u64(key.0);
                    raw.put_bytes(payload);
                })?;
            }
        }
        Ok(())
    }

    /// Queues with URLs in flight come first, as if these had not been handed out.
    fn write_order(&self, out: &mut TableWriter) -> Result<()> {
        let queues = &self.table.queues;
        let mut in_flight: Vec<_> = self.in_flight.values().map(|item| (item.turn, item.queue)).collect();
        in_flight.sort_unstable();
        let mut active: Vec<u32> = Vec::with_capacity(in_flight.len());
        let mut is_listed = HashSet::new();
        for (_, id) in in_flight {
            let is_out = matches!(queues[id as usize].place, Place::Busy | Place::Exhausted);
            if is_out && !queues[id as usize].retired && is_listed.insert(id) {
                active.push(id);
            }
        }
        active.extend(self.rotation.active(queues));
        out.list(active.into_iter(), |id, raw| raw.put_u64(id.into()))?;
        out.list(self.rotation.inactive(queues).into_iter(), |id, raw| raw.put_u64(id.into()))
    }

    pub(crate) fn load(&mut self, section: &[u8]) -> Result<()> {
        let section = Section::from_bytes(section)
            .ok_or_else(|| FrontierError::corrupt(&self.dir, "its section is unknown"))?;
        let mut table = TableReader::open(&self.disk, &self.dir, section)?;
        self.read_lists(&mut table)?;
        self.read_queues(&mut table)?;
        self.read_order(&mut table)?;
        table.finish()
    }

    fn read_lists(&mut self, table: &mut TableReader) -> Result<()> {
        let numbers = table.record(take_numbers::<5>)?;
        [
            self.counts.finished,
            self.counts.discovered,
            self.next_table,
            self.segments.next_number,
            self.sieve.known.next_number,
        ] = numbers;
        for name in table.list(|take| Some(take.str()?.into()))? {
            self.rules.number(&name);
        }
        for [slot, number, len, items, live] in table.list(take_numbers)? {
            let slot = u16::try_from(slot).map_err(|_| table.corrupt("there are too many segments"))?;
            self.segments.load(slot, number, len, items, live)?;
        }
        for [number, len] in table.list(take_numbers)? {
            self.sieve.known.load(number, len)?;
        }
        let offers = table
            .list(|take| Some((Fingerprint(take.u64()?), OrderKey(take.u64()?), take.bytes()?.to_vec())))?;
        for (fingerprint, key, payload) in offers {
            match payload.is_empty() {
                true => self.sieve.enter(fingerprint, key),
                false => self.sieve.offer(fingerprint, key, |into| into.extend_from_slice(&payload)),
            }
        }
        let attempts = table.list(|take| Some((Ordinal(take.u64()?), take.u32()?)))?;
        self.attempts = attempts.into_iter().collect();
        self.ahead = table.list(|take| take.u64().map(Ordinal))?.into_iter().collect();
        for [ordinal, fingerprint] in table.list(take_numbers)? {
            self.prerequisites.insert(Fingerprint(fingerprint), Ordinal(ordinal));
            self.prerequisites_by_ordinal.insert(Ordinal(ordinal), Fingerprint(fingerprint));
        }
        Ok(())
    }

    fn read_queues(&mut self, table: &mut TableReader) -> Result<()> {
        for _ in 0..table.record(|take| take.u64())? {
            let (mut queue, n_memory) = table.record(read_queue)?;
            for _ in 0..n_memory {
                let loose = table.record(|take| {
                    Some(Loose { key: OrderKey(take.u64()?), payload: take.bytes()?.into() })
                })?;
                self.memory_bytes += loose.bytes();
                queue.memory.push(loose);
            }
            let is_used =
                |block: &BlockRef| matches!(self.segments.slots.get(usize::from(block.slot)), Some(Some(_)));
            if !queue.blocks.iter().all(is_used) {
                return Err(table.corrupt("a block points to no segment"));
            }
            let counter =
                if queue.retired { &mut self.counts.queued_retired } else { &mut self.counts.queued };
            *counter += u64::from(queue.queued);
            self.counts.queues.retired += u64::from(queue.retired);
            self.rotation.add();
            let id = self.table.add(queue);
            let queue = self.table.get(id);
            if queue.retired {
                self.rotation.put(id, queue, Place::Busy);
            }
        }
        Ok(())
    }

    fn read_order(&mut self, table: &mut TableReader) -> Result<()> {
        for place in [Place::Ready, Place::Inactive] {
            for id in table.list(|take| take.u32())? {
                let queue = self.table.queues.get_mut(id as usize);
                let queue = queue.ok_or_else(|| table.corrupt("the order names a queue that is none"))?;
                if queue.queued > 0 {
                    self.rotation.put(id, queue, place);
                }
            }
        }
        Ok(())
    }
}

fn write_queue(queue: &WorkQueue, n_queued: u64, n_memory: usize, raw: &mut Vec<u8>) {
    raw.put_str(&queue.key);
    let numbers = [
        u64::from(queue.retired),
        u64::from(queue.wait_ms),
        queue.total_spent,
        queue.session_spent.into(),
        queue.slow_downs.into(),
        n_queued,
        n_memory as u64,
        queue.blocks.len() as u64,
    ];
    numbers.into_iter().for_each(|number| raw.put_u64(number));
    for block in &queue.blocks {
        let numbers =
            [block.slot.into(), block.chunk_offset, block.in_chunk.into(), block.count.into(), block.head.0];
        numbers.into_iter().for_each(|number: u64| raw.put_u64(number));
    }
}

/// A queue and how many URLs in memory follow it.
fn read_queue(take: &mut Take) -> Option<(WorkQueue, u64)> {
    let key = take.str()?.into();
    let [retired, wait_ms, total_spent, session_spent, slow_downs, queued, n_memory, n_blocks] =
        take_numbers(take)?;
    let mut blocks = Vec::new();
    for _ in 0..n_blocks {
        let [slot, chunk_offset, in_chunk, count, head] = take_numbers(take)?;
        blocks.push(BlockRef {
            head: OrderKey(head),
            chunk_offset,
            count: u32::try_from(count).ok().filter(|count| *count > 0)?,
            slot: slot.try_into().ok()?,
            in_chunk: in_chunk.try_into().ok()?,
        });
    }
    let queue = WorkQueue {
        key,
        retired: retired != 0,
        wait_ms: wait_ms.try_into().ok()?,
        total_spent,
        session_spent: session_spent.try_into().ok()?,
        slow_downs: slow_downs.try_into().ok()?,
        queued: queued.try_into().ok()?,
        blocks,
        ..WorkQueue::default()
    };
    Some((queue, n_memory))
}

fn take_numbers<const N: usize>(take: &mut Take) -> Option<[u64; N]> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = take.u64()?;
    }
    Some(numbers)
}
