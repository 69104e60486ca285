//! The course of a run: one process after the other works on the job until it is done and every fault has struck.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crawl::{Ending, JobDir, JobFile, Phase, Registry};
use fastrand::Rng;
use model::planted::{self, Bug};
use testweb::disk::SimDisk;
use testweb::{DelayedWork, ScopeKind, ScopeModel, SimWorld, Web, WebOptions, run_virtual, sim_world};

use super::evidence::{self, Admitted};
use super::faults::{Armed, Faults, Kind};
use super::judge;

/// Between two looks at a running process, virtual milliseconds.
const LOOK_MS: u64 = 100;
/// Longest virtual time of a run: nothing takes a day by right.
const VIRTUAL_MS_MAX: u64 = 48 * 3_600_000;
/// Longest real time of a run.
const REAL_TIME_MAX: Duration = Duration::from_secs(120);
/// Most processes in a run.
const PROCESSES_MAX: usize = 400;
/// Commits take up to that long, virtual milliseconds.
pub const COMMIT_MS_MAX: u64 = 30;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct SimOptions {
    /// All else follows from it.
    pub seed: u64,
    /// What is planted.
    pub bug: Option<Bug>,
    /// No faults of process and disk.
    pub calm: bool,
    /// Say what happens.
    pub verbose: bool,
}

/// What came of a run.
pub struct Outcome {
    /// Seed, numbers, in a line.
    pub summary: String,
    /// What a correct crawl would not have done.
    pub violations: Vec<String>,
}

/// Runs a seed.
pub fn run(options: &SimOptions) -> Outcome {
    planted::plant(options.bug);
    let outcome = run_virtual(async { Course::new(options).run().await });
    planted::plant(None);
    outcome
}

/// The job file of the simulation: small limits, so that everything that happens in a large crawl happens in a small one.
pub fn job_file() -> JobFile {
    let mut file = JobFile::default();
    file.crawl.workers = 60;
    file.crawl.free_bytes_min = 64 << 10;
    file.crawl.manifest_interval_s = 30;
    file.scope.scope = crawl::ScopeKind::Any;
    file.frontier.sieve_buffer_entries = 300;
    file.frontier.queue_memory_bytes = 64 << 10;
    file.frontier.recent_entries = 256;
    file.frontier.retry_delay_ms = 30_000;
    file.frontier.retries_max = 7;
    // Without the process number, which would make a seed's files differ in length from run to run.
    file.archive.template = "${prefix}-${timestamp17}-${serialno}".to_owned();
    file.archive.gzip_level = 1;
    file.archive.file_bytes_max = 400 << 10;
    file.archive.own_file_bytes_min = 100 << 10;
    file
}

struct Course {
    options: SimOptions,
    web: Arc<Web>,
    world: SimWorld,
    job: JobDir,
    disk: SimDisk,
    faults: Faults,
    armed: Option<Armed>,
    rng: Rng,
    real_start: Instant,
    struck: BTreeMap<Kind, usize>,
    /// Times at which memory was lost, milliseconds.
    breaks_ms: Vec<u64>,
    n_processes: usize,
    admitted: Admitted,
    n_requests_audited: usize,
    violations: Vec<String>,
}

/// How a process ended.
enum End {
    Returned(anyhow::Result<Ending>),
    Dead(Kind),
    GivenUp(String),
}

impl Course {
    fn new(options: &SimOptions) -> Course {
        let seed = options.seed;
        let web = Arc::new(Web::generate(WebOptions::new(seed)));
        let disk = SimDisk::new(seed);
        let mut world = sim_world(web.clone(), Arc::new(disk.clone()));
        world.world.work = Arc::new(DelayedWork::new(seed, COMMIT_MS_MAX));
        Course {
            options: *options,
            web,
            world,
            job: JobDir::new("/job"),
            disk,
            faults: Faults::new(seed, options.calm),
            armed: None,
            rng: Rng::with_seed(seed ^ 0xc0_0e5e),
            real_start: Instant::now(),
            struck: BTreeMap::new(),
            breaks_ms: Vec::new(),
            n_processes: 0,
            admitted: Admitted::default(),
            n_requests_audited: 0,
            violations: Vec::new(),
        }
    }

    fn now_ms(&self) -> u64 {
        self.world.world.clock.mono().0
    }

    fn say(&self, text: impl FnOnce() -> String) {
        if self.options.verbose {
            println!("{:>9} ms, process {}: {}", self.now_ms(), self.n_processes, text());
        }
    }

