//! Sums over a job: what reports, progress line and limits are made of. A function of the journal's `Done` entries.

use std::collections::BTreeMap;

use model::entry::Done;
use model::{CaptureKind, FetchOutcome, FetchStatus, Hop};
use serde::{Deserialize, Serialize};

/// Number and bytes of URLs of one sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// URLs.
    pub urls: u64,
    /// Bytes received, headers not counted.
    pub bytes: u64,
}

impl Tally {
    fn add(&mut self, bytes: u64) {
        self.urls += 1;
        self.bytes += bytes;
    }
}

/// Sums of one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostTally {
    /// Successes.
    pub all: Tally,
    /// Of these, new content.
    pub novel: Tally,
    /// Of these, content that was captured before.
    pub duplicate: Tally,
    /// Refused by robots.txt.
    pub robots_denials: u64,
}

/// A seed and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedState {
    /// Its last status; `None` while it was not tried.
    pub status: Option<FetchStatus>,
    /// Where it redirected to.
    pub redirect_to: Option<String>,
}

/// Sums over a job.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Finished with a status above 0.
    pub successes: u64,
    /// Finished without an answer.
    pub failures: u64,
    /// Refused on purpose.
    pub disregards: u64,
    /// Fetches that count against `urls_max`: finished, answered, no prerequisite.
    pub fetches: u64,
    /// New content.
    pub novel: Tally,
    /// Content captured before.
    pub duplicate: Tally,
    /// By status.
    pub by_status: BTreeMap<i32, u64>,
    /// By media type.
    pub by_mime: BTreeMap<String, Tally>,
    /// By host; `dns:` stands for all look-ups.
    pub by_host: BTreeMap<String, HostTally>,
    /// Seeds by URL.
    pub seeds: BTreeMap<String, SeedState>,
    /// Milliseconds of running in earlier launches.
    pub earlier_ms: u64,
    /// Milliseconds of running, as of the last manifest; what a resume takes for `earlier_ms`.
    pub running_ms: u64,
}

impl Statistics {
    /// All finished URLs.
    pub fn finished(&self) -> u64 {
        self.successes + self.failures + self.disregards
    }

    /// Bytes received.
    pub fn bytes(&self) -> u64 {
        self.novel.bytes + self.duplicate.bytes
    }

    /// A seed was announced.
    pub fn seed(&mut self, url: &str) {
        let untried = SeedState { status: None, redirect_to: None };
        self.seeds.entry(url.to_owned()).or_insert(untried);
    }

    /// Counts an attempt that ended; only final ones count.
    pub fn apply(&mut self, done: &Done) {
        if done.outcome != FetchOutcome::Finished {
            return;
        }
        let status = done.log.status;
        *self.by_status.entry(status.0).or_default() += 1;
        if done.is_seed {
            let redirect_to = done.redirect_to.as_ref().map(|url| url.as_str().to_owned());
            self.seeds.insert(done.url.as_str().to_owned(), SeedState { status: Some(status), redirect_to });
        }
        let host = self.by_host.entry(host_name(done)).or_default();
        if status.is_disregarded() {
            self.disregards += 1;
            host.robots_denials += u64::from(status == FetchStatus::ROBOTS_PRECLUDED);
            return;
        }
        if !status.is_success() {
            self.failures += 1;
            return;
        }
        self.successes += 1;
        self.fetches += u64::from(done.log.hop_path.last() != Some(Hop::Prerequisite));
        let bytes = done.log.size.unwrap_or(0);
        host.all.add(bytes);
        self.by_mime.entry(done.log.mime.clone()).or_default().add(bytes);
        let is_revisit = done.capture.as_ref().is_some_and(|capture| capture.kind == CaptureKind::Revisit);
        let (total, of_host) = if is_revisit {
            (&mut self.duplicate, &mut host.duplicate)
        } else {
            (&mut self.novel, &mut host.novel)
        };
        total.add(bytes);
        of_host.add(bytes);
    }
}

fn host_name(done: &Done) -> String {
    match done.url.host() {
        Some(host) => host.to_owned(),
        None => format!("{}:", done.url.scheme()),
    }
}
