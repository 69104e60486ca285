//! Where CPU time goes, stage by stage: measured only when the job file asks for it (`[crawl] measure_stages`).
//!
//! CPU time of the thread, not time that passed: what waits for the network or for a core costs nothing here.

use std::fmt::Write;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::time::{ClockId, clock_gettime};

/// A part of the way of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Requests and answers, digests and content codings included.
    Fetch,
    /// Links out of payloads.
    Extract,
    /// Links to admits.
    Scope,
    /// Records made and compressed.
    Archive,
    /// Commits: WARC and journal written, crawl.log, index, crawl db.
    Ledger,
    /// Entries applied, items handed out.
    Frontier,
}

/// Names as the job log shows them.
const NAMES: [(Stage, &str); 6] = [
    (Stage::Fetch, "fetch"),
    (Stage::Extract, "extract"),
    (Stage::Scope, "scope"),
    (Stage::Archive, "archive"),
    (Stage::Ledger, "ledger"),
    (Stage::Frontier, "frontier"),
];

/// CPU time of each stage, over all threads.
#[derive(Debug, Default)]
pub struct Stages {
    is_on: bool,
    nanoseconds: [AtomicU64; NAMES.len()],
}

impl Stages {
    /// Measures nothing unless `is_on`.
    pub fn new(is_on: bool) -> Stages {
        Stages { is_on, ..Stages::default() }
    }

    /// Does work and counts its CPU time.
    pub fn time<T>(&self, stage: Stage, work: impl FnOnce() -> T) -> T {
        if !self.is_on {
            return work();
        }
        let started = thread_ns();
        let result = work();
        self.nanoseconds[stage as usize].fetch_add(thread_ns() - started, Ordering::Relaxed);
        result
    }

    /// Waits for a future and counts the CPU time of each time it is polled.
    pub async fn time_future<F: Future>(&self, stage: Stage, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|context| self.time(stage, || future.as_mut().poll(context))).await
    }

    /// A line for the job log, e.g. `CPU time by stage: fetch 0.412 s, …`; `None` if nothing was measured.
    pub fn text(&self) -> Option<String> {
        let mut text = String::from("CPU time by stage:");
        for (stage, name) in NAMES {
            let seconds = self.nanoseconds[stage as usize].load(Ordering::Relaxed) as f64 / 1e9;
            let comma = if stage == Stage::Fetch { "" } else { "," };
            write!(text, "{comma} {name} {seconds:.3} s").expect("into a String");
        }
        self.is_on.then_some(text)
    }
}

/// CPU time of this thread so far.
fn thread_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_when_asked() {
        let off = Stages::new(false);
        assert_eq!((off.time(Stage::Scope, || 1), off.text()), (1, None));
        let on = Stages::new(true);
        on.time(Stage::Extract, || (0..3_000_000u64).fold(0, |sum, n| std::hint::black_box(sum ^ n)));
        let text = on.text().unwrap();
        assert!(text.starts_with("CPU time by stage: fetch 0.000 s, extract 0."), "{text}");
        assert!(!text.contains("extract 0.000 s"), "{text}");
    }
}
