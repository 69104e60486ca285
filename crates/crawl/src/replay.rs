//! The manifest's sections and the journal's later frames → what was known when the last process died.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use anyhow::Context;
use crawldb::{CrawlDb, Digests, Hosts, HostsOptions};
use fetch::Fetcher;
use frontier::Frontier;
use model::RecordPlace;
use model::entry::{Done, Entry};
use model::world::World;
use scope::Scope;
use store::{Journal, JournalOptions, TableOptions, TablePlace};

use crate::job::JobDir;
use crate::job_file::JobFile;
use crate::logs::Logs;
use crate::manifest::Loaded;
use crate::resume::BaseScope;
use crate::state::State;

/// What a replay needs.
pub struct ReplayParts<'a> {
    /// Disk and chance.
    pub world: &'a World,
    /// The folder.
    pub job: &'a JobDir,
    /// The job file as it is now.
    pub file: &'a JobFile,
    /// The manifest, if there is one.
    pub loaded: Option<&'a Loaded>,
    /// Learns cookies and seeds' hosts.
    pub fetcher: Arc<Fetcher>,
    /// Grows.
    pub scope: Arc<RwLock<Scope>>,
    /// Makes it anew.
    pub base_scope: BaseScope,
}

/// What was known.
pub struct Replayed {
    /// In memory.
    pub state: State,
    /// Rows of URLs.
    pub crawldb: CrawlDb,
    /// First captures by digest.
    pub digests: Digests,
    /// Open, in a new file.
    pub journal: Journal,
    /// What was committed of WARC files.
    pub warcs: CommittedWarcs,
}

/// What was committed of WARC files that may still be open.
#[derive(Debug, Default)]
pub struct CommittedWarcs {
    /// Committed length by file.
    pub lengths: BTreeMap<Arc<str>, u64>,
    /// Records since the manifest, to be checked.
    pub ranges: Vec<RecordPlace>,
    /// Files begun since the manifest.
    pub n_new_files: u64,
}

impl CommittedWarcs {
    fn add(&mut self, place: &RecordPlace) {
        if !self.lengths.contains_key(&place.file) {
            self.n_new_files += 1;
        }
        let length = self.lengths.entry(place.file.clone()).or_default();
        *length = (*length).max(place.offset + place.length);
        self.ranges.push(place.clone());
    }

    fn add_all(&mut self, done: &Done) {
        let of_capture = done
            .capture
            .iter()
            .flat_map(|capture| std::iter::once(&capture.place).chain(&capture.concurrent));
        done.warcinfo.iter().chain(of_capture).for_each(|place| self.add(place));
    }
}

/// Replays. Logs are cut to what the manifest says and written again, byte for byte.
///
/// # Errors
/// When the disk fails or something committed is damaged.
pub fn run(parts: ReplayParts<'_>, notes: &mut Vec<String>) -> anyhow::Result<Replayed> {
    let ReplayParts { world, job, file, loaded, fetcher, scope, base_scope } = parts;
    let disk = world.disk.clone();
    let section = |name: &str| loaded.and_then(|loaded| loaded.section(name));
    let frontier_options = file.frontier.clone();
    let now = world.clock.mono();
    let frontier = Frontier::open(frontier_options, disk.clone(), job.queues(), section("frontier"), now)?;
    let (urls, first_captures, facts) = tables(job);
    let mut crawldb = CrawlDb::open(disk.clone(), urls, TableOptions::default(), section("crawldb"))?;
    let mut digests =
        Digests::open(disk.clone(), first_captures, TableOptions::default(), section("digests"))?;
    let hosts = Hosts::open(disk.clone(), facts, HostsOptions::default(), section("hosts"))?;
    let engine = loaded.map(|loaded| loaded.engine.clone()).unwrap_or_default();
    let mut warcs = CommittedWarcs::default();
    warcs.lengths.extend(engine.open_warcs.iter().map(|(name, length)| (Arc::from(name.as_str()), *length)));

    let mut logs = cut_logs(world, job, &engine)?;
    let mut state = State::new(frontier, hosts, engine, fetcher, scope, base_scope);

    let mut each = |sequence: u64, entry: Entry| -> anyhow::Result<()> {
        match &entry {
            Entry::Launch { folder, .. } => {
                let launch = job.launch(folder);
                launch.create(&*disk)?;
                // The next manifest names the newest launch's log alone: what is written again of an older one must last.
                if let Some(mut logs) = logs.take() {
                    logs.sync()?;
                }
                cut(world, &launch.crawl_log(), 0)?;
                logs = Some(Logs::open(&disk, job, &launch)?);
            }
            Entry::Done(done) => {
                warcs.add_all(done);
                digests.apply_done(done)?;
                crawldb.apply_done(sequence, done)?;
                logs.as_mut().context("the journal begins without a launch")?.done(done)?;
            }
            _ => {}
        }
        let mut failed = Ok(());
        state.apply(sequence, entry, &mut |ordinal, admit| {
            if failed.is_ok() {
                failed = crawldb.apply_admit(ordinal, admit);
            }
        })?;
        Ok(failed?)
    };
    let after = loaded.map_or(0, |loaded| loaded.manifest.sequence);
    let journal = recover_journal(world, job, after, &mut each, notes)?;
    if let Some(mut logs) = logs {
        logs.sync()?;
    }
    for name in job.launches(&*disk)? {
        disk.sync_dir(&job.launch(&name).logs())?;
    }
    Ok(Replayed { state, crawldb, digests, journal, warcs })
}

