//! job.log: launches and state changes, a line each, in Heritrix's form.

use model::world::World;

use crate::job::JobDir;
use crate::logs::Log;

/// Appends a line. The log is for people: that it cannot be written stops nothing.
pub fn write(world: &World, job: &JobDir, level: &str, message: &str) {
    let line = format!("{} {level} {message}\n", world.clock.wall().iso_ms());
    let written = Log::open(&*world.disk, &job.log()).and_then(|mut log| {
        log.push(&line)?;
        log.flush()
    });
    // A full disk is the very thing that may be reported here.
    drop(written);
}
