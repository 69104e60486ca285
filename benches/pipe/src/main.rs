//! The ideal pipeline: the least a crawler of one host can do, to measure ours against.
//!
//! Fetch over keep-alive connections, scan for links of `a` and `area`, resolve and forget the known ones, two SHA-1
//! digests, one gzip member a response, buffered writing. It leaves out what a real crawler must have: request records,
//! robots.txt, politeness, redirects, TLS, content codings, charsets, a journal, indexes, limits. It trusts its server and
//! panics where a crawler may not: measure against servers of your own only.

mod queue;
mod record;
mod scan;
mod worker;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use clap::Parser;
use queue::Queue;
use record::Writer;
use rustix::time::{ClockId, clock_gettime};
use worker::Site;

/// Bytes a thread gathers before it writes to its file.
const BUFFER_BYTES: usize = 1 << 20;

/// Crawls one site on loopback as fast as can be.
#[derive(Debug, Parser)]
struct Args {
    /// Where to begin, e.g. http://127.0.0.1:8080/index.html
    seed: url::Url,
    /// Folder for WARC files, one a thread
    #[arg(long)]
    out: PathBuf,
    /// Connections at once
    #[arg(long, default_value_t = 128)]
    connections: usize,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// libdeflate's level, 1 to 12
    #[arg(long, default_value_t = 6)]
    level: i32,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    std::fs::create_dir_all(&args.out)?;
    let started = Instant::now();
    let site = Arc::new(Site::new(&args.seed)?);
    let queue = Arc::new(Queue::new(&args.seed));
    let mut threads = Vec::new();
    for number in 0..args.threads {
        let file = File::create(args.out.join(format!("pipe-{number}.warc.gz")))?;
        let writer = Writer::new(BufWriter::with_capacity(BUFFER_BYTES, file), args.level)?;
        let (site, queue) = (site.clone(), queue.clone());
        let connections = args.connections / args.threads;
        threads.push(std::thread::spawn(move || worker::run(site, queue, writer, connections)));
    }
    for thread in threads {
        let mut writer = thread.join().ok().context("a thread panicked")??;
        writer.file.flush()?;
        writer.file.get_ref().sync_data()?;
    }
    let cpu = clock_gettime(ClockId::ProcessCPUTime);
    println!(
        "{} pages, {} others, {:.3} s, {:.3} s of CPU",
        queue.pages(),
        queue.others(),
        started.elapsed().as_secs_f64(),
        cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9
    );
    Ok(())
}
