//! What time it is. Waiting is `tokio::time`'s business: under its paused clock a whole crawl runs on virtual time.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::{MonoMs, WallMs};

/// What time it is.
pub trait Clock: Send + Sync {
    /// Calendar time.
    fn wall(&self) -> WallMs;
    /// Stopwatch time; must run in step with `tokio::time`.
    fn mono(&self) -> MonoMs;
}

/// The machine's clocks.
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// Starts the stopwatch.
    #[expect(clippy::new_without_default, reason = "starting a stopwatch is a deed, not a default")]
    pub fn new() -> SystemClock {
        SystemClock { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn wall(&self) -> WallMs {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        WallMs(since.as_millis() as u64)
    }

    fn mono(&self) -> MonoMs {
        MonoMs(self.started.elapsed().as_millis() as u64)
    }
}
