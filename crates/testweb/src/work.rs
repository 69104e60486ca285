//! Work that takes a moment of virtual time, so that the rest of a program goes on meanwhile.

use std::sync::Mutex;
use std::time::Duration;

use fastrand::Rng;
use model::world::Work;
use tokio::time::{Instant, sleep_until};

/// Runs each job whole at some moment within the next milliseconds, one after the other in the order they came. What a
/// job does to a disk thus happens at one moment of virtual time, but requests go out and answers come in before it.
pub struct DelayedWork {
    ms_max: u64,
    state: Mutex<(Rng, Instant)>,
}

impl DelayedWork {
    /// Jobs wait up to that long. To be called inside a runtime.
    pub fn new(seed: u64, ms_max: u64) -> DelayedWork {
        DelayedWork { ms_max, state: Mutex::new((Rng::with_seed(seed), Instant::now())) }
    }
}

impl Work for DelayedWork {
    fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
        let at = {
            let mut state = self.state.lock().expect("no panic while held");
            let wait = Duration::from_millis(state.0.u64(..=self.ms_max));
            let at = (Instant::now() + wait).max(state.1);
            state.1 = at;
            at
        };
        tokio::spawn(async move {
            sleep_until(at).await;
            job();
        });
    }

    fn is_inline(&self) -> bool {
        false
    }
}
