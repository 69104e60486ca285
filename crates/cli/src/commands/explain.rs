//! `bequest explain`: everything that is known of a URL, and why.

use std::path::PathBuf;
use std::process::ExitCode;

use crawl::{Command, JobDir};

use crate::live;

/// Say everything that is known of a URL, and why it was fetched or not.
///
/// Works while the job runs and when it does not. Each line says whether it was recorded when it happened or is computed
/// now.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The URL
    pub url: String,
    /// The job's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the folder holds no job or the text is no URL.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let job = JobDir::new(args.job.unwrap_or_else(|| PathBuf::from(".")));
    let command = Command::Explain { url: args.url.clone() };
    let answer = match live::ask(&job, &command)? {
        Some(answer) => answer,
        None => crawl::explain_at_rest(&crawl::real_world(None)?, &job, &args.url)?,
    };
    if args.json {
        outln!("{}", serde_json::to_string_pretty(&answer)?);
    } else {
        outln!("{}", crawl::explanation_text(&answer).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}
