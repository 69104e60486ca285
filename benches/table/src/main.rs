//! What the journal, runs of fingerprints and tables cost. Each line gives CPU time per operation, so that other work
//! on the machine disturbs little.
//!
//! `cargo run --release -p bench-table [--features lsm] [-- ROWS]`. Bounds on paper: a journal frame is one pass of comparing, copying and
//! compressing about 60 bytes an admit (0.1 to 0.2 µs); a fingerprint is five bytes unpacked and checked (1 ns); a row
//! of a table is one insert into a sorted map of some 100,000 rows (0.5 µs) and about four passes through the merge.

#[cfg(feature = "lsm")]
mod lsm;
mod rows;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use crawldb::CrawlDb;
use model::entry::Entry;
use model::world::{Disk, OsChance, StdDisk};
use model::{Ordinal, UrlKey};
use store::{FingerprintRun, FingerprintRunWriter, Table, TableOptions, TablePlace, journal};

fn main() -> Result<()> {
    let n_rows: u64 = std::env::args().nth(1).map_or(Ok(2_000_000), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let root = folder.path();
    println!("{:<44} {:>9} {:>10} {:>10}", "", "n", "CPU us/op", "bytes/op");
    bench_journal(root, n_rows)?;
    bench_fingerprints(root, n_rows * 10)?;
    bench_table(root, n_rows)?;
    #[cfg(feature = "lsm")]
    lsm::bench(root, n_rows)?;
    bench_crawl_db(root, n_rows)
}

/// CPU seconds of this process so far, the system's work for it included.
fn cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn report(name: &str, n: u64, started_s: f64, bytes: u64) {
    let cost_us = (cpu_s() - started_s) * 1e6 / n as f64;
    println!("{name:<44} {n:>9} {cost_us:>10.4} {:>10.1}", bytes as f64 / n as f64);
}

fn bench_journal(root: &Path, n_rows: u64) -> Result<()> {
    let disk: Arc<dyn Disk> = Arc::new(StdDisk);
    let folder = root.join("journal");
    let options = journal::JournalOptions::default();
    let open = |each: &mut dyn FnMut(u64, Entry) -> store::Result<()>| {
        journal::recover(disk.clone(), Arc::new(OsChance), &folder, options, 0, each)
    };
    let mut journal = open(&mut |_, _| Ok(()))?.journal;
    let (mut cost_s, mut n) = (0.0, 0);
    while n < n_rows {
        let frame: Vec<Entry> =
            (n..n + 6_000).map(|number| Entry::Admit(Box::new(rows::admit(number, n_rows)))).collect();
        let started_s = cpu_s();
        journal.append(&frame)?;
        cost_s += cpu_s() - started_s;
        n += 6_000;
    }
    let bytes = journal.bytes_appended();
    report("journal: append of admits, 6,000 a frame", n, cpu_s() - cost_s, bytes);
    let started_s = cpu_s();
    open(&mut |_, _| Ok(()))?;
    report("journal: recover", n, started_s, bytes);
    Ok(())
}

fn bench_fingerprints(root: &Path, n: u64) -> Result<()> {
    let disk: Arc<dyn Disk> = Arc::new(StdDisk);
    let path = root.join("fingerprints");
    let mut random = fastrand::Rng::with_seed(1);
    let mut values: Vec<u64> = (0..n).map(|_| random.u64(..)).collect();
    values.sort_unstable();
    values.dedup();
    let started_s = cpu_s();
    let mut writer = FingerprintRunWriter::create(&*disk, &path)?;
    for value in &values {
        writer.push(*value)?;
    }
    let bytes = writer.finish()?;
    report("fingerprint run: write", n, started_s, bytes);
    let run = FingerprintRun::open(disk, &path)?;
    let started_s = cpu_s();
    let mut sum = 0u64;
    for value in run.iter()? {
        sum = sum.wrapping_add(value?);
    }
    report("fingerprint run: iterate", n, started_s, bytes);
    let started_s = cpu_s();
    let mut iter = run.iter()?;
    while let Some(block) = iter.next_block()? {
        sum = block.iter().fold(sum, |sum, value| sum.wrapping_sub(*value));
    }
    report("fingerprint run: iterate by blocks", n, started_s, bytes);
    assert_eq!(sum, 0);
    Ok(())
}

fn place(root: &Path, name: &str) -> TablePlace {
    TablePlace { root: root.to_owned(), folder: PathBuf::from(name), name: name.to_owned() }
}

fn bench_table(root: &Path, n_rows: u64) -> Result<()> {
    let options = TableOptions::default();
    let mut table = Table::open(Arc::new(StdDisk), place(root, "table"), options, None)?;
    let mut random = fastrand::Rng::with_seed(2);
    let mut key = [0; 20];
    let started_s = cpu_s();
    for _ in 0..n_rows {
        random.fill(&mut key);
        table.put(&key, &[7; 60])?;
    }
    table.save()?;
    report("table: put of random 20-byte keys", n_rows, started_s, table.runs().1);
    let mut random = fastrand::Rng::with_seed(2);
    let n = n_rows / 50;
    let started_s = cpu_s();
    for _ in 0..n {
        random.fill(&mut key);
        assert!(table.get(&key)?.is_some());
    }
    report("table: get, hit", n, started_s, 0);
    let mut random = fastrand::Rng::with_seed(3);
    let started_s = cpu_s();
    for _ in 0..n {
        random.fill(&mut key);
        assert!(table.get(&key)?.is_none());
    }
    report("table: get, miss", n, started_s, 0);
    let started_s = cpu_s();
    let mut n = 0;
    table.scan(b"", b"", &mut |_, _| {
        n += 1;
        Ok(true)
    })?;
    report(&format!("table: scan of {} runs", table.runs().0), n, started_s, 0);
    Ok(())
}

fn bench_crawl_db(root: &Path, n_rows: u64) -> Result<()> {
    let mut db = CrawlDb::open(Arc::new(StdDisk), place(root, "crawldb"), TableOptions::default(), None)?;
    let mut cost_s = 0.0;
    let mut n = 0;
    while n < n_rows {
        let admits: Vec<_> = (n..n + 10_000).map(|number| rows::admit(number, n_rows)).collect();
        let started_s = cpu_s();
        for (index, admit) in admits.iter().enumerate() {
            db.apply_admit(Ordinal(n + index as u64), admit)?;
        }
        cost_s += cpu_s() - started_s;
        n += 10_000;
    }
    let started_s = cpu_s();
    let bytes = db.save()?.files.iter().map(|file| file.len).sum();
    report("crawl db: put of an admit", n, started_s - cost_s, bytes);
    let keys: Vec<UrlKey> = (0..n / 50)
        .map(|number| UrlKey::new(&rows::admit(number * 37 % n_rows, n_rows).candidate.url))
        .collect();
    let started_s = cpu_s();
    for key in &keys {
        assert!(db.get(key)?.is_some());
    }
    report("crawl db: get", keys.len() as u64, started_s, 0);
    Ok(())
}
