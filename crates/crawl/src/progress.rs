//! How a running job is getting on, as numbers.

use serde::{Deserialize, Serialize};

use crate::state::State;

/// What a running job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Reads state and seeds.
    #[default]
    Preparing,
    /// Fetches.
    Running,
    /// Waits because somebody said so.
    Paused,
    /// Waits for space on the disk.
    PausedDiskFull,
    /// Waits after an error of the disk, then resumes.
    PausedError,
    /// Finishes what is under way.
    Stopping,
}

/// A look at a running job.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// What it does.
    pub phase: Phase,
    /// Why it waits, if it does.
    pub reason: Option<String>,
    /// Milliseconds of running, earlier launches included, pauses not.
    pub running_ms: u64,
    /// URLs ever queued, as of the last flush.
    pub discovered: u64,
    /// Offers that wait for the seen test.
    pub pending: u64,
    /// URLs that wait in queues.
    pub queued: u64,
    /// URLs under way.
    pub in_flight: u64,
    /// Finished with an answer.
    pub done: u64,
    /// Finished without.
    pub failed: u64,
    /// Refused on purpose.
    pub refused: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Queues that may give a URL or wait for their time.
    pub queues_active: u64,
}

impl Progress {
    /// A look at this state.
    pub fn of(state: &State, phase: Phase, running_ms: u64, in_flight: u64) -> Progress {
        let counts = state.frontier.counts();
        let statistics = &state.statistics;
        Progress {
            phase,
            reason: None,
            running_ms,
            discovered: counts.discovered,
            pending: counts.pending,
            queued: counts.queued,
            in_flight,
            done: statistics.successes,
            failed: statistics.failures,
            refused: statistics.disregards,
            bytes: statistics.bytes(),
            queues_active: counts.queues.active(),
        }
    }
}
