//! `cargo xtask bench`: benchmarks, each printing a table that anyone can make again.

use crate::shell;

/// Options.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which one
    #[arg(value_enum)]
    pub name: Name,
    /// What goes on to it; `-- --help` says what it takes
    #[arg(last = true)]
    pub arguments: Vec<String>,
}

/// A benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Name {
    /// Offers to sieve, queues and journal
    Frontier,
    /// Keyed tables
    Table,
}

/// Builds and runs one.
///
/// # Errors
/// When it cannot be built or fails.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let package = match args.name {
        Name::Frontier => "bench-frontier",
        Name::Table => "bench-table",
    };
    let mut arguments = vec!["run", "--release", "--quiet", "--package", package, "--"];
    arguments.extend(args.arguments.iter().map(String::as_str));
    shell::run("cargo", &arguments)
}
