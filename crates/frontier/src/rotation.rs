//! The lists through which queues go round: ready, snoozed, inactive.
//!
//! A queue is in one list at most. Leaving a list from its middle costs nothing: the queue's stamp moves on and the entry
//! that stays behind is skipped when it comes up.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use model::MonoMs;

use crate::queue::{Place, WorkQueue};

/// A place in a list: a queue's number and its stamp at that time.
type Entry = (u32, u32);

#[derive(Debug, Default)]
pub(crate) struct Rotation {
    ready: VecDeque<Entry>,
    inactive: VecDeque<Entry>,
    /// By wake time, then in the order of going to sleep.
    snoozed: BinaryHeap<Reverse<(MonoMs, u64, Entry)>>,
    sleeps: u64,
    pub(crate) n_ready: usize,
    pub(crate) n_inactive: usize,
    pub(crate) n_snoozed: usize,
    pub(crate) n_exhausted: usize,
}

impl Rotation {
    /// Counts a new queue, which is exhausted.
    pub(crate) fn add(&mut self) {
        self.n_exhausted += 1;
    }

    /// Moves a queue to the end of the list of that place; out of all lists for `Busy` and `Exhausted`.
    pub(crate) fn put(&mut self, id: u32, queue: &mut WorkQueue, place: Place) {
        self.count(queue.place, false);
        self.count(place, true);
        queue.place = place;
        queue.stamp = queue.stamp.wrapping_add(1);
        let entry = (id, queue.stamp);
        match place {
            Place::Ready => self.ready.push_back(entry),
            Place::Inactive => self.inactive.push_back(entry),
            Place::Snoozed => {
                self.sleeps += 1;
                self.snoozed.push(Reverse((queue.wake, self.sleeps, entry)));
            }
            Place::Busy | Place::Exhausted => {}
        }
    }

    fn count(&mut self, place: Place, more: bool) {
        let counter = match place {
            Place::Ready => &mut self.n_ready,
            Place::Inactive => &mut self.n_inactive,
            Place::Snoozed => &mut self.n_snoozed,
            Place::Exhausted => &mut self.n_exhausted,
            Place::Busy => return,
        };
        if more { *counter += 1 } else { *counter -= 1 }
    }

    /// Makes ready whatever sleeps no longer than `now`.
    pub(crate) fn wake(&mut self, queues: &mut [WorkQueue], now: MonoMs) {
        while let Some(&Reverse((wake, _, entry))) = self.snoozed.peek() {
            if !is_current(queues, entry) {
                self.snoozed.pop();
                continue;
            }
            if wake > now {
                return;
            }
            self.snoozed.pop();
            self.put(entry.0, &mut queues[entry.0 as usize], Place::Ready);
        }
    }

    /// The next queue that is ready. It stays in its place until it is put elsewhere.
    pub(crate) fn next_ready(&mut self, queues: &[WorkQueue]) -> Option<u32> {
        next_current(&mut self.ready, queues)
    }

    /// The inactive queue that has waited longest.
    pub(crate) fn next_inactive(&mut self, queues: &[WorkQueue]) -> Option<u32> {
        next_current(&mut self.inactive, queues)
    }

    /// When the next snoozed queue wakes.
    pub(crate) fn next_wake(&mut self, queues: &[WorkQueue]) -> Option<MonoMs> {
        while let Some(&Reverse((wake, _, entry))) = self.snoozed.peek() {
            if is_current(queues, entry) {
                return Some(wake);
            }
            self.snoozed.pop();
        }
        None
    }

    /// Active queues in their order: the ready, then the snoozed by wake time.
    pub(crate) fn active(&self, queues: &[WorkQueue]) -> Vec<u32> {
        let mut snoozed: Vec<_> = self.snoozed.iter().map(|Reverse(entry)| *entry).collect();
        snoozed.sort_unstable();
        let entries = self.ready.iter().copied().chain(snoozed.into_iter().map(|(_, _, entry)| entry));
        entries.filter(|entry| is_current(queues, *entry)).map(|entry| entry.0).collect()
    }

    /// Inactive queues in their order.
    pub(crate) fn inactive(&self, queues: &[WorkQueue]) -> Vec<u32> {
        self.inactive.iter().filter(|entry| is_current(queues, **entry)).map(|entry| entry.0).collect()
    }
}

fn is_current(queues: &[WorkQueue], (id, stamp): Entry) -> bool {
    queues[id as usize].stamp == stamp
}

/// Takes entries off the front until one is current.
fn next_current(list: &mut VecDeque<Entry>, queues: &[WorkQueue]) -> Option<u32> {
    while let Some(entry) = list.pop_front() {
        if is_current(queues, entry) {
            return Some(entry.0);
        }
    }
    None
}
