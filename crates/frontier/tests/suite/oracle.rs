//! Random histories against a frontier so simple that it cannot be wrong: nothing lost, nothing twice, the order exact,
//! politeness kept, whatever is spilled, saved, killed and replayed.

use std::collections::{BTreeMap, BTreeSet};

use bequest_frontier::{FetchEnd, FrontierOptions, Next, Politeness};
use fastrand::Rng;
use model::entry::{Admit, Entry};
use model::{Directive, FetchItem, FetchOutcome, Fingerprint, Hop, MonoMs, Ordinal};

use crate::make::{Bench, done, done_after, eager, link, prerequisite};

/// Directive, precedence, ordinal.
type Key = (Directive, u8, Ordinal);

#[derive(Default)]
struct Oracle {
    seen: BTreeSet<Fingerprint>,
    offers: BTreeMap<Ordinal, Admit>,
    bypassed: BTreeSet<Fingerprint>,
    queues: BTreeMap<String, BTreeMap<Key, (String, u32)>>,
    prerequisites: BTreeMap<Fingerprint, Ordinal>,
    discovered: Vec<String>,
}

impl Oracle {
    fn queue(&mut self, ordinal: Ordinal, admit: &Admit) {
        let key = (admit.candidate.directive, admit.precedence, ordinal);
        let text = admit.candidate.url.to_string();
        self.discovered.push(text.clone());
        self.queues.entry(admit.queue_key.clone()).or_default().insert(key, (text, 0));
    }

    fn admit(&mut self, ordinal: Ordinal, admit: &Admit) {
        if !admit.bypass && !admit.candidate.force_fetch {
            self.offers.insert(ordinal, admit.clone());
            return;
        }
        if admit.candidate.last_hop() == Some(Hop::Prerequisite) {
            if self.prerequisites.contains_key(&admit.fingerprint) {
                return;
            }
            self.prerequisites.insert(admit.fingerprint, ordinal);
        } else if !admit.candidate.force_fetch
            && (self.seen.contains(&admit.fingerprint) || self.bypassed.contains(&admit.fingerprint))
        {
            return;
        }
        self.bypassed.insert(admit.fingerprint);
        self.queue(ordinal, admit);
    }

    fn flush(&mut self) {
        self.seen.append(&mut self.bypassed);
        for (ordinal, admit) in std::mem::take(&mut self.offers) {
            if self.seen.insert(admit.fingerprint) {
                self.queue(ordinal, &admit);
            }
        }
    }

    fn len(&self) -> usize {
        self.queues.values().map(BTreeMap::len).sum()
    }
}

fn key_of(item: &FetchItem, precedence: u8) -> Key {
    (item.candidate.directive, precedence, item.ordinal)
}

/// One random history; gives the URLs in the order in which they were handed out.
struct History {
    rng: Rng,
    bench: Bench,
    oracle: Oracle,
    in_flight: Vec<(FetchItem, Key, u32, bool)>,
    options: FrontierOptions,
    dir: tempfile::TempDir,
    saved: Option<(Vec<u8>, usize)>,
    handed_out: Vec<String>,
    /// Per queue: not before.
    polite: BTreeMap<String, MonoMs>,
    crashes: bool,
}

impl History {
    fn new(seed: u64, options: FrontierOptions, crashes: bool) -> History {
        let dir = tempfile::tempdir().unwrap();
        History {
            rng: Rng::with_seed(seed),
            bench: Bench::open(options.clone(), dir.path(), None),
            oracle: Oracle::default(),
            in_flight: Vec::new(),
            options,
            dir,
            saved: None,
            handed_out: Vec::new(),
            polite: BTreeMap::new(),
            crashes,
        }
    }

    fn random_admit(&mut self) -> Admit {
        let host = self.rng.u32(0..6);
        let mut admit = link(&format!("http://h{host}.example/{}", self.rng.u32(0..60)));
        admit.precedence = self.rng.u8(1..4);
        admit.candidate.directive = [Directive::Medium, Directive::Normal][self.rng.usize(0..2)];
        admit.bypass = self.rng.u32(0..10) == 0;
        admit.candidate.force_fetch = self.rng.u32(0..40) == 0;
        if self.rng.bool() {
            admit.candidate.source_tag = Some("tag".repeat(self.rng.usize(0..400)));
        }
        admit
    }

    fn admit(&mut self, admit: Admit) {
        let ordinal = self.bench.admit(admit.clone());
        self.oracle.admit(ordinal, &admit);
    }

    fn flush(&mut self) {
        self.bench.flush();
        self.oracle.flush();
    }

