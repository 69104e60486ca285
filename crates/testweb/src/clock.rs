//! Virtual time: tokio's paused clock, which jumps to the next timer whenever all tasks wait.

use std::future::Future;

use model::world::Clock;
use model::{MonoMs, WallMs};
use tokio::time::Instant;

/// Calendar time at which every simulation begins: 2026-01-05T10:00:00Z.
pub const SIM_BEGINS: WallMs = WallMs(1_767_607_200_000);

/// A clock in step with `tokio::time`, paused or not.
pub struct SimClock {
    started: Instant,
    wall: WallMs,
}

impl SimClock {
    /// Starts at that calendar time. To be called inside the runtime whose time it shows.
    pub fn new(wall: WallMs) -> SimClock {
        SimClock { started: Instant::now(), wall }
    }
}

impl Clock for SimClock {
    fn wall(&self) -> WallMs {
        self.wall + self.mono().0
    }

    fn mono(&self) -> MonoMs {
        MonoMs(self.started.elapsed().as_millis() as u64)
    }
}

/// Runs a future to its end on virtual time, in this thread alone: the order of all tasks is the same in every run.
pub fn run_virtual<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without sockets needs nothing from the system");
    runtime.block_on(future)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_passes_at_once() {
        let real = std::time::Instant::now();
        let (wall, mono) = run_virtual(async {
            let clock = SimClock::new(SIM_BEGINS);
            tokio::time::sleep(std::time::Duration::from_secs(30 * 86_400)).await;
            (clock.wall(), clock.mono())
        });
        assert_eq!(wall.iso_seconds(), "2026-02-04T10:00:00Z");
        assert_eq!(mono, MonoMs(30 * 86_400_000));
        assert!(real.elapsed().as_secs() < 10);
    }
}
