//! What can be asked of the frontier.

use std::sync::Arc;

use model::{Directive, FetchItem, MonoMs, Ordinal};
use surt::CanonicalUrl;

/// The answer of [`crate::Frontier::next`].
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "an item is moved once, to its worker")]
pub enum Next {
    /// A URL whose turn has come.
    Item(FetchItem),
    /// Nothing before that time, unless something is applied.
    WaitUntil(MonoMs),
    /// Nothing until a fetch ends, a flush comes or something else is applied.
    Wait,
    /// Nothing queued, pending or in flight.
    Empty,
}

/// Where a queue stands (Heritrix's queue states).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueState {
    /// May give a URL now.
    Ready,
    /// Its URLs are in flight as far as allowed, or an end of a fetch has yet to be applied.
    Busy,
    /// Waits for its time.
    Snoozed,
    /// Waits until active queues leave room.
    Inactive,
    /// Has no URL.
    Exhausted,
    /// Gives no URL any more.
    Retired,
}

/// A queue as reports show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueStatus {
    /// Its name.
    pub key: String,
    /// Where it stands.
    pub state: QueueState,
    /// URLs that wait in it.
    pub queued: u64,
    /// URLs handed out.
    pub in_flight: u32,
    /// Not to be handed out before.
    pub wake: MonoMs,
    /// The last wait in milliseconds.
    pub wait_ms: u64,
    /// Cost spent since it became active.
    pub session_spent: u64,
    /// Cost spent in all.
    pub total_spent: u64,
    /// Answers in a row that asked to slow down.
    pub slow_downs: u32,
}

/// A URL that waits in a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedUrl {
    /// Its name in the journal.
    pub ordinal: Ordinal,
    /// What it is.
    pub url: CanonicalUrl,
    /// Its order in the queue.
    pub directive: Directive,
    /// Its order after the directive.
    pub precedence: u8,
    /// Attempts so far.
    pub attempts: u32,
}

/// What a `Done` must know of an item in flight besides its candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// The rule that admitted it.
    pub rule: Arc<str>,
    /// Its cost against the queue's budget.
    pub cost: u8,
}

/// Sums over the frontier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrontierCounts {
    /// URLs that wait in queues that are not retired, as of the last flush.
    pub queued: u64,
    /// Offers that wait for the seen test.
    pub pending: u64,
    /// URLs handed out whose `Done` is not applied.
    pub in_flight: u64,
    /// Items finished for good.
    pub finished: u64,
    /// URLs ever queued, as of the last flush.
    pub discovered: u64,
    /// URLs in retired queues.
    pub queued_retired: u64,
    /// Queues.
    pub queues: QueueCounts,
}

/// Queues by state; together they are all queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueCounts {
    /// May give a URL now.
    pub ready: u64,
    /// All their URLs in flight, or waiting for a `Done`.
    pub busy: u64,
    /// Wait for their time.
    pub snoozed: u64,
    /// Wait for room.
    pub inactive: u64,
    /// Have no URL.
    pub exhausted: u64,
    /// Give no URL any more.
    pub retired: u64,
}

impl QueueCounts {
    /// Ready, busy and snoozed: what Heritrix calls active.
    pub fn active(&self) -> u64 {
        self.ready + self.busy + self.snoozed
    }
}

/// What [`crate::Frontier::save`] gives to the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The frontier's own part of the manifest.
    pub section: Vec<u8>,
    /// Every file it stands on, with its length; synced, as is their folder.
    pub files: Vec<(std::path::PathBuf, u64)>,
}