    fn take(&mut self) -> bool {
        let next = self.bench.next();
        let Next::Item(item) = next else {
            if let Next::WaitUntil(wake) = next {
                assert!(wake > self.bench.now);
            }
            if let Next::Empty = next {
                assert_eq!((self.oracle.len(), self.oracle.offers.len(), self.in_flight.len()), (0, 0, 0));
            }
            return false;
        };
        let queue = self.oracle.queues.get_mut(&item.queue_key).unwrap();
        let (key, (text, attempts)) = queue.pop_first().unwrap();
        assert_eq!(key_of(&item, key.1), key, "the least of its queue goes first");
        assert_eq!((item.candidate.url.as_str(), item.attempt), (text.as_str(), attempts + 1));
        let with_it =
            self.in_flight.iter().filter(|(other, _, _, ended)| other.queue_key == item.queue_key && !ended);
        assert!(with_it.count() < self.options.in_flight_per_queue as usize);
        assert!(self.polite.get(&item.queue_key).is_none_or(|wake| *wake <= self.bench.now), "polite");
        self.handed_out.push(text);
        self.in_flight.push((item, key, attempts, false));
        true
    }

    fn end_one(&mut self) {
        if self.in_flight.is_empty() {
            return;
        }
        let (item, key, attempts, _) = self.in_flight.swap_remove(self.rng.usize(0..self.in_flight.len()));
        let text = item.candidate.url.to_string();
        let is_prerequisite = item.candidate.last_hop() == Some(Hop::Prerequisite);
        let back = (text, attempts);
        match self.rng.u32(0..10) {
            0 => {
                let again_at = self.bench.now + self.rng.u64(0..500);
                self.bench.frontier.returned(item.ordinal, again_at);
                // A resume need not know of it.
                if !self.crashes {
                    self.be_polite(&item.queue_key, again_at);
                }
                self.oracle.queues.get_mut(&item.queue_key).unwrap().insert(key, back);
            }
            1 => {
                let outcome = FetchOutcome::Retry { delay_ms: 2000 };
                self.finish(&item, FetchEnd { outcome, ..FetchEnd::default() });
                self.oracle.queues.get_mut(&item.queue_key).unwrap().insert(key, (back.0, attempts + 1));
            }
            2 if !is_prerequisite => {
                let outcome = FetchOutcome::Deferred;
                self.finish(&item, FetchEnd { outcome, tried_network: false, ..FetchEnd::default() });
                self.oracle.queues.get_mut(&item.queue_key).unwrap().insert(key, (back.0, attempts + 1));
                self.admit(prerequisite(&format!("dns:{}", item.queue_key), &item));
            }
            _ => {
                let end = FetchEnd { duration_ms: self.rng.u64(0..1000), ..FetchEnd::default() };
                self.finish(&item, end);
                self.oracle.prerequisites.retain(|_, ordinal| *ordinal != item.ordinal);
            }
        }
    }

    fn finish(&mut self, item: &FetchItem, end: FetchEnd) {
        let now = self.bench.now;
        self.bench.frontier.finished(item.ordinal, &end, now);
        let retry_ms = if let FetchOutcome::Retry { delay_ms } = end.outcome { delay_ms } else { 0 };
        let wait_ms = self.options.politeness.delay_ms(&end, 0).max(retry_ms);
        self.be_polite(&item.queue_key, now + wait_ms);
        self.bench.apply(done_after(end.duration_ms, item, end.outcome));
    }

    fn be_polite(&mut self, queue_key: &str, wake: MonoMs) {
        let polite = self.polite.entry(queue_key.to_owned()).or_default();
        *polite = (*polite).max(wake);
    }

    fn save(&mut self) {
        self.flush();
        let saved = self.bench.frontier.save().unwrap();
        for (path, len) in &saved.files {
            assert_eq!(std::fs::metadata(path).unwrap().len(), *len);
        }
        // What the manifest does not name is deleted.
        for entry in std::fs::read_dir(self.dir.path()).unwrap() {
            let path = entry.unwrap().path();
            if !saved.files.iter().any(|(named, _)| *named == path) {
                std::fs::remove_file(path).unwrap();
            }
        }
        self.saved = Some((saved.section, self.bench.journal.len()));
    }

    fn crash(&mut self) {
        let section = self.saved.as_ref().map(|saved| saved.0.as_slice());
        let mut bench = Bench::open(self.options.clone(), self.dir.path(), section);
        let journal = std::mem::take(&mut self.bench.journal);
        for (sequence, entry) in journal.iter().skip(self.saved.as_ref().map_or(0, |saved| saved.1)) {
            bench.replay(*sequence, entry.clone());
        }
        bench.journal = journal;
        bench.sequence = self.bench.sequence;
        bench.now = self.bench.now;
        bench.frontier.resumed(bench.now);
        self.bench = bench;
        for (item, key, attempts, _) in std::mem::take(&mut self.in_flight) {
            let text = item.candidate.url.to_string();
            self.oracle.queues.get_mut(&item.queue_key).unwrap().insert(key, (text, attempts));
        }
        let least_ms = self.options.politeness.least_ms(None);
        let names: Vec<String> = self.oracle.queues.keys().cloned().collect();
        for name in names {
            self.be_polite(&name, self.bench.now + least_ms);
        }
    }

