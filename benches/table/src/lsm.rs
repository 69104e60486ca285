//! The same table work done by the `lsm-tree` crate: the other candidate of docs/decisions/0003-sorted-runs.md.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use lsm_tree::{AbstractTree, Config, SequenceNumberCounter};

use crate::{cpu_s, report};

/// As large as the memory of our table.
const MEMTABLE_BYTES_MAX: u64 = 32 << 20;

/// Puts, hits, misses and a scan, as `bench_table` in `main.rs` does them.
pub fn bench(root: &Path, n_rows: u64) -> Result<()> {
    let sequence = SequenceNumberCounter::default();
    let tree = Config::new(root.join("lsm"), sequence.clone(), SequenceNumberCounter::default()).open()?;
    let strategy = Arc::new(lsm_tree::compaction::Leveled::default());
    let mut random = fastrand::Rng::with_seed(2);
    let mut key = [0; 20];
    let started_s = cpu_s();
    for _ in 0..n_rows {
        random.fill(&mut key);
        let (_, size) = tree.insert(key, [7u8; 60], sequence.next());
        if size > MEMTABLE_BYTES_MAX {
            tree.flush_active_memtable(0)?;
            tree.compact(strategy.clone(), 0)?;
        }
    }
    tree.flush_active_memtable(0)?;
    report("lsm-tree: put of random 20-byte keys", n_rows, started_s, tree.disk_space());
    let n = n_rows / 50;
    for (name, seed) in [("lsm-tree: get, hit", 2), ("lsm-tree: get, miss", 3)] {
        let mut random = fastrand::Rng::with_seed(seed);
        let started_s = cpu_s();
        for _ in 0..n {
            random.fill(&mut key);
            assert_eq!(tree.get(key, u64::MAX >> 1)?.is_some(), seed == 2);
        }
        report(name, n, started_s, 0);
    }
    let started_s = cpu_s();
    let mut n = 0;
    for row in tree.iter(u64::MAX >> 1, None) {
        lsm_tree::Guard::into_inner(row)?;
        n += 1;
    }
    report(&format!("lsm-tree: scan of {} files", tree.table_count()), n, started_s, 0);
    Ok(())
}
