//! The command line: every command with its options.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{commands, exit};

/// Archive the web and search what was archived.
#[derive(Debug, Parser)]
#[command(name = "bequest", version, about, after_help = exit::HELP)]
#[command(long_about = "Archive the web and search what was archived.\n\n\
    bequest crawls sites politely into WARC files, never loses what it committed, explains every decision, and finds \
    it all again. `bequest demo` shows the whole of it in a few seconds, without a network.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Crawl a small built-in site, check, index and search it: no network needed
    Demo(commands::demo::Args),
    /// Archive what is reachable from the seeds
    Crawl(Box<commands::crawl::Args>),
    /// Go on with a job that was stopped, killed or ran out of disk
    Resume(commands::resume::Args),
    /// Say everything that is known of a URL, and why
    Explain(commands::explain::Args),
    /// Say how a running job is getting on; pause, unpause or stop it
    Status(commands::status::Args),
    /// List, check and read WARC files
    Warc(commands::warc::Args),
    /// List the captures of a URL
    Lookup(commands::lookup::Args),
    /// Make a job searchable, or print CDX lines of WARC files
    Index(commands::index::Args),
    /// Search the pages of a job
    Search(commands::search::Args),
    /// Make a search index of documents in JSON lines, for evaluations
    SearchIndex(commands::search::IndexArgs),
    /// Show captures and search in a browser
    Serve(commands::serve::Args),
}

impl Command {
    /// Does it.
    ///
    /// # Errors
    /// As the command says.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Command::Demo(args) => commands::demo::run(args),
            Command::Crawl(args) => commands::crawl::run(*args),
            Command::Resume(args) => commands::resume::run(args),
            Command::Explain(args) => commands::explain::run(args),
            Command::Status(args) => commands::status::run(args),
            Command::Warc(args) => commands::warc::run(args),
            Command::Lookup(args) => commands::lookup::run(args),
            Command::Index(args) => commands::index::run(args),
            Command::Search(args) => commands::search::run(args),
            Command::SearchIndex(args) => commands::search::run_index(args),
            Command::Serve(args) => commands::serve::run(args),
        }
    }
}
