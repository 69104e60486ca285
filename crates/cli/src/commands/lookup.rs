//! `bequest lookup`: the captures of a URL.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use replay::Replay;
use serde_json::json;

/// List the captures of a URL, oldest first.
///
/// Spellings that share a key (`http` and `https`, `www.`, order of the query) count as one URL. Also works while the job
/// runs. Ends with exit code 1 if there is none.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The URL
    pub url: String,
    /// The job's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// Print a line of JSON a capture
    #[arg(long)]
    pub json: bool,
    /// Only captures from this time on: 4 to 14 digits, YYYYMMDDhhmmss
    #[arg(long, value_name = "DIGITS")]
    pub from: Option<String>,
    /// Only captures up to this time, whole: 2026 is all of that year
    #[arg(long, value_name = "DIGITS")]
    pub to: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// When the folder holds no job or its index cannot be read.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let job = super::job::existing(args.job)?;
    let from = args.from.unwrap_or_default();
    let to = args.to.unwrap_or_default();
    let mut captures = Replay::open(&job).captures(&args.url)?;
    captures.retain(|line| {
        let until = line.timestamp.get(..to.len()).unwrap_or(&line.timestamp);
        line.timestamp.as_str() >= from.as_str() && until <= to.as_str()
    });
    let mut out = BufWriter::new(io::stdout().lock());
    for line in &captures {
        if args.json {
            let row = json!({
                "url": line.url, "timestamp": line.timestamp, "status": line.status, "mime": line.mime,
                "digest": line.digest, "file": line.filename, "offset": line.offset, "length": line.length,
            });
            writeln!(out, "{row}")?;
        } else {
            let status = line.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
            let mime = line.mime.as_deref().unwrap_or("-");
            writeln!(
                out,
                "{} {status:>3} {mime:<24} {} {}:{}",
                line.timestamp, line.url, line.filename, line.offset
            )?;
        }
    }
    out.flush()?;
    if captures.is_empty() && !args.json {
        eprintln!("{}: no capture", args.url);
    }
    Ok(if captures.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