    async fn run(mut self) -> Outcome {
        let seeds = self.web.seeds();
        crawl::create_job(&self.world.world, &self.job, &job_file(), &seeds.join("\n"))
            .expect("the disk is empty");
        loop {
            self.n_processes += 1;
            let end = self.process().await;
            let is_done = matches!(end, End::Returned(Ok(Ending::Finished)))
                && self.faults.is_over()
                && self.armed.is_none();
            self.after_process(end);
            if is_done || !self.violations.is_empty() {
                break;
            }
            if self.n_processes > PROCESSES_MAX {
                self.violations.push("never ends: too many processes".to_owned());
                break;
            }
        }
        self.judge()
    }

    /// One process, from its start to its end.
    async fn process(&mut self) -> End {
        let (world, job, registry) = (self.world.world.clone(), self.job.clone(), Registry::builtin());
        let (channels, _requests, progress) = crawl::channels();
        let process = crawl::run(&world, &job, &registry, channels);
        tokio::pin!(process);
        loop {
            tokio::select! {
                biased;
                result = &mut process => return End::Returned(result),
                () = tokio::time::sleep(Duration::from_millis(LOOK_MS)) => {}
            }
            let seen = {
                let progress = progress.borrow();
                (progress.phase == Phase::PausedError).then(|| progress.reason.clone().unwrap_or_default())
            };
            if let Some(end) = self.look(seen) {
                return end;
            }
        }
    }

    /// Looks at what has struck and arms what comes next.
    fn look(&mut self, error: Option<String>) -> Option<End> {
        let now_ms = self.now_ms();
        if now_ms > VIRTUAL_MS_MAX || self.real_start.elapsed() > REAL_TIME_MAX {
            return Some(End::GivenUp(format!(
                "never ends: still at work after {} virtual seconds",
                now_ms / 1000
            )));
        }
        if let Some(reason) = error.filter(|reason| !is_explained(reason)) {
            return Some(End::GivenUp(format!("error without a fault: {reason}")));
        }
        match self.armed {
            Some(Armed::Death { kind, at_ms }) => {
                let is_time = at_ms.is_some_and(|at_ms| now_ms >= at_ms);
                return (is_time || !self.disk.struck().is_empty()).then_some(End::Dead(kind));
            }
            Some(Armed::Error { kind }) if !self.disk.struck().is_empty() => self.survived(kind),
            Some(Armed::NoRoom { until_ms, .. }) if now_ms >= until_ms => {
                self.disk.set_capacity(None);
                self.survived(Kind::DiskFull);
            }
            Some(_) => return None,
            None => {}
        }
        self.armed = self.faults.arm(&self.disk, now_ms, false);
        self.say(|| format!("{:?} is armed", self.armed));
        None
    }

    /// A fault has struck that leaves the process alive.
    fn survived(&mut self, kind: Kind) {
        self.say(|| format!("{kind:?}: {:?}", self.disk.struck()));
        self.disk.forget_struck();
        *self.struck.entry(kind).or_default() += 1;
        self.breaks_ms.push(self.now_ms());
        self.armed = None;
    }

    fn after_process(&mut self, end: End) {
        let now_ms = self.now_ms();
        match end {
            End::GivenUp(violation) => self.violations.push(violation),
            End::Dead(kind) => self.die(kind),
            End::Returned(result) => {
                let has_struck = !self.disk.struck().is_empty();
                match (self.armed, result) {
                    (Some(Armed::Death { kind, .. }), Err(_)) if has_struck => return self.die(kind),
                    (Some(Armed::Error { kind }), Err(error))
                        if has_struck && is_explained(&format!("{error:#}")) =>
                    {
                        self.survived(kind);
                    }
                    (Some(Armed::NoRoom { .. }), Err(error)) if is_explained(&format!("{error:#}")) => {
                        self.disk.set_capacity(None);
                        self.survived(Kind::DiskFull);
                    }
                    (_, Err(error)) => self.violations.push(format!("refused: {error:#}")),
                    (_, Ok(ending)) => self.say(|| format!("ended: {ending:?}")),
                }
                self.breaks_ms.push(now_ms);
                self.next_process(self.disk.crash());
            }
        }
    }

