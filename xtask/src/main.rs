//! What maintainers run: `cargo xtask ci` and its steps, simulation and benchmarks.

mod bench;
mod checks;
mod ci;
mod judges;
mod shell;
mod sim;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What maintainers run.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Everything that a change must pass; installs what the tests need
    Ci,
    /// Install the servers, sites and tools that end-to-end tests need
    Judges,
    /// Licences and bans of all dependencies
    Licences,
    /// Crawl the false internet with faults and check what came of it
    Sim(sim::Args),
    /// Measure
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Ci => ci::run(),
        Command::Judges => judges::install().map(|_| ()),
        Command::Licences => checks::licences(),
        Command::Sim(args) => sim::run(&args),
        Command::Bench(args) => bench::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
