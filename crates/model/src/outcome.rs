//! How a fetch went.

use serde::{Deserialize, Serialize};

use crate::{CookieChange, Exchange, FetchStatus, HopPath, HostChange, WallMs};

/// What the fetch step gives back.
#[derive(Debug)]
pub enum Fetched {
    /// An answer came, maybe truncated; whatever its status.
    Exchange {
        /// The exchange to archive.
        exchange: Box<Exchange>,
        /// What is now known of the host.
        host_changes: Vec<HostChange>,
        /// Cookies that were set.
        cookie_changes: Vec<CookieChange>,
    },
    /// Something else must be fetched first.
    Prerequisite {
        /// What.
        url: surt::CanonicalUrl,
    },
    /// Will not be fetched.
    Refused {
        /// -9998, -5005, …
        status: FetchStatus,
        /// The rule that refused it, e.g. the line of robots.txt.
        rule: String,
    },
    /// The address has its full number of requests; to be handed out again, the attempt not counted.
    Busy,
    /// No answer.
    Failed {
        /// -1, -2, -3, -4, -6, -7, -61.
        status: FetchStatus,
        /// For nonfatal-errors.log and `explain`.
        reason: String,
        /// Whether another attempt makes sense.
        retry: bool,
        /// When it began; `None` if nothing was tried.
        started: Option<WallMs>,
        /// How long it took.
        duration_ms: u64,
        /// E.g. that the host has no address.
        host_changes: Vec<HostChange>,
    },
}

/// What becomes of an item after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FetchOutcome {
    /// Finished for good: it leaves its queue.
    Finished,
    /// Stays on top of its queue, which waits that long first.
    Retry {
        /// Milliseconds.
        delay_ms: u64,
    },
    /// Stays in its queue behind the prerequisite that it waits for.
    Deferred,
}

/// Every field of a crawl.log line but the time of logging.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlLogFields {
    /// Time of the line.
    pub logged_at: WallMs,
    /// Fetch status.
    pub status: FetchStatus,
    /// Body length as transferred without headers; `None` prints `-`.
    pub size: Option<u64>,
    /// Path from the seed.
    pub hop_path: HopPath,
    /// Where it was found.
    pub via: Option<String>,
    /// Media type, `no-type` or `unknown`.
    pub mime: String,
    /// Worker number.
    pub worker: u16,
    /// Start of the fetch and its milliseconds.
    pub started: Option<(WallMs, u64)>,
    /// Payload digest.
    pub digest: Option<crate::Digest>,
    /// Seed text.
    pub source_tag: Option<String>,
    /// In the order they were made.
    pub annotations: Vec<String>,
}
