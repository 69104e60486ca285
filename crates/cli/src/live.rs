//! Runs a job in this process: signals, control socket, progress.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use crawl::{Command, Ending, JobDir, JobError, JobFile, Phase, Progress, Registry, Request};
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressStyle};
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use crate::exit;

/// Between two lines when output is not a terminal.
const PLAIN_LINE_EVERY: Duration = Duration::from_secs(10);
/// Threads that serve connections; extraction and compression happen on them too.
const NETWORK_THREADS_MIN: usize = 2;

/// Makes a new job and runs it.
///
/// # Errors
/// When the folder cannot be used, or as [`run`].
pub fn create_and_run(job: &JobDir, job_file: &JobFile, seeds_text: &str) -> anyhow::Result<ExitCode> {
    crawl::create_job(&crawl::real_world(None)?, job, job_file, seeds_text)?;
    run(job)
}

/// Opens a job and works on it to its end.
///
/// # Errors
/// When the folder holds no job, is locked or damaged.
pub fn run(job: &JobDir) -> anyhow::Result<ExitCode> {
    if !job.job_file().is_file() {
        return Err(JobError::Missing(job.root().to_owned()).into());
    }
    let runtime = runtime()?;
    let ending = runtime.block_on(work(job, &Registry::builtin(), true))?;
    let code = match ending {
        Ending::Finished => ExitCode::SUCCESS,
        Ending::Stopped => {
            outln!("go on with: bequest resume {}", job.root().display());
            exit::STOPPED.into()
        }
        Ending::UrlLimit | Ending::DataLimit | Ending::TimeLimit => {
            outln!(
                "a limit was reached; raise it in {} and go on with: bequest resume {}",
                job.job_file().display(),
                job.root().display()
            );
            exit::LIMIT.into()
        }
    };
    // Connections that a stop left open need no farewell.
    runtime.shutdown_timeout(Duration::from_millis(200));
    Ok(code)
}

/// The runtime of a crawl.
///
/// # Errors
/// When no thread can be started.
pub fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let threads = std::thread::available_parallelism()
        .map_or(NETWORK_THREADS_MIN, |n| n.get().max(NETWORK_THREADS_MIN));
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(threads).enable_all().build().context("start threads")
}

/// Works on a job, with signals and control socket.
///
/// # Errors
/// As [`crawl::run`].
pub async fn work(job: &JobDir, registry: &Registry, is_loud: bool) -> anyhow::Result<Ending> {
    let world = crawl::real_world_of(job)?;
    let (channels, requests, progress) = crawl::channels();
    if is_loud {
        outln!("job: {}", job.root().display());
    }
    let job_run = crawl::run(&world, job, registry, channels);
    tokio::pin!(job_run);
    // The socket is bound only once the lock is held: the first progress says so.
    let mut first = progress.clone();
    let early = tokio::select! {
        result = &mut job_run => Some(result),
        _ = first.changed() => None,
    };
    let ending = match early {
        Some(result) => result?,
        None => {
            let _control = crawl::listen(&job.control_socket(), requests.clone())?;
            let _signals = AbortOnDrop(tokio::spawn(signals(requests)));
            let _shown = is_loud.then(|| AbortOnDrop(tokio::spawn(show(progress.clone()))));
            job_run.await?
        }
    };
    drop(std::fs::remove_file(job.control_socket()));
    if is_loud {
        outln!("{}", summary(&progress.borrow(), ending));
    }
    Ok(ending)
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The first signal stops cleanly, the second at once: what is committed is safe either way.
async fn signals(requests: mpsc::Sender<Request>) {
    let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) else {
        return;
    };
    let mut n_signals = 0;
    loop {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        n_signals += 1;
        if n_signals > 1 {
            eprintln!("stopped at once; nothing committed is lost");
            std::process::exit(130);
        }
        eprintln!("stopping: requests under way may end; once more stops at once");
        let (request, _answer) = Request::new(Command::Stop);
        drop(requests.send(request).await);
    }
}

/// Shows progress: a line that changes on a terminal, plain lines elsewhere.
async fn show(mut progress: watch::Receiver<Progress>) {
    if !std::io::stderr().is_terminal() {
        return show_plain(progress).await;
    }
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a fixed template"));
    bar.enable_steady_tick(Duration::from_millis(250));
    let mut rate = Rate::default();
    loop {
        let now = progress.borrow_and_update().clone();
        bar.set_message(line(&now, rate.update(&now)));
        if progress.changed().await.is_err() {
            return bar.finish_and_clear();
        }
    }
}

async fn show_plain(progress: watch::Receiver<Progress>) {
    let mut rate = Rate::default();
    let mut last_phase = Phase::Preparing;
    let mut waited = Duration::ZERO;
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        waited += Duration::from_secs(1);
        let now = progress.borrow().clone();
        if waited >= PLAIN_LINE_EVERY || now.phase != last_phase {
            // Nobody may read it; the crawl goes on.
            drop(writeln!(std::io::stderr(), "{}", line(&now, rate.update(&now))));
            (waited, last_phase) = (Duration::ZERO, now.phase);
        }
    }
}

/// Fetches a second, smoothed.
#[derive(Default)]
struct Rate {
    last: (u64, u64),
    per_s: f64,
}

impl Rate {
    fn update(&mut self, now: &Progress) -> f64 {
        let (done, ms) = (now.done + now.failed, now.running_ms);
        if ms > self.last.1 {
            let fresh = (done.saturating_sub(self.last.0)) as f64 * 1000.0 / (ms - self.last.1) as f64;
            self.per_s = if self.last.1 == 0 { fresh } else { self.per_s * 0.7 + fresh * 0.3 };
            self.last = (done, ms);
        }
        self.per_s
    }
}

fn line(now: &Progress, per_s: f64) -> String {
    let phase = match now.phase {
        Phase::Preparing => "preparing",
        Phase::Running => "running",
        Phase::Paused => "paused",
        Phase::PausedDiskFull => "paused: the disk is nearly full",
        Phase::PausedError => "paused after an error",
        Phase::Stopping => "stopping",
    };
    let left = now.queued + now.pending + now.in_flight;
    let forecast = match per_s {
        per_s if per_s > 0.01 && left > 0 => {
            format!(
                ", about {} for what is queued",
                HumanDuration(Duration::from_secs_f64(left as f64 / per_s))
            )
        }
        _ => String::new(),
    };
    let reason = now
        .reason
        .as_ref()
        .filter(|_| now.phase == Phase::PausedError)
        .map_or(String::new(), |reason| format!(" ({reason})"));
    format!(
        "{phase}{reason}: {per_s:.1}/s, {} done, {} failed, {} refused, {} queued, {}{forecast}",
        now.done,
        now.failed,
        now.refused,
        left,
        HumanBytes(now.bytes)
    )
}

fn summary(now: &Progress, ending: Ending) -> String {
    format!(
        "{}: {} done, {} failed, {} refused, {} still queued, {} in {}",
        ending.text(),
        now.done,
        now.failed,
        now.refused,
        now.queued + now.pending,
        HumanBytes(now.bytes),
        crawl::human_duration(now.running_ms)
    )
}

/// Asks the process that works on a job; `None` if none does.
///
/// # Errors
/// When the folder holds no job or the process does not answer.
pub fn ask(job: &JobDir, command: &Command) -> anyhow::Result<Option<Value>> {
    if !job.job_file().is_file() {
        return Err(JobError::Missing(job.root().to_owned()).into());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(crawl::ask(&job.control_socket(), command))
}

/// The time now as 14 digits, for folder names.
pub fn now_digits() -> String {
    crawl::now().digits14()
}
