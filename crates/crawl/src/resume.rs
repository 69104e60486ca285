//! Opening a job: from its folder to state and ledger, whatever stopped it before (DURABILITY.md, part 5).
//!
//! A first start is the resume of a job whose journal is empty. Killing this at any moment is harmless.

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use anyhow::Context;
use archive::{RecordBuilder, WarcNames, WarcWriter};
use extract::Extractors;
use fetch::{CookieJar, Fetcher};
use model::FingerprintKey;
use model::entry::Entry;
use model::world::{Disk, World};
use scope::Scope;

use crate::job::JobDir;
use crate::job_file::{self, JobFile};
use crate::ledger::Ledger;
use crate::logs::Logs;
use crate::manifest::{self, Loaded};
use crate::registry::Registry;
use crate::replay::{self, ReplayParts, Replayed};
use crate::state::State;
use crate::steps::{RecentDigests, Steps, StepsInner};
use crate::{launch, seeds, settings};

/// A job that is ready to work.
pub struct Opened {
    /// Replay done.
    pub state: State,
    /// The steps as workers share them.
    pub steps: Steps,
    /// Open, in a launch of its own.
    pub ledger: Ledger,
    /// Entries to begin with, a frame each.
    pub first_frames: Vec<Vec<Entry>>,
    /// What was found and mended, for job.log.
    pub notes: Vec<String>,
    /// Name of the launch folder.
    pub folder: String,
}

/// Opens a job. The caller holds its lock.
///
/// # Errors
/// When the configuration cannot work, the disk fails, or what was committed is missing or damaged: nothing is changed
/// then that another try could not mend.
pub fn open(world: &World, job: &JobDir, registry: &Registry) -> anyhow::Result<Opened> {
    let file = launch::read_job_file(world, job)?;
    let disk = &world.disk;
    let mut notes = Vec::new();
    sync_folders(&**disk, job).context("sync the job's folders")?;
    empty(&**disk, &job.scratch())?;

    let loaded = manifest::load(&**disk, job)?;
    match &loaded {
        Some(loaded) => loaded.delete_unnamed(&**disk, job)?,
        None => manifest::delete_all_derived(&**disk, job)?,
    }
    let seed_list = seeds::read(world, job)?;
    let base_scope = settings::scope_maker(&file, registry, &seed_list)?;
    let fetcher = Arc::new(fetcher(world, job, &file, loaded.as_ref())?);
    let scope = Arc::new(RwLock::new(base_scope()));

    let parts = ReplayParts { world, job, file: &file, loaded: loaded.as_ref(), fetcher, scope, base_scope };
    let Replayed { mut state, crawldb, digests, journal, warcs } = replay::run(parts, &mut notes)?;
    mend_warcs(&**disk, job, &warcs, &mut notes)?;
    state.frontier.resumed(world.clock.mono());
    state.statistics.earlier_ms = state.statistics.running_ms;

    let folder = new_launch_folder(&**disk, job, world)?;
    let launch_dir = job.launch(&folder);
    let options = Arc::new(settings::archive_options(&file, job, &launch_dir));
    let next_serial = loaded.as_ref().map_or(0, |loaded| loaded.engine.next_serial) + warcs.n_new_files;
    let names = WarcNames::new(&options, next_serial).context("archive.template in the job file")?;
    let (clock, chance) = (world.clock.clone(), world.chance.clone());
    let writer = WarcWriter::new(options.clone(), names, disk.clone(), clock, chance);
    let steps = steps(world, job, &file, registry, options, &writer, &state)?;
    let logs = Logs::open(disk, job, &launch_dir)?;
    let first_frames = seeds::first_frames(world, job, &file, &state, &steps, &folder, &mut notes)?;
    let ledger = Ledger::new(journal, writer, digests, crawldb, logs, steps.clone());
    point_latest(world, job, &folder);
    Ok(Opened { state, steps, ledger, first_frames, notes, folder })
}

/// Names that the last process made may not be durable yet; nothing that is read may vanish later (rule 12).
fn sync_folders(disk: &dyn Disk, job: &JobDir) -> anyhow::Result<()> {
    let mut folders =
        vec![job.root().to_owned(), job.state(), job.journal(), job.queues(), job.crawldb(), job.scratch()];
    folders.extend([job.actions(), job.root().join("index"), job.cdxj()]);
    for name in job.launches(disk)? {
        let launch = job.launch(&name);
        folders.extend([launch.root().to_owned(), launch.warcs(), launch.logs(), launch.reports()]);
    }
    for folder in &folders {
        disk.create_dir_all(folder)?;
        disk.sync_dir(folder)?;
    }
    Ok(())
}

/// Scratch files of a process that died are of no use to anybody.
fn empty(disk: &dyn Disk, folder: &Path) -> anyhow::Result<()> {
    for name in disk.list(folder)? {
        disk.remove_file(&folder.join(name))?;
    }
    Ok(())
}

