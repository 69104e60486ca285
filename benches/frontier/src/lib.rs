//! How fast the frontier and its journal take offers, and how much memory and disk they need.
//!
//! Bound on paper, for 300 M offers of 50 M URLs with buffers for 1 M: each flush streams the known fingerprints (250 MB at
//! the end, about 0.2 s), so 0.1 µs an offer on average; encoding, packing and writing 60 bytes of journal 0.5 µs; buffer
//! and sort 0.2 µs; a sixth of the offers is new and is parsed, packed and merged two or three times: 0.4 µs.
//!
//! Offers come by the page, 62 each; for each page one URL is taken from the frontier and finished. Making the offers is
//! not counted. Groups of 128 pages are one frame of the journal, synced; saves are complete, with a manifest.

mod job;
mod meter;
mod workload;

use std::path::PathBuf;

use job::Job;

/// The allocator of `bequest` itself: admits are made and dropped by the thousand, which the C library takes ill.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What to run.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Offers in all
    #[arg(long, default_value_t = 300_000_000)]
    pub offers: u64,
    /// Distinct URLs among them
    #[arg(long, default_value_t = 50_000_000)]
    pub distinct: u64,
    /// Hosts, with sizes by Zipf's law
    #[arg(long, default_value_t = 1_000_000)]
    pub hosts: u64,
    /// Memory for buffers in MiB: sieve, queues, caches
    #[arg(long, default_value_t = 256)]
    pub buffers: usize,
    /// Kill it at that part of the offers, resume, and compare the order of URLs with that of a run that is not killed
    #[arg(long)]
    pub kill_at: Option<f64>,
    /// URLs taken at the end, whose order is compared too
    #[arg(long, default_value_t = 1_000_000)]
    pub drain: u64,
    /// Where to work; emptied before and after
    #[arg(long, default_value = "target/bench-frontier")]
    pub dir: PathBuf,
}

/// Runs it and prints the table.
///
/// # Errors
/// When the disk fails, or a killed run handed out other URLs than the one that went on.
pub fn run(args: &Args) -> anyhow::Result<()> {
    println!(
        "{} offers of {} URLs on {} hosts, {} MiB of buffers",
        args.offers, args.distinct, args.hosts, args.buffers
    );
    let whole = run_job(args, None)?;
    let Some(kill_at) = args.kill_at else {
        return Ok(());
    };
    // Half-way between two saves.
    println!("\nonce more, killed at {kill_at} and resumed");
    let killed = run_job(args, Some((args.offers as f64 * (kill_at + 0.005)) as u64))?;
    anyhow::ensure!(whole == killed, "the order of URLs differs: {whole:016x}, resumed {killed:016x}");
    println!("the same order of URLs: {whole:016x}");
    Ok(())
}

/// Gives a hash over the URLs in the order in which they were handed out.
fn run_job(args: &Args, kill_at: Option<u64>) -> anyhow::Result<u64> {
    if args.dir.exists() {
        std::fs::remove_dir_all(&args.dir)?;
    }
    let order = match kill_at {
        None => Job::open(args)?.run(args.offers)?.report(args.drain)?,
        Some(kill_at) => {
            Job::open(args)?.run(kill_at)?.kill()?;
            Job::open(args)?.run(args.offers)?.report(args.drain)?
        }
    };
    std::fs::remove_dir_all(&args.dir)?;
    Ok(order)
}
