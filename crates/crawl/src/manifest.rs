//! The job's manifest: which section is whose, written and read at one sequence number.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use store::{Manifest, NamedFile};

use crate::job::JobDir;
use crate::ledger::Ledger;
use crate::logs::LogLengths;
use crate::state::{Facts, State};
use crate::statistics::Statistics;

/// Folders that hold nothing but files a manifest names.
const DERIVED_FOLDERS: [&str; 2] = ["state/queues", "state/crawldb"];

/// The engine's own section.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EngineSection {
    /// Small facts.
    pub facts: Facts,
    /// Sums.
    pub statistics: Statistics,
    /// Lengths of the logs that a resume cuts.
    pub log_lengths: LogLengths,
    /// The folder whose crawl.log that is.
    pub log_folder: String,
    /// WARC files that are not closed and how much of them is committed.
    pub open_warcs: Vec<(String, u64)>,
    /// Serial number of the next WARC file.
    pub next_serial: u64,
    /// Cookies, as the fetcher keeps them.
    pub cookies: Vec<u8>,
}

/// Where it lies.
pub fn path(job: &JobDir) -> PathBuf {
    job.state().join("manifest")
}

/// Writes the manifest. Everything is applied up to the ledger's last frame, which ends with a `Flush`.
///
/// # Errors
/// When the disk fails.
pub fn write(job: &JobDir, state: &mut State, ledger: &mut Ledger) -> anyhow::Result<()> {
    let disk = ledger.world.disk.clone();
    let log_lengths = ledger.logs.sync().context("make logs durable")?;
    let frontier = state.frontier.save()?;
    let crawldb = ledger.crawldb.save()?;
    let digests = ledger.digests.save()?;
    let hosts = state.hosts.save()?;
    let engine = EngineSection {
        facts: state.facts.clone(),
        statistics: state.statistics.clone(),
        log_lengths,
        log_folder: state.facts.launch_folder.clone(),
        open_warcs: ledger
            .warcs
            .committed_lengths()
            .iter()
            .map(|(name, len)| (name.to_string(), *len))
            .collect(),
        next_serial: ledger.warcs.next_serial(),
        cookies: postcard::to_stdvec(&state.fetcher.cookies()).expect("plain data"),
    };
    let mut manifest = Manifest { sequence: ledger.journal.next_sequence() - 1, ..Manifest::default() };
    let launch_log = job.launch(&engine.log_folder).crawl_log();
    let logs = [(launch_log, log_lengths.crawl_log), (job.cdxj_current(), log_lengths.cdxj)];
    for (path, len) in logs.into_iter().chain(frontier.files) {
        let path = path.strip_prefix(job.root()).unwrap_or(&path).to_owned();
        manifest.files.push(NamedFile { path, len });
    }
    let mut unfinished = Vec::new();
    let mut sections = BTreeMap::from([("frontier".to_owned(), frontier.section)]);
    for (name, saved) in [("crawldb", crawldb), ("digests", digests), ("hosts", hosts)] {
        manifest.files.extend(saved.files);
        unfinished.extend(saved.unfinished);
        sections.insert(name.to_owned(), saved.section);
    }
    sections.insert("engine".to_owned(), postcard::to_stdvec(&engine).expect("plain data"));
    manifest.sections = sections;
    manifest.write(&*disk, job.root(), &path(job)).context("write the manifest")?;
    let folders = DERIVED_FOLDERS.map(Path::new);
    manifest.delete_unnamed(&*disk, job.root(), &folders, &unfinished)?;
    ledger.journal.manifest_written(manifest.sequence)?;
    Ok(())
}

/// What a manifest says, its own section read.
pub struct Loaded {
    /// The manifest.
    pub manifest: Manifest,
    /// The engine's section.
    pub engine: EngineSection,
}

/// Reads the manifest of a job; `None` if there is none yet.
///
/// # Errors
/// When it is damaged or from a newer version.
pub fn load(disk: &dyn model::world::Disk, job: &JobDir) -> anyhow::Result<Option<Loaded>> {
    let Some(manifest) = Manifest::load(disk, &path(job))? else { return Ok(None) };
    let bytes = manifest.sections.get("engine").context("the manifest has no section of the engine")?;
    let engine = postcard::from_bytes(bytes).context("read the engine's section of the manifest")?;
    Ok(Some(Loaded { manifest, engine }))
}

impl Loaded {
    /// A part's section.
    pub fn section(&self, name: &str) -> Option<&[u8]> {
        self.manifest.sections.get(name).map(Vec::as_slice)
    }

    /// Deletes derived files that it does not name: left by a process that died before its manifest.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn delete_unnamed(&self, disk: &dyn model::world::Disk, job: &JobDir) -> anyhow::Result<()> {
        self.manifest.delete_unnamed(disk, job.root(), &DERIVED_FOLDERS.map(Path::new), &[])?;
        Ok(())
    }
}

/// Deletes all derived files: there is no manifest that names any.
///
/// # Errors
/// When the disk fails.
pub fn delete_all_derived(disk: &dyn model::world::Disk, job: &JobDir) -> anyhow::Result<()> {
    Manifest::default().delete_unnamed(disk, job.root(), &DERIVED_FOLDERS.map(Path::new), &[])?;
    Ok(())
}