fn fetcher(world: &World, job: &JobDir, file: &JobFile, loaded: Option<&Loaded>) -> anyhow::Result<Fetcher> {
    let fetcher = Fetcher::new(world.clone(), settings::fetch_options(file), job.scratch());
    if let Some(bytes) = loaded.map(|loaded| &loaded.engine.cookies).filter(|bytes| !bytes.is_empty()) {
        let jar: CookieJar = postcard::from_bytes(bytes).context("read the cookies of the manifest")?;
        fetcher.set_cookies(jar);
    }
    Ok(fetcher)
}

fn steps(
    world: &World,
    job: &JobDir,
    file: &JobFile,
    registry: &Registry,
    options: Arc<archive::ArchiveOptions>,
    writer: &WarcWriter,
    state: &State,
) -> anyhow::Result<Steps> {
    let mut extractors = Extractors::builtin(file.extract.clone());
    for make in &registry.extractors {
        extractors = extractors.with(make());
    }
    let mut records = RecordBuilder::new(options);
    for make in &registry.record_makers {
        records = records.with(make());
    }
    let canonicalization = match file.crawl.canonicalization {
        job_file::Canonicalization::KeepCase => surt::Canonicalization::keep_case_default(),
        job_file::Canonicalization::Heritrix => surt::Canonicalization::heritrix(),
    };
    Ok(Steps::new(StepsInner {
        world: world.clone(),
        options: file.crawl.clone(),
        frontier_options: file.frontier.clone(),
        fetcher: state.fetcher.clone(),
        extractors,
        scope: state.scope.clone(),
        records,
        own_files: writer.own_files(),
        canonicalization,
        fingerprint_key: secret(world, job)?,
        digests: RecentDigests::default(),
        seed_redirect_rule: Arc::from("redirect of a seed"),
        unknown_rule: Arc::from("unknown"),
        stages: crate::stages::Stages::new(file.crawl.measure_stages),
    }))
}

/// The job's secret under which fingerprints are made.
fn secret(world: &World, job: &JobDir) -> anyhow::Result<FingerprintKey> {
    let bytes = world.disk.read(&job.secret()).context("read the job's secret")?;
    let text = String::from_utf8(bytes).unwrap_or_default();
    let number = |from: usize, to: usize| {
        let part = text.get(from..to).context("the job's secret is damaged; restore it from a copy")?;
        u64::from_str_radix(part, 16).context("the job's secret is damaged; restore it from a copy")
    };
    Ok(FingerprintKey(number(0, 16)?, number(16, 32)?))
}

/// Cuts what no frame committed and closes what a dead process left open (rules 7 and 14).
fn mend_warcs(
    disk: &dyn Disk,
    job: &JobDir,
    warcs: &replay::CommittedWarcs,
    notes: &mut Vec<String>,
) -> anyhow::Result<()> {
    let folders: Vec<PathBuf> = job.launches(disk)?.iter().map(|name| job.launch(name).warcs()).collect();
    let known = archive::Unfinished { committed: &warcs.lengths, ranges: &warcs.ranges };
    let recovery = archive::recover(disk, &folders, known)?;
    for (path, cut) in recovery.renamed.iter().filter(|(_, cut)| *cut > 0) {
        notes.push(format!("{}: {cut} uncommitted bytes cut", path.display()));
    }
    for path in &recovery.deleted {
        notes.push(format!("{}: deleted, nothing in it was committed", path.display()));
    }
    for name in &recovery.missing {
        notes.push(format!("{name}: not found; it was moved away"));
    }
    Ok(())
}

/// A folder whose name no launch has had: the time, or a second later if that is taken.
fn new_launch_folder(disk: &dyn Disk, job: &JobDir, world: &World) -> anyhow::Result<String> {
    let taken = job.launches(disk)?;
    let mut at = world.clock.wall();
    while taken.iter().any(|name| *name >= at.digits14()) {
        at = at + 1000;
    }
    let folder = at.digits14();
    job.launch(&folder).create(disk)?;
    Ok(folder)
}

/// `latest` points to the newest launch; a convenience for people and scripts, not durable.
fn point_latest(world: &World, job: &JobDir, folder: &str) {
    if world.disk.is_real() {
        let (link, temporary) = (job.root().join("latest"), job.root().join("latest.tmp"));
        drop(std::fs::remove_file(&temporary));
        drop(
            std::os::unix::fs::symlink(folder, &temporary).and_then(|()| std::fs::rename(&temporary, &link)),
        );
    }
}

/// Whether a job file can work: what its text alone does not show.
///
/// # Errors
/// Says which key cannot work and why.
pub fn check_job_file(file: &JobFile) -> anyhow::Result<()> {
    settings::scope_maker(file, &Registry::builtin(), &scope::SeedList::default())?;
    let options = settings::archive_options(file, &JobDir::new(""), &JobDir::new("").launch(""));
    WarcNames::new(&options, 0).context("archive.template")?;
    if !file.crawl.resolver.is_empty() {
        file.crawl
            .resolver
            .parse::<std::net::SocketAddr>()
            .context("crawl.resolver: write an address and a port")?;
    }
    if file.crawl.workers == 0 {
        anyhow::bail!("crawl.workers: at least one is needed");
    }
    Ok(())
}

/// Makes the scope that a launch begins with.
pub type BaseScope = Arc<dyn Fn() -> Scope + Send + Sync>;
