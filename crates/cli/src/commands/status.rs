//! `bequest status`: how a running job is getting on.

use std::path::PathBuf;
use std::process::ExitCode;

use crawl::{Command, JobDir};

use crate::live;

/// Say how a running job is getting on; pause, unpause or stop it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The job's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// Hand out no more URLs
    #[arg(long, conflicts_with_all = ["unpause", "stop"])]
    pub pause: bool,
    /// Go on after --pause
    #[arg(long, conflicts_with = "stop")]
    pub unpause: bool,
    /// End the crawl cleanly
    #[arg(long)]
    pub stop: bool,
}

/// Runs the command.
///
/// # Errors
/// When no process works on the job.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let job = JobDir::new(args.job.unwrap_or_else(|| PathBuf::from(".")));
    let command = match () {
        () if args.pause => Command::Pause,
        () if args.unpause => Command::Unpause,
        () if args.stop => Command::Stop,
        () => Command::Status,
    };
    match live::ask(&job, &command)? {
        Some(answer) => outln!("{}", serde_json::to_string_pretty(&answer)?),
        None => anyhow::bail!("no process works on the job in {}", job.root().display()),
    }
    Ok(ExitCode::SUCCESS)
}
