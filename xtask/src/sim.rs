//! `cargo xtask sim`: crawls the false internet on virtual time, with faults of network, process and disk, and judges what
//! came of it. The engine is the real one; only the world is false.

mod course;
mod evidence;
mod faults;
mod judge;
mod power_cuts;

use std::time::Instant;

use anyhow::bail;
use model::planted::Bug;

use crate::shell;
use course::{Outcome, SimOptions};

/// Seeds that CI runs.
const CI_SEEDS: std::ops::RangeInclusive<u64> = 1..=20;

/// A seed that finds each planted bug.
const RECORDED: [(Bug, u64); 10] = [
    (Bug::WarcNotSynced, 1),
    (Bug::FrameNotSynced, 1),
    (Bug::AppliedBeforeSync, 2),
    (Bug::OutlinksLostAtFlush, 1),
    (Bug::DelayForgotten, 1),
    (Bug::Fingerprints16Bit, 1),
    (Bug::FullDiskIgnored, 1),
    (Bug::CutOffByOne, 1),
    (Bug::ManifestFolderNotSynced, 1),
    (Bug::PrefixRuleDropped, 1),
];

/// Options.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The seed; all else follows from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Several seeds: `A..B`, both included
    #[arg(long, value_name = "A..B", value_parser = parse_range)]
    seeds: Option<(u64, u64)>,
    /// Plant a bug and expect that a seed finds it
    #[arg(long, value_name = "NAME", value_parser = parse_bug)]
    r#break: Option<Bug>,
    /// Resume a crawl of 200 pages from that many states after a power cut instead
    #[arg(long, value_name = "N")]
    power_cuts: Option<usize>,
    /// What CI runs: twenty seeds, and one recorded seed for each planted bug
    #[arg(long)]
    ci: bool,
    /// Leave all faults out
    #[arg(long)]
    calm: bool,
    /// Say what happens while it happens
    #[arg(long, short)]
    verbose: bool,
}

fn parse_range(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = text.split_once("..").ok_or("write A..B")?;
    let number =
        |text: &str| text.trim_start_matches('=').parse().map_err(|_| format!("{text:?} is no number"));
    Ok((number(from)?, number(to)?))
}

fn parse_bug(text: &str) -> Result<Bug, String> {
    let names: Vec<&str> = Bug::ALL.iter().map(|bug| bug.name()).collect();
    let known = format!("there are: {}", names.join(", "));
    Bug::ALL.into_iter().find(|bug| bug.name() == text).ok_or(known)
}

/// Runs what was asked for.
///
/// # Errors
/// When a check fails; says the seed and the command that repeats it.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.ci {
        return seeds_of_ci();
    }
    if let Some(states) = args.power_cuts {
        let report = power_cuts::run(args.seed, states);
        println!("{report}");
        return if report.violations.is_empty() { Ok(()) } else { bail!("{}", report.repeat()) };
    }
    let (from, to) = args.seeds.unwrap_or((args.seed, args.seed));
    match args.r#break {
        None => clean(from..=to, args.calm, args.verbose),
        Some(bug) => find(bug, from..=to, args.verbose),
    }
}

/// What CI runs, in a build that is quick enough for it.
///
/// # Errors
/// When a check fails.
pub fn ci() -> anyhow::Result<()> {
    shell::run("cargo", &["run", "--quiet", "--profile", "quick", "--package", "xtask", "--", "sim", "--ci"])
}

fn seeds_of_ci() -> anyhow::Result<()> {
    clean(CI_SEEDS, false, false)?;
    for (bug, seed) in RECORDED {
        find(bug, seed..=seed, false)?;
    }
    Ok(())
}

/// Seeds without a planted bug: nothing may be found.
fn clean(seeds: std::ops::RangeInclusive<u64>, calm: bool, verbose: bool) -> anyhow::Result<()> {
    for seed in seeds {
        let outcome = one(&SimOptions { seed, bug: None, calm, verbose });
        if !outcome.violations.is_empty() {
            bail!("seed {seed} failed; repeat it by: cargo xtask sim --seed {seed}");
        }
    }
    Ok(())
}

/// Seeds with a planted bug: one of them must find it.
fn find(bug: Bug, seeds: std::ops::RangeInclusive<u64>, verbose: bool) -> anyhow::Result<()> {
    let last = *seeds.end();
    for seed in seeds {
        let outcome = one(&SimOptions { seed, bug: Some(bug), calm: false, verbose });
        if !outcome.violations.is_empty() {
            println!("{} found by seed {seed}", bug.name());
            return Ok(());
        }
    }
    bail!("no seed up to {last} found the planted bug {}", bug.name())
}

fn one(options: &SimOptions) -> Outcome {
    /// Lines of violations that are shown.
    const SHOWN_MAX: usize = 12;
    let started = Instant::now();
    let outcome = course::run(options);
    println!("{} in {:.2} s", outcome.summary, started.elapsed().as_secs_f64());
    for violation in outcome.violations.iter().take(SHOWN_MAX) {
        println!("  {violation}");
    }
    if outcome.violations.len() > SHOWN_MAX {
        println!("  … and {} more", outcome.violations.len() - SHOWN_MAX);
    }
    outcome
}