    fn check_counts(&self) {
        let counts = self.bench.frontier.counts();
        assert_eq!(counts.queued as usize, self.oracle.len());
        assert_eq!(counts.in_flight as usize, self.in_flight.len());
        assert_eq!(counts.discovered as usize, self.oracle.discovered.len());
        let queues = counts.queues;
        let sum = queues.active() + queues.inactive + queues.exhausted + queues.retired;
        assert_eq!(sum as usize, self.bench.frontier.queues().count());
        for (name, urls) in &self.oracle.queues {
            let peeked = self.bench.frontier.peek(name, 3).unwrap();
            let peeked: Vec<Ordinal> = peeked.iter().map(|queued| queued.ordinal).collect();
            assert_eq!(peeked, urls.keys().take(3).map(|key| key.2).collect::<Vec<_>>());
        }
    }

    fn run(mut self, steps: usize) -> Vec<String> {
        for step in 0..steps {
            match self.rng.u32(0..100) {
                0..45 => {
                    let admit = self.random_admit();
                    self.admit(admit);
                }
                45..52 => self.flush(),
                52..75 => drop(self.take()),
                75..92 => self.end_one(),
                92..96 => self.bench.now = self.bench.now + self.rng.u64(0..1500),
                96..98 => self.save_maybe(),
                _ if self.crashes => self.crash(),
                _ => {}
            }
            if step % 50 == 0 {
                self.check_counts();
            }
        }
        self.drain();
        self.handed_out
    }

    fn save_maybe(&mut self) {
        if self.crashes { self.save() } else { self.flush() }
    }

    fn drain(&mut self) {
        self.flush();
        for _ in 0..1_000_000 {
            while self.take() {}
            self.end_one();
            self.bench.now = self.bench.now + 100;
            if self.oracle.len() + self.in_flight.len() == 0 {
                break;
            }
        }
        self.check_counts();
        // A crash forgets what the callback said; without one it says all of it.
        if !self.crashes {
            assert_eq!(self.bench.novel, self.oracle.discovered);
        }
    }
}

fn polite() -> FrontierOptions {
    let politeness = Politeness { delay_ms_min: 300, delay_ms_max: 2000, ..Politeness::default() };
    FrontierOptions { politeness, ..eager() }
}

fn variants() -> [FrontierOptions; 4] {
    let spills = |options| FrontierOptions { queue_memory_bytes: 2000, chunk_cache_bytes: 1, ..options };
    [
        polite(),
        spills(polite()),
        eager(),
        spills(FrontierOptions { in_flight_per_queue: 3, balance_replenish: 5, ..polite() }),
    ]
}

#[test]
fn equals_the_oracle() {
    for seed in 0..6 {
        for options in variants() {
            History::new(seed, options, false).run(1500);
        }
    }
}

#[test]
fn equals_the_oracle_through_crashes() {
    for seed in 100..106 {
        for options in variants() {
            History::new(seed, options, true).run(1500);
        }
    }
}

#[test]
fn spilling_changes_no_order() {
    for seed in 200..205 {
        let whole = History::new(seed, polite(), false).run(2000);
        let spilled = FrontierOptions { queue_memory_bytes: 1000, chunk_cache_bytes: 1, ..polite() };
        assert_eq!(History::new(seed, spilled, false).run(2000), whole);
    }
}

#[test]
fn the_same_entries_give_the_same_order() {
    // Two replays of one journal from different saves hand out the same URLs.
    for seed in 300..306 {
        let mut history = History::new(seed, eager(), true);
        let mut saves: Vec<Option<(Vec<u8>, usize)>> = vec![None];
        for step in 0..600 {
            let admit = history.random_admit();
            history.admit(admit);
            if step % 7 == 0 {
                history.take();
                let Some((item, ..)) = history.in_flight.pop() else { continue };
                history.finish(&item, FetchEnd::default());
            }
            if step % 100 == 99 {
                history.flush();
                let section = history.bench.frontier.save().unwrap().section;
                saves.push(Some((section, history.bench.journal.len())));
            }
        }
        history.flush();
        let orders: Vec<Vec<Ordinal>> = saves.iter().map(|saved| order_after(&history, saved)).collect();
        assert!(orders[0].len() > 50);
        assert!(orders.iter().all(|order| *order == orders[0]), "seed {seed}");
    }
}

fn order_after(history: &History, saved: &Option<(Vec<u8>, usize)>) -> Vec<Ordinal> {
    let section = saved.as_ref().map(|saved| saved.0.as_slice());
    let mut bench = Bench::open(history.options.clone(), history.dir.path(), section);
    bench.sequence = history.bench.sequence;
    for (sequence, entry) in history.bench.journal.iter().skip(saved.as_ref().map_or(0, |saved| saved.1)) {
        bench.replay(*sequence, entry.clone());
    }
    bench.frontier.resumed(bench.now);
    let mut order = Vec::new();
    while let Next::Item(item) = bench.next() {
        order.push(item.ordinal);
        bench.frontier.finished(item.ordinal, &FetchEnd::default(), bench.now);
        bench.apply(done(&item, FetchOutcome::Finished));
    }
    order
}

#[test]
fn an_entry_that_does_not_concern_the_frontier_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(eager(), dir.path(), None);
    bench.apply(Entry::Config { text: String::new() });
    bench.apply(Entry::Lost { ordinal: Ordinal(77) });
    assert!(matches!(bench.next(), Next::Empty));
}
