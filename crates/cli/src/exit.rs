//! Exit codes with a meaning.

use std::process::ExitCode;

use crawl::JobError;

/// What `--help` says of exit codes.
pub const HELP: &str = "Exit codes:
  0    done: everything fetched, or everything found in order
  1    an error: the message says which and what to do
  2    the command line, a seed or the job file is wrong
  3    the job's folder cannot be used: it holds a job already, holds none, or another process works on it
  4    something is damaged: a state folder or a WARC file
  5    stopped before the end; `bequest resume DIR` goes on
  6    a limit ended the crawl (--max-urls, --max-bytes, --max-time)
  130  stopped at once by a second Ctrl-C; nothing is lost";

/// Command line, seed or job file.
pub const USAGE: u8 = 2;
/// The folder.
pub const FOLDER: u8 = 3;
/// Damage.
pub const DAMAGE: u8 = 4;
/// Stopped.
pub const STOPPED: u8 = 5;
/// A limit.
pub const LIMIT: u8 = 6;

/// An error that is the user's to mend in what they wrote.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// The exit code of an error.
pub fn code_of(error: &anyhow::Error) -> ExitCode {
    let chain = |test: &dyn Fn(&(dyn std::error::Error + 'static)) -> bool| error.chain().any(test);
    if chain(&|cause| cause.is::<UsageError>() || cause.is::<crawl::JobFileError>()) {
        return USAGE.into();
    }
    if chain(&|cause| cause.is::<JobError>()) {
        return FOLDER.into();
    }
    if crawl::is_damage(error) {
        return DAMAGE.into();
    }
    ExitCode::FAILURE
}

/// True if the error is that nobody reads our output any more.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
