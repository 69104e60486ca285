//! `cargo run --release -p bench-frontier -- --help`; the same as `cargo xtask bench frontier`.

use clap::Parser;

#[derive(Parser)]
#[command(about = "How fast the frontier and its journal take offers")]
struct Cli {
    #[command(flatten)]
    args: bench_frontier::Args,
}

fn main() -> anyhow::Result<()> {
    bench_frontier::run(&Cli::parse().args)
}
