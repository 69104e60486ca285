//! A URL whose turn has come.

use serde::{Deserialize, Serialize};

use crate::{Candidate, Digest, WallMs};

/// The sequence number of an item's `Admit` entry: its name in the journal for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Ordinal(pub u64);

/// What is known of earlier fetches of a URL, for conditional requests and revisits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct History {
    /// Status of the last fetch.
    pub status: Option<i32>,
    /// When it began.
    pub fetched_at: Option<WallMs>,
    /// Its payload digest.
    pub payload_digest: Option<Digest>,
    /// Its `ETag`.
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    pub last_modified: Option<String>,
}

/// A URL that the frontier hands out to be fetched now.
#[derive(Debug, Clone)]
pub struct FetchItem {
    /// Its name in the journal.
    pub ordinal: Ordinal,
    /// The URL and how it was found.
    pub candidate: Candidate,
    /// Name of its queue.
    pub queue_key: String,
    /// This attempt's number, from 1; deferrals count (Heritrix `fetchAttempts`).
    pub attempt: u32,
    /// Earlier fetches; empty in a first crawl.
    pub history: History,
}
