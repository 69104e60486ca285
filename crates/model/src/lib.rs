//! The nouns that every step shares, one a file, and the world outside as traits.
//!
//! Nothing here decides anything: a value is made by one step and read by the next. A noun is immutable once made.
//! `world` is the only door to clock, chance, network and disk (invariant 2 of ARCHITECTURE.md).

mod time;
mod hop;
mod key;
mod candidate;
mod decision;
mod item;
mod status;
mod body;
mod exchange;
mod extraction;
mod capture;
mod host;
mod outcome;
pub mod entry;
pub mod planted;
pub mod world;

pub use body::{Body, Spool};
pub use candidate::{Candidate, Directive, Via};
pub use capture::{Capture, CaptureKind, EarlierCapture, RecordPlace};
pub use decision::{Decision, Verdict};
pub use exchange::{Digest, Exchange, TlsInfo, Truncation};
pub use extraction::{Extraction, Outlink, Problem, RobotsMeta};
pub use hop::{Hop, HopPath};
pub use host::{CookieChange, DnsFact, HostChange, HostFacts, RobotsFact, RobotsRules};
pub use item::{FetchItem, History, Ordinal};
pub use key::{Fingerprint, FingerprintKey, PARTITIONS, UrlKey, partition};
pub use outcome::{CrawlLogFields, FetchOutcome, Fetched};
pub use status::FetchStatus;
pub use time::{MonoMs, WallMs};
