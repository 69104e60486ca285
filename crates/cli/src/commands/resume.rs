//! `bequest resume`: go on with a job.

use std::path::PathBuf;
use std::process::ExitCode;

use crawl::JobDir;

use crate::live;

/// Go on with a job that was stopped, killed or ran out of disk.
///
/// The job file in the folder may have been changed meanwhile, for instance a limit raised.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The job's folder [default: the current folder]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When the folder holds no job, another process works on it, or its state is damaged.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let job = JobDir::new(args.dir.unwrap_or_else(|| PathBuf::from(".")));
    live::run(&job)
}
