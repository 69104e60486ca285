//! Which URL next, and when: sieve, work queues, politeness.
//!
//! A plain deterministic state machine. Journal entries go in through [`Frontier::apply`], URLs come out through
//! [`Frontier::next`], and the same entries always give the same queues. It leaves to others what belongs to the crawl
//! (scope), how a URL is fetched, the journal itself, and what time it is: every call that depends on time is told.
//! Follows Heritrix's WorkQueueFrontier for queues and politeness, IRLbot's DRUM and BUbiNG's sieve for the seen test.

mod options;
mod frontier;
mod status;
mod politeness;
mod rotation;
mod table;
mod queue;
mod order;
mod segment;
mod sieve;
mod recent;
mod rules;
mod stored;
mod wire;
mod error;

pub use error::{FrontierError, Result};
pub use frontier::Frontier;
pub use options::{FrontierOptions, Politeness};
pub use politeness::FetchEnd;
pub use status::{Admitted, FrontierCounts, Next, QueueCounts, QueueState, QueueStatus, QueuedUrl, Saved};
