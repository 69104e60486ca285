//! The steps in order: job file, the way of a URL, launches, limits, logs, reports. The library facade of the program.
//!
//! Open `way.rs` first: it shows the way of a URL on one page. `engine.rs` decides when a URL sets out on it,
//! `ledger.rs` makes what came of it durable, `resume.rs` finds it all again.

mod candidates;
pub mod crawl_log;
mod engine;
mod handled;
mod ledger;
mod logs;
mod stages;
mod state;
mod statistics;
mod steps;
mod way;

mod job;
mod job_file;
mod job_log;
mod launch;
mod manifest;
mod registry;
mod replay;
mod resume;
mod seeds;
mod settings;

mod control;
mod explain;
mod progress;
mod reports;
mod world;

pub use control::{Command, Request, ask, listen};
pub use engine::Ending;
pub use explain::{at_rest as explain_at_rest, text as explanation_text};
pub use job::{JobDir, JobError, LaunchDir};
pub use job_file::{ArchiveSection, Canonicalization, CrawlOptions, JobFile, JobFileError};
pub use launch::{Channels, channels, run};
pub use progress::{Phase, Progress};
pub use registry::Registry;
pub use reports::{duration as human_duration, human_bytes};
pub use resume::check_job_file;
pub use seeds::{SeedsError, check as check_seeds};
pub use statistics::Statistics;
pub use world::{now, real_world, real_world_of};

pub use fetch::{AddressRange, RobotsPolicy};
pub use scope::{Embeds, ScopeKind};

use model::world::World;

/// Makes a new job of a folder.
///
/// # Errors
/// [`JobError::Exists`] if it holds one, [`JobError::Disk`] if it cannot be written.
pub fn create_job(world: &World, job: &JobDir, file: &JobFile, seeds_text: &str) -> Result<(), JobError> {
    job.create(world, &file.to_text(), seeds_text)
}

/// True if an error says that something stored is damaged, rather than that a deed failed.
pub fn is_damage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<store::Error>()
            .is_some_and(|error| matches!(error, store::Error::Corrupt { .. }))
            || cause
                .downcast_ref::<archive::RecoverError>()
                .is_some_and(|error| !matches!(error, archive::RecoverError::Io(_)))
    })
}
