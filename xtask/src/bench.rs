//! `cargo xtask bench`.

/// Options.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which
    pub name: String,
}

/// Runs one.
pub fn run(args: &Args) -> anyhow::Result<()> {
    anyhow::bail!("{}: not here yet", args.name)
}
