//! Launches: a job's folder becomes an engine at work, again and again until it is done.
//!
//! Opening a job is the same deed after a first start, a stop, a crash or an error of the disk: DURABILITY.md, part 5.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context;
use model::entry::Entry;
use model::world::World;
use tokio::sync::{mpsc, watch};

use crate::control::{Command, Request};
use crate::engine::{Ending, Engine, EngineParts};
use crate::job::{JobDir, write_durably};
use crate::job_file::JobFile;
use crate::progress::{Phase, Progress};
use crate::registry::Registry;
use crate::reports::{self, ReportFacts};
use crate::state::State;
use crate::steps::Steps;
use crate::{job_log, resume};

/// First wait after an error of the disk; doubled up to [`RETRY_MAX`].
const RETRY_FIRST: Duration = Duration::from_secs(2);
/// Longest wait between two tries to go on.
const RETRY_MAX: Duration = Duration::from_secs(60);

/// The ends of a running job that others hold.
pub struct Channels {
    /// Questions and commands come in here.
    pub requests: mpsc::Receiver<Request>,
    /// How it goes is told here.
    pub progress: watch::Sender<Progress>,
}

/// Works on a job until it is done, a limit is reached or somebody stops it. After an error of the disk it pauses, says
/// why, and resumes by itself when the disk can be written again.
///
/// # Errors
/// When the job cannot be opened: it is locked, damaged, or its configuration cannot work.
pub async fn run(
    world: &World,
    job: &JobDir,
    registry: &Registry,
    channels: Channels,
) -> anyhow::Result<Ending> {
    let Channels { mut requests, progress } = channels;
    let _lock = job.lock(&world.disk)?;
    let (mut wait, mut is_first) = (RETRY_FIRST, true);
    loop {
        let opened = resume::open(world, job, registry);
        let result = match opened {
            Ok(opened) => {
                for note in &opened.notes {
                    job_log::write(world, job, "INFO", note);
                }
                wait = RETRY_FIRST;
                let parts = EngineParts {
                    job: job.clone(),
                    state: opened.state,
                    ledger: opened.ledger,
                    steps: opened.steps,
                    first_frames: opened.first_frames,
                    requests,
                    progress: progress.clone(),
                };
                job_log::write(world, job, "INFO", &format!("RUNNING {}", opened.folder));
                let (result, returned) = Engine::new(parts).run().await;
                requests = returned;
                result
            }
            Err(error) if is_first => return Err(error),
            Err(error) => Err(error),
        };
        is_first = false;
        match result {
            Ok(ending) => {
                job_log::write(world, job, "INFO", &format!("FINISHED {}", ending.text()));
                return Ok(ending);
            }
            Err(error) => {
                let reason = format!("{error:#}");
                job_log::write(
                    world,
                    job,
                    "SEVERE",
                    &format!("PAUSED: {reason}; resuming when the disk allows"),
                );
                progress.send_modify(|progress| {
                    progress.phase = Phase::PausedError;
                    progress.reason = Some(reason.clone());
                });
                if wait_for_disk(world, job, &mut requests, &progress, wait).await? {
                    return Ok(Ending::Stopped);
                }
                wait = (wait * 2).min(RETRY_MAX);
            }
        }
    }
}

/// Waits after an error until there is space again; true if somebody asked to stop.
async fn wait_for_disk(
    world: &World,
    job: &JobDir,
    requests: &mut mpsc::Receiver<Request>,
    progress: &watch::Sender<Progress>,
    wait: Duration,
) -> anyhow::Result<bool> {
    let least = read_job_file(world, job)?.crawl.free_bytes_min;
    loop {
        let until = tokio::time::sleep(wait);
        tokio::pin!(until);
        loop {
            tokio::select! {
                () = &mut until => break,
                Some(request) = requests.recv() => match &request.command {
                    Command::Stop => {
                        request.answer(Ok(serde_json::json!({ "stopping": true })));
                        return Ok(true);
                    }
                    Command::Status => {
                        let now = progress.borrow().clone();
                        request.answer(Ok(serde_json::to_value(now).expect("plain numbers")));
                    }
                    _ => request.answer(Err(anyhow::anyhow!("the job is paused after an error of the disk"))),
                },
            }
        }
        if world.disk.free_bytes(job.root())? >= least {
            return Ok(false);
        }
    }
}

/// Reads and checks `job.toml`.
///
/// # Errors
/// With file and line of what is wrong.
pub fn read_job_file(world: &World, job: &JobDir) -> anyhow::Result<JobFile> {
    let path = job.job_file();
    let bytes = world.disk.read(&path)?;
    let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", path.display()))?;
    JobFile::parse(&text).with_context(|| path.display().to_string())
}

/// Writes the reports of a launch.
///
/// # Errors
/// When the disk fails.
pub fn write_reports(job: &JobDir, state: &State, steps: &Steps, ending: Ending) -> anyhow::Result<()> {
    let launch = job.launch(&state.facts.launch_folder);
    let mut remaining: BTreeMap<String, u64> = BTreeMap::new();
    for queue in state.frontier.queues().filter(|queue| queue.queued > 0) {
        *remaining.entry(queue.key).or_default() += queue.queued;
    }
    let remaining_of = |host: &str| {
        surt::CanonicalUrl::parse(&format!("http://{host}/"))
            .map_or(0, |url| remaining.get(&surt::queue_authority(&url)).copied().unwrap_or(0))
    };
    let name = crate::settings::job_name(&steps.options.name, job);
    let facts = ReportFacts {
        name: &name,
        status: ending.text(),
        running_ms: state.statistics.running_ms,
        remaining: &remaining_of,
    };
    for (file, text) in reports::all(&state.statistics, &facts) {
        write_durably(&*steps.world.disk, &launch.reports().join(file), text.as_bytes())?;
    }
    Ok(())
}

/// Entries with which a launch begins.
pub(crate) fn launch_entry(number: u32, folder: &str, world: &World) -> Entry {
    Entry::Launch { number, folder: folder.to_owned(), at: world.clock.wall() }
}

/// A channel pair for a job: what the job takes, and what others keep.
pub fn channels() -> (Channels, mpsc::Sender<Request>, watch::Receiver<Progress>) {
    let (sender, requests) = mpsc::channel(64);
    let (progress, watcher) = watch::channel(Progress::default());
    (Channels { requests, progress }, sender, watcher)
}
