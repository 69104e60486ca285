//! What is known of a URL.

use std::sync::Arc;

use model::entry::{Admit, Done};
use model::{Capture, CrawlLogFields, FetchOutcome, History, Ordinal};
use serde::{Deserialize, Serialize};
use surt::CanonicalUrl;

/// How far a URL has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UrlState {
    /// Waits for its turn.
    Queued,
    /// Waits behind a prerequisite.
    Deferred,
    /// An attempt failed; there will be another.
    Retrying,
    /// Fetched, refused or given up: see the status of its last fetch.
    Finished,
    /// Its capture was lost and given up by `repair`; it is queued again.
    Lost,
}

/// All that is known of a URL.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct UrlEntry {
    /// How far it has come.
    pub state: UrlState,
    /// The sequence number of its last `Admit`: when, in the journal's time, it was admitted.
    pub ordinal: Ordinal,
    /// Attempts so far, deferrals included.
    pub attempts: u32,
    /// How it was found, and which rule admitted it.
    pub admit: Admit,
    /// How its last attempt ended; `None` if there was none.
    pub last: Option<LastFetch>,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastFetch {
    /// Sequence number of its `Done` entry.
    pub sequence: u64,
    /// What became of the item.
    pub outcome: FetchOutcome,
    /// Status, times, digest and all else that crawl.log shows.
    pub log: CrawlLogFields,
    /// The record; `None` if nothing was archived.
    pub capture: Option<Capture>,
    /// Why it was refused or failed.
    pub reason: Option<String>,
    /// The rule that admitted it.
    pub rule: Arc<str>,
    /// Where it redirected to.
    pub redirect_to: Option<CanonicalUrl>,
    /// Links found, and how many of them were admitted.
    pub outlinks: (u32, u32),
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
}

/// The fields of a [`UrlEntry`] in the same order, borrowed: what is written.
#[derive(Serialize)]
pub(crate) struct UrlRow<'a> {
    pub state: UrlState,
    pub ordinal: Ordinal,
    pub attempts: u32,
    pub admit: &'a Admit,
    pub last: Option<&'a LastFetch>,
}

impl UrlEntry {
    /// The URL itself.
    pub fn url(&self) -> &CanonicalUrl {
        &self.admit.candidate.url
    }

    /// What the next fetch of it wants to know of this one.
    pub fn history(&self) -> History {
        let Some(last) = &self.last else { return History::default() };
        History {
            status: Some(last.log.status.0),
            fetched_at: last.log.started.map(|(at, _)| at),
            payload_digest: last.log.digest,
            etag: last.etag.clone(),
            last_modified: last.last_modified.clone(),
        }
    }

    pub(crate) fn row(&self) -> UrlRow<'_> {
        UrlRow {
            state: self.state,
            ordinal: self.ordinal,
            attempts: self.attempts,
            admit: &self.admit,
            last: self.last.as_ref(),
        }
    }
}

impl LastFetch {
    pub(crate) fn new(sequence: u64, done: &Done) -> LastFetch {
        LastFetch {
            sequence,
            outcome: done.outcome,
            log: done.log.clone(),
            capture: done.capture.clone(),
            reason: done.reason.clone(),
            rule: done.rule.clone(),
            redirect_to: done.redirect_to.clone(),
            outlinks: done.outlinks,
            etag: done.etag.clone(),
            last_modified: done.last_modified.clone(),
        }
    }
}
