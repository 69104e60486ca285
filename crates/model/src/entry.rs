//! Journal entries: the only truth about decisions (DURABILITY.md, part 1).
//!
//! State is a deterministic function of the entries; replay evaluates no policy. The sequence number of an entry is not
//! stored in it: it follows from the frame it stands in.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use surt::CanonicalUrl;

use crate::{
    Candidate, Capture, CookieChange, CrawlLogFields, FetchOutcome, Fingerprint, HostChange, Ordinal,
    RecordPlace, WallMs,
};

/// One journal entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// A process began to work on the job.
    Launch {
        /// From 1.
        number: u32,
        /// Name of the launch folder, 14 digits.
        folder: String,
        /// When.
        at: WallMs,
    },
    /// The whole effective configuration, as the text of a job file.
    Config {
        /// TOML.
        text: String,
    },
    /// Scope grew by a SURT prefix (a seed, a redirect of a seed).
    ScopeChange {
        /// The SURT prefix.
        surt_prefix: String,
        /// The seed it stems from.
        seed: CanonicalUrl,
    },
    /// Lines of an action file (or `seeds.txt`) up to `lines_done` are in the journal.
    Action {
        /// Name in `state/actions`.
        name: String,
        /// Lines done so far.
        lines_done: u64,
        /// The whole file is done.
        end: bool,
    },
    /// A candidate was accepted: it enters the sieve. The entry's sequence number is its ordinal.
    Admit(Box<Admit>),
    /// The sieve was flushed of all admits up to an ordinal, and nowhere else.
    Flush {
        /// The last ordinal that takes part.
        through: Ordinal,
    },
    /// An attempt at an item ended.
    Done(Box<Done>),
    /// A queue was changed by hand or by policy.
    QueueControl {
        /// The queue's name.
        queue_key: String,
        /// What was done.
        control: QueueControl,
    },
    /// `repair` gave up the capture of an item: its URL is queued again, its digest forgotten.
    Lost {
        /// The item.
        ordinal: Ordinal,
    },
}

/// A candidate that scope accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Admit {
    /// The URL and how it was found.
    pub candidate: Candidate,
    /// What the seen test compares: the fingerprint of the canonical spelling.
    pub fingerprint: Fingerprint,
    /// Name of its queue.
    pub queue_key: String,
    /// Precedence in its queue after the directive; lower goes first.
    pub precedence: u8,
    /// Cost against the queue's budget.
    pub cost: u8,
    /// The deciding rule: its name as [`crate::Decision::rule`] gives it.
    pub rule: Arc<str>,
    /// Does not wait in the sieve's buffer: seeds, prerequisites, forced URLs. Entered in the seen test all the same.
    pub bypass: bool,
}

/// The end of an attempt: all that logs, CDXJ, crawl db and statistics are derived from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The item.
    pub ordinal: Ordinal,
    /// Its URL, so that logs can be written without looking into a queue.
    pub url: CanonicalUrl,
    /// Its queue.
    pub queue_key: String,
    /// The attempt that ended, from 1.
    pub attempt: u32,
    /// What becomes of the item.
    pub outcome: FetchOutcome,
    /// The crawl.log line; written only if `outcome` is `Finished`.
    pub log: CrawlLogFields,
    /// The record; `None` if nothing was archived.
    pub capture: Option<Capture>,
    /// Bytes at the start of a new WARC file before this capture: its warcinfo record.
    pub warcinfo: Option<RecordPlace>,
    /// Cost against the queue's budget.
    pub cost: u8,
    /// Why it was refused or failed, which robots line matched, which TLS problems were met: for `explain`.
    pub reason: Option<String>,
    /// The rule that admitted it.
    pub rule: Arc<str>,
    /// What is now known of the host.
    pub host_changes: Vec<HostChange>,
    /// Cookies that were set.
    pub cookie_changes: Vec<CookieChange>,
    /// `ETag`, for later conditional requests.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
    /// Seed this URL belongs to, for the seeds report: true if the item is a seed.
    pub is_seed: bool,
    /// Where a redirect led.
    pub redirect_to: Option<CanonicalUrl>,
    /// Links found, and how many of them were admitted.
    pub outlinks: (u32, u32),
}

/// A change to a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueueControl {
    /// No more URLs of it are handed out.
    Retire,
    /// It comes back.
    Unretire,
}
