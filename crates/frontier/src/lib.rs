//! Which URL next, and when: sieve, work queues, politeness.
//!
//! A plain deterministic state machine. Journal entries go in through [`Frontier::apply`], URLs come out through
//! [`Frontier::next`], and the same entries always give the same queues. It leaves to others what belongs to the crawl
//! (scope), how a URL is fetched, the journal itself, and what time it is: every call that depends on time is told.
//! Follows Heritrix's WorkQueueFrontier for queues and politeness, IRLbot's DRUM and BUbiNG's sieve for the seen test.

mod apply;
mod error;
mod flush;
mod frontier;
mod known;
mod options;
mod order;
mod packed;
mod politeness;
mod queue;
mod recent;
mod reports;
mod rotation;
mod rules;
mod save;
mod segment;
mod sieve;
mod status;
mod stored;
mod table;
mod table_file;
mod wire;

pub use error::{FrontierError, Result};
pub use frontier::Frontier;
pub use options::{FrontierOptions, Politeness};
pub use politeness::FetchEnd;
pub use status::{Admitted, FrontierCounts, Next, QueueCounts, QueueState, QueueStatus, QueuedUrl, Saved};