    /// The process is gone; what is left of the disk depends on what took it.
    fn die(&mut self, kind: Kind) {
        self.say(|| format!("{kind:?}: {:?}", self.disk.struck()));
        *self.struck.entry(kind).or_default() += 1;
        self.breaks_ms.push(self.now_ms());
        self.armed = None;
        let left = match kind {
            Kind::PowerCut => self.disk.power_cut(&mut self.rng),
            _ => self.disk.crash(),
        };
        // Whatever of the dead process is still under way must not write any more.
        drop(self.disk.crash());
        self.next_process(left);
    }

    fn next_process(&mut self, disk: SimDisk) {
        self.audit(&disk);
        disk.set_capacity(None);
        // What was armed on the disk of old and did not strike comes another time.
        if let Some(Armed::Death { kind, .. } | Armed::Error { kind } | Armed::NoRoom { kind, .. }) =
            self.armed.take()
        {
            self.faults.put_back(kind);
        }
        self.disk = disk;
        self.world = self.world.restarted(Arc::new(self.disk.clone()), self.rng.u64(..));
        // Some faults strike while a job is opened.
        if self.rng.bool() {
            self.armed = self.faults.arm(&self.disk, self.now_ms(), true);
            self.say(|| format!("{:?} is armed from the start", self.armed));
        }
    }

    /// What servers were asked for must be in the journal now, whatever was lost.
    fn audit(&mut self, disk: &SimDisk) {
        if let Err(violation) = self.admitted.read_on(disk, &self.job) {
            self.violations.push(violation);
            return;
        }
        let requests = self.world.network.observations().requests();
        for request in &requests[self.n_requests_audited.min(requests.len())..] {
            if !self.admitted.urls.contains(&request.url) {
                let at_ms = request.start_ms;
                self.violations
                    .push(format!("ahead of the journal: {}: asked for at {at_ms} ms", request.url));
            }
        }
        self.n_requests_audited = requests.len();
    }

    fn judge(mut self) -> Outcome {
        self.audit(&self.disk.clone());
        let observations = self.world.network.observations().clone();
        let requests = observations.requests().len();
        if self.violations.is_empty() {
            let scope = ScopeModel::new(ScopeKind::Any, true);
            let expected = self.web.expected(&self.web.seeds(), &scope);
            match evidence::gather(&self.disk, &self.job) {
                Err(violation) => self.violations.push(violation),
                Ok(found) => {
                    let facts = judge::Facts {
                        web: &self.web,
                        expected: &expected,
                        observations: &observations,
                        breaks_ms: &self.breaks_ms,
                        found: &found,
                    };
                    self.violations.extend(judge::check(&facts));
                    self.violations.extend(judge::survives_power_cuts(
                        &self.disk,
                        &self.job,
                        &found,
                        &mut self.rng,
                    ));
                }
            }
        }
        let faults = observations.faults();
        if self.violations.is_empty() && !self.options.calm {
            let kinds = Kind::ALL
                .into_iter()
                .map(|kind| (format!("{kind:?}"), self.struck.get(&kind).copied().unwrap_or(0)));
            let network = [("dropped", faults.dropped()), ("DNS", faults.dns()), ("slow", faults.slow)];
            let network = network.into_iter().map(|(name, n)| (name.to_owned(), n as usize));
            for (name, n) in kinds.chain(network) {
                if n < super::faults::FAULTS_OF_EACH_KIND {
                    self.violations.push(format!("too few faults: {n} of {name}"));
                }
            }
        }
        let mut summary = format!("seed {}", self.options.seed);
        if let Some(bug) = self.options.bug {
            write!(summary, " with {}", bug.name()).expect("into a String");
        }
        let (hosts, urls) = (self.web.hosts().len(), self.web.n_urls());
        let hours = self.now_ms() as f64 / 3_600_000.0;
        write!(
            summary,
            ": {hosts} hosts, {urls} URLs, {requests} requests, {hours:.1} h, {} processes, faults {:?} dropped {} DNS {} slow {}: {}",
            self.n_processes,
            self.struck,
            faults.dropped(),
            faults.dns(),
            faults.slow,
            if self.violations.is_empty() { "right".to_owned() } else { format!("{} violations", self.violations.len()) }
        )
        .expect("into a String");
        Outcome { summary, violations: self.violations }
    }
}

/// Errors that follow from the faults that are played.
fn is_explained(reason: &str) -> bool {
    ["no space left", "false disk error", "the process was killed"].iter().any(|text| reason.contains(text))
}
