//! All fingerprints ever entered: the latest in memory, the rest in sorted runs on disk.
//!
//! A run is written once and merged with others of like size later. Files are never deleted here: the manifest may still
//! name them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::world::Disk;
use store::fingerprint::{BLOCK_VALUES, FingerprintIter, FingerprintRun, FingerprintRunWriter};

use crate::{FrontierError, Result};

/// Fingerprints held in memory; a small crawl writes no run before its first save.
const FRESH_MAX: usize = 64 << 10;
/// That many runs of like size are merged.
const RUNS_MERGED: usize = 8;
/// With fewer questions a block than one in that many, each is looked up alone.
const BLOCKS_PER_LOOKUP: u64 = 8;

/// A set of fingerprints that only grows.
pub(crate) struct Known {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    /// Sorted.
    fresh: Vec<u64>,
    runs: Vec<Run>,
    pub(crate) next_number: u64,
}

struct Run {
    number: u64,
    run: FingerprintRun,
    len: u64,
}

impl Known {
    pub(crate) fn new(disk: Arc<dyn Disk>, dir: PathBuf) -> Known {
        Known { disk, dir, fresh: Vec::new(), runs: Vec::new(), next_number: 1 }
    }

    /// Opens a saved run.
    pub(crate) fn load(&mut self, number: u64, len: u64) -> Result<()> {
        let path = path_of(&self.dir, number);
        let run = FingerprintRun::open(self.disk.clone(), &path)?;
        self.runs.push(Run { number, run, len });
        Ok(())
    }

    /// Numbers and lengths of the runs in use; right after [`Known::write`] they hold everything.
    pub(crate) fn runs(&self) -> impl ExactSizeIterator<Item = (u64, u64)> + '_ {
        self.runs.iter().map(|run| (run.number, run.len))
    }

    /// Paths and lengths of the runs in use.
    pub(crate) fn files(&self) -> impl Iterator<Item = (PathBuf, u64)> + '_ {
        self.runs.iter().map(|run| (run.run.path().to_owned(), run.len))
    }

    pub(crate) fn len(&self) -> u64 {
        self.fresh.len() as u64 + self.runs.iter().map(|run| run.run.len()).sum::<u64>()
    }

    pub(crate) fn contains(&self, fingerprint: u64) -> Result<bool> {
        if self.fresh.binary_search(&fingerprint).is_ok() {
            return Ok(true);
        }
        for run in &self.runs {
            if run.run.contains(fingerprint)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Which of the sorted fingerprints are known.
    pub(crate) fn test(&self, sorted: &[u64]) -> Result<Vec<bool>> {
        let mut is_known = vec![false; sorted.len()];
        mark(sorted, &mut is_known, &mut 0, &self.fresh);
        for run in &self.runs {
            let blocks = run.run.len() / BLOCK_VALUES as u64;
            if (sorted.len() as u64) < blocks / BLOCKS_PER_LOOKUP {
                for (fingerprint, is_known) in
                    sorted.iter().zip(&mut is_known).filter(|(_, is_known)| !**is_known)
                {
                    *is_known = run.run.contains(*fingerprint)?;
                }
                continue;
            }
            let mut at = 0;
            let mut values = run.run.iter()?;
            while let Some(block) = values.next_block()? {
                mark(sorted, &mut is_known, &mut at, block);
                if at == sorted.len() {
                    break;
                }
            }
        }
        Ok(is_known)
    }

    /// Adds sorted fingerprints that were not known.
    pub(crate) fn add(&mut self, sorted: &[u64]) -> Result<()> {
        self.fresh.extend_from_slice(sorted);
        // Two sorted halves: the stable sort finds and merges them.
        self.fresh.sort();
        if self.fresh.len() > FRESH_MAX { self.write() } else { Ok(()) }
    }

    /// Writes what is in memory to a run, synced.
    pub(crate) fn write(&mut self) -> Result<()> {
        if self.fresh.is_empty() {
            return Ok(());
        }
        let (number, mut writer) = self.create()?;
        for fingerprint in &self.fresh {
            writer.push(*fingerprint)?;
        }
        self.adopt(number, writer)?;
        self.fresh.clear();
        self.tidy()
    }

    fn create(&mut self) -> Result<(u64, FingerprintRunWriter)> {
        loop {
            let number = self.next_number;
            self.next_number += 1;
            let path = path_of(&self.dir, number);
            // Left over from a process that died: the manifest's owner deletes it.
            if self.disk.len_of(&path).map_err(FrontierError::disk("look for", &path))?.is_some() {
                continue;
            }
            return Ok((number, FingerprintRunWriter::create(&*self.disk, &path)?));
        }
    }

    fn adopt(&mut self, number: u64, writer: FingerprintRunWriter) -> Result<()> {
        let path = writer.path().to_owned();
        let len = writer.finish()?;
        let run = FingerprintRun::open(self.disk.clone(), &path)?;
        self.runs.push(Run { number, run, len });
        Ok(())
    }

    fn tidy(&mut self) -> Result<()> {
        loop {
            let tiers: Vec<u32> = self.runs.iter().map(|run| tier(run.run.len())).collect();
            let is_full = |tier: &u32| tiers.iter().filter(|other| *other == tier).count() >= RUNS_MERGED;
            let Some(full) = tiers.iter().copied().filter(is_full).min() else {
                return Ok(());
            };
            self.merge(|run| tier(run.run.len()) == full)?;
        }
    }

    fn merge(&mut self, is_source: impl Fn(&Run) -> bool) -> Result<()> {
        let (number, mut writer) = self.create()?;
        let mut sources: Vec<(u64, FingerprintIter)> = Vec::new();
        for run in self.runs.iter().filter(|run| is_source(run)) {
            let mut values = run.run.iter()?;
            if let Some(first) = values.next().transpose()? {
                sources.push((first, values));
            }
        }
        while let Some(least) = (0..sources.len()).min_by_key(|index| sources[*index].0) {
            let (value, values) = &mut sources[least];
            writer.push(*value)?;
            match values.next().transpose()? {
                Some(next) => *value = next,
                None => drop(sources.swap_remove(least)),
            }
        }
        self.runs.retain(|run| !is_source(run));
        self.adopt(number, writer)
    }
}

/// Marks those of `sorted` from `at` on that stand among `values`; `at` moves on to where the next values go on.
fn mark(sorted: &[u64], is_known: &mut [bool], at: &mut usize, values: &[u64]) {
    let mut rest = values.iter();
    let mut value = rest.next();
    while let (Some(known), Some(asked)) = (value, sorted.get(*at)) {
        if known < asked {
            value = rest.next();
        } else {
            is_known[*at] |= known == asked;
            *at += 1;
        }
    }
}

/// Runs of one tier are of like size.
fn tier(len: u64) -> u32 {
    (len / FRESH_MAX as u64).checked_ilog(RUNS_MERGED as u64).map_or(0, |log| log + 1)
}

fn path_of(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("seen-{number:08}"))
}