/// The journal's recovery, with an error of ours kept as it is.
fn recover_journal(
    world: &World,
    job: &JobDir,
    after: u64,
    each: &mut dyn FnMut(u64, Entry) -> anyhow::Result<()>,
    notes: &mut Vec<String>,
) -> anyhow::Result<Journal> {
    let mut ours = None;
    let mut kept = |sequence: u64, entry: Entry| {
        each(sequence, entry).map_err(|error| {
            ours = Some(error);
            store::Error::Io(std::io::Error::other("replay stopped"))
        })
    };
    let (disk, chance) = (world.disk.clone(), world.chance.clone());
    let options = JournalOptions::default();
    let recovered = store::journal::recover(disk, chance, &job.journal(), options, after, &mut kept);
    match (ours, recovered) {
        (Some(error), _) => Err(error.context("replay the journal")),
        (None, recovered) => {
            let recovered = recovered.context("read the journal")?;
            notes.extend(recovered.notes);
            Ok(recovered.journal)
        }
    }
}

/// Cuts crawl.log and CDXJ to the lengths in the manifest; opens them if a launch was under way then.
fn cut_logs(
    world: &World,
    job: &JobDir,
    engine: &crate::manifest::EngineSection,
) -> anyhow::Result<Option<Logs>> {
    cut(world, &job.cdxj_current(), engine.log_lengths.cdxj)?;
    if engine.log_folder.is_empty() {
        return Ok(None);
    }
    let launch = job.launch(&engine.log_folder);
    launch.create(&*world.disk)?;
    cut(world, &launch.crawl_log(), engine.log_lengths.crawl_log)?;
    Ok(Some(Logs::open(&world.disk, job, &launch)?))
}

fn cut(world: &World, path: &std::path::Path, length: u64) -> anyhow::Result<()> {
    match world.disk.len_of(path)? {
        Some(found) if found > length => Ok(world.disk.truncate(path, length)?),
        Some(found) if found < length => {
            anyhow::bail!(
                "{} has {found} bytes, but {length} were durable; restore it from a copy",
                path.display()
            )
        }
        None if length > 0 => anyhow::bail!("{} is missing; restore it from a copy", path.display()),
        _ => Ok(()),
    }
}

/// Where the tables of URLs, first captures and hosts lie.
pub fn tables(job: &JobDir) -> (TablePlace, TablePlace, TablePlace) {
    let folder = job.crawldb().strip_prefix(job.root()).expect("it lies in the job's folder").to_owned();
    let place = |name: &str| TablePlace {
        root: job.root().to_owned(),
        folder: folder.clone(),
        name: name.to_owned(),
    };
    (place("url"), place("digest"), place("host"))
}
