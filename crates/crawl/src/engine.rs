//! The engine: hands out items, gathers what became of them into groups, has the ledger commit one group after the other
//! and applies what was committed. Decides when; how each step is done is none of its business (see `way.rs`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use frontier::Next;
use model::entry::{Admit, Entry};
use model::{FetchItem, MonoMs, Ordinal};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinError, JoinSet};

use crate::control::{Command, Request};
use crate::handled::Handled;
use crate::job::JobDir;
use crate::ledger::{Committed, Group, Ledger};
use crate::progress::{Phase, Progress};
use crate::stages::Stage;
use crate::state::State;
use crate::steps::Steps;
use crate::{explain, manifest, way};

/// A group is committed at the latest after that time (DURABILITY.md, rule 5).
const GROUP_MS_MAX: u64 = 50;
/// … or when it has that many outcomes.
const GROUP_OUTCOMES_MAX: usize = 1024;
/// … or when its records have that many bytes.
const GROUP_BYTES_MAX: u64 = 4 << 20;
/// With so many outcomes uncommitted, fetching waits.
const UNCOMMITTED_OUTCOMES_MAX: usize = 8192;
/// With so many bytes uncommitted, fetching waits.
const UNCOMMITTED_BYTES_MAX: u64 = 256 << 20;
/// While workers starve, a group need not wait for its time if commits are this quick.
const QUICK_COMMIT_MS: u64 = 8;
/// How long a stop waits for requests under way; what takes longer is queued again.
const STOP_GRACE_MS: u64 = 3000;
/// Between two looks at limits, free space and the state of the world.
const TICK_MS: u64 = 1000;
/// Journal bytes after which a manifest is due.
const MANIFEST_JOURNAL_BYTES: u64 = 256 << 20;

/// How a launch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is left to fetch.
    Finished,
    /// `urls_max` was reached.
    UrlLimit,
    /// `bytes_max` was reached.
    DataLimit,
    /// `time_s_max` was reached.
    TimeLimit,
    /// Somebody stopped it.
    Stopped,
}

impl Ending {
    /// As job.log and reports say it.
    pub fn text(self) -> &'static str {
        match self {
            Ending::Finished => "Finished",
            Ending::UrlLimit => "Finished - Maximum number of documents limit hit",
            Ending::DataLimit => "Finished - Maximum amount of data limit hit",
            Ending::TimeLimit => "Finished - Time limit hit",
            Ending::Stopped => "Finished - Ended by operator",
        }
    }
}

/// A launched job at work.
pub struct Engine {
    job: JobDir,
    steps: Steps,
    state: State,
    /// `None` while it commits.
    ledger: Option<Box<Ledger>>,
    commit: Option<oneshot::Receiver<(Box<Ledger>, anyhow::Result<Committed>)>>,
    commit_started: MonoMs,
    commit_ms: u64,
    group: Group,
    /// Entries that wait for a frame of their own.
    frames: VecDeque<Vec<Entry>>,
    group_since: Option<MonoMs>,
    group_bytes: u64,
    committing: (usize, u64),
    novel: Vec<(Ordinal, Arc<Admit>)>,
    walks: JoinSet<Handled>,
    free_workers: Vec<u16>,
    n_fetching: u64,
    started: MonoMs,
    paused_ms: u64,
    paused_since: Option<MonoMs>,
    is_disk_full: bool,
    ending: Option<Ending>,
    stop_since: Option<MonoMs>,
    manifest_at: MonoMs,
    manifest_journal_bytes: u64,
    is_manifest_due: bool,
    requests: mpsc::Receiver<Request>,
    waiting_requests: VecDeque<Request>,
    progress: watch::Sender<Progress>,
}

/// What an engine is made of.
pub struct EngineParts {
    /// The folder.
    pub job: JobDir,
    /// What is known, replay done.
    pub state: State,
    /// The ledger, open.
    pub ledger: Ledger,
    /// The steps as workers share them.
    pub steps: Steps,
    /// Entries to begin with, a frame each: launch, configuration, seeds.
    pub first_frames: Vec<Vec<Entry>>,
    /// Questions and commands.
    pub requests: mpsc::Receiver<Request>,
    /// Who wants to know how it goes.
    pub progress: watch::Sender<Progress>,
}

impl Engine {
    /// An engine that has not begun.
    pub fn new(parts: EngineParts) -> Engine {
        let EngineParts { job, state, steps, ledger, first_frames, requests, progress } = parts;
        let now = steps.world.clock.mono();
        let workers = steps.options.workers.max(1);
        Engine {
            job,
            state,
            commit: None,
            commit_started: now,
            commit_ms: 0,
            group: Group::default(),
            frames: first_frames.into(),
            group_since: None,
            group_bytes: 0,
            committing: (0, 0),
            novel: Vec::new(),
            walks: JoinSet::new(),
            free_workers: (1..=workers).rev().collect(),
            n_fetching: 0,
            started: now,
            paused_ms: 0,
            paused_since: None,
            is_disk_full: false,
            ending: None,
            stop_since: None,
            manifest_at: now,
            manifest_journal_bytes: ledger.journal.bytes_appended(),
            is_manifest_due: true,
            ledger: Some(Box::new(ledger)),
            requests,
            waiting_requests: VecDeque::new(),
            progress,
            steps,
        }
    }

    /// Works until there is nothing left to do, a limit is reached or somebody stops it.
    ///
    /// Gives the requests' end back, for the next engine.
    ///
    /// # Errors
    /// When the disk fails or is full, or an invariant is broken. All memory must be dropped then; going on is a resume.
    pub async fn run(mut self) -> (anyhow::Result<Ending>, mpsc::Receiver<Request>) {
        let ending = self.work().await;
        // Whatever is under way is dropped; its URLs are still queued in the journal.
        self.walks.shutdown().await;
        // Two owners of the journal at once must never be: a commit under way ends first, whatever it gives.
        if let Some(commit) = self.commit.take() {
            drop(commit.await);
        }
        let result = ending.and_then(|ending| self.close(ending).map(|()| ending));
        (result, self.requests)
    }

    async fn work(&mut self) -> anyhow::Result<Ending> {
        let steps = self.steps.clone();
        let mut tick = MonoMs(0);
        loop {
            let now = self.now();
            if now >= tick {
                self.look_around(now)?;
                tick = now + TICK_MS;
            }
            let wake = steps.stages.time(Stage::Frontier, || self.hand_out(now))?;
            self.start_commit_if_due(now);
            self.answer_requests();
            if let Some(ending) = self.is_over(now) {
                return Ok(ending);
            }
            let until =
                [wake, self.group_deadline(), Some(tick)].into_iter().flatten().min().expect("tick is some");
            self.wait(until).await?;
        }
    }

    /// Waits for whatever comes first.
    async fn wait(&mut self, until: MonoMs) -> anyhow::Result<()> {
        let steps = self.steps.clone();
        let sleep_ms = until - self.now();
        let commit = async {
            match &mut self.commit {
                Some(commit) => commit.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            result = commit => {
                self.commit = None;
                let (ledger, committed) = result.map_err(|_| anyhow::anyhow!("the ledger's thread ended"))?;
                let committed = committed?;
                steps.stages.time(Stage::Frontier, || self.on_committed(ledger, committed))?;
            }
            Some(handled) = self.walks.join_next(), if !self.walks.is_empty() => {
                self.on_walked(handled)?;
                // Others that ended meanwhile are taken at once.
                while let Some(handled) = self.walks.try_join_next() {
                    self.on_walked(handled)?;
                }
            }
            Some(request) = self.requests.recv() => self.waiting_requests.push_back(request),
            () = tokio::time::sleep(Duration::from_millis(sleep_ms)) => {}
        }
        Ok(())
    }

    fn now(&self) -> MonoMs {
        self.steps.world.clock.mono()
    }

    fn is_handing_out(&self) -> bool {
        self.ending.is_none() && self.paused_since.is_none() && !self.is_disk_full
    }

    /// Gives items to free workers; says when to ask again.
    fn hand_out(&mut self, now: MonoMs) -> anyhow::Result<Option<MonoMs>> {
        while self.is_handing_out() && !self.free_workers.is_empty() && !self.is_backed_up() {
            if self.is_url_limit_taken() {
                return Ok(None);
            }
            match self.state.frontier.next(now)? {
                Next::Item(item) => self.send(item)?,
                Next::WaitUntil(wake) => return Ok(Some(wake)),
                Next::Wait | Next::Empty => return Ok(None),
            }
        }
        Ok(None)
    }

    /// More is uncommitted than may be.
    fn is_backed_up(&self) -> bool {
        self.group.outcomes.len() + self.committing.0 >= UNCOMMITTED_OUTCOMES_MAX
            || self.group_bytes + self.committing.1 >= UNCOMMITTED_BYTES_MAX
    }

    /// Every fetch that the limit leaves is done or under way.
    fn is_url_limit_taken(&self) -> bool {
        let limit = self.steps.options.urls_max;
        limit > 0 && self.state.statistics.fetches + self.uncommitted_fetches() >= limit
    }

    fn uncommitted_fetches(&self) -> u64 {
        self.n_fetching
    }

    fn send(&mut self, item: FetchItem) -> anyhow::Result<()> {
        let host = self.state.hosts.facts(&item.candidate.url)?;
        let worker = self.free_workers.pop().expect("the caller looked");
        self.n_fetching += u64::from(counts_as_fetch(&item));
        self.walks.spawn(way::walk(self.steps.clone(), item, host, worker));
        Ok(())
    }

    fn on_walked(&mut self, walked: Result<Handled, JoinError>) -> anyhow::Result<()> {
        let handled = walked.map_err(|error| anyhow::anyhow!("a worker broke: {error}"))?;
        let steps = self.steps.clone();
        steps.stages.time(Stage::Frontier, || self.on_handled(handled))
    }

    fn on_handled(&mut self, handled: Handled) -> anyhow::Result<()> {
        let Handled { worker, mut end, done, item } = handled;
        self.free_workers.push(worker);
        let now = self.now();
        let Some(mut outcome) = done else {
            self.n_fetching -= u64::from(counts_as_fetch(&item));
            // The address is busy; a moment later it may not be.
            self.state.frontier.returned(item.ordinal, now + 20);
            return Ok(());
        };
        let host = self.state.hosts.facts(&item.candidate.url)?;
        let brought = self.state.crawl_delay_brought(&outcome.done.host_changes);
        end.crawl_delay_s = brought.or_else(|| self.state.crawl_delay_s(&item.candidate.url, &host));
        if let Some(admitted) = self.state.frontier.admitted(item.ordinal) {
            outcome.done.rule = admitted.rule;
            outcome.done.cost = admitted.cost;
        }
        self.state.frontier.finished(item.ordinal, &end, now);
        let frontier = &self.state.frontier;
        outcome.admits.retain(|admit| admit.bypass || !frontier.recently_admitted(admit.fingerprint));
        self.group_bytes += outcome.prepared.as_ref().map_or(0, archive::Prepared::file_bytes);
        self.group_since.get_or_insert(now);
        self.group.outcomes.push(*outcome);
        Ok(())
    }

    fn group_deadline(&self) -> Option<MonoMs> {
        if self.commit.is_some() {
            return None;
        }
        self.group_since.map(|since| if self.is_starving() { since } else { since + GROUP_MS_MAX })
    }

    /// Workers wait for URLs that only a commit or a flush can bring, and the disk is quick enough to commit more often.
    fn is_starving(&self) -> bool {
        self.commit_ms <= QUICK_COMMIT_MS
            && self.walks.len() < usize::from(self.steps.options.workers) / 4 + 1
    }

    fn start_commit_if_due(&mut self, now: MonoMs) {
        if self.commit.is_some() {
            return;
        }
        let idle = if self.is_handing_out() { self.free_workers.len() } else { 0 };
        let has_links = self.group.outcomes.iter().any(|outcome| !outcome.admits.is_empty());
        let flush = self.state.frontier.flush_due(now, idle)
            || self.is_manifest_due
            || (has_links && self.is_starving());
        let is_full = self.group.outcomes.len() >= GROUP_OUTCOMES_MAX || self.group_bytes >= GROUP_BYTES_MAX;
        let is_time = self.group_deadline().is_some_and(|deadline| now >= deadline);
        if !(flush || is_full || is_time || !self.frames.is_empty()) {
            return;
        }
        let mut group = std::mem::take(&mut self.group);
        if let Some(entries) = self.frames.pop_front() {
            group.others = entries;
        }
        group.flush |= flush;
        self.committing = (group.outcomes.len(), self.group_bytes);
        (self.group_since, self.group_bytes) = (None, 0);
        self.commit_started = now;
        let mut ledger = self.ledger.take().expect("no commit is under way");
        let novel = std::mem::take(&mut self.novel);
        let (sender, receiver) = oneshot::channel();
        let work = self.steps.world.work.clone();
        let job = move || {
            let steps = ledger.steps.clone();
            let commit = || ledger.derive_novel(novel).and_then(|()| way::commit(&mut ledger, group));
            let result = steps.stages.time(Stage::Ledger, commit);
            // Nobody listens only if the engine itself has gone.
            let _ = sender.send((ledger, result));
        };
        work.spawn(Box::new(job));
        self.commit = Some(receiver);
    }

    fn on_committed(&mut self, ledger: Box<Ledger>, committed: Committed) -> anyhow::Result<()> {
        self.ledger = Some(ledger);
        self.committing = (0, 0);
        self.commit_ms = self.now() - self.commit_started;
        let Committed { first_sequence, entries } = committed;
        let has_flush = matches!(entries.last(), Some(Entry::Flush { .. }));
        for (sequence, entry) in (first_sequence..).zip(entries) {
            if let Entry::Done(done) = &entry {
                self.n_fetching -= u64::from(done.log.hop_path.last() != Some(model::Hop::Prerequisite));
            }
            let novel = &mut self.novel;
            self.state.apply(sequence, entry, &mut |ordinal, admit| {
                novel.push((ordinal, Arc::new(admit.clone())))
            })?;
        }
        if has_flush && self.is_manifest_due {
            self.write_manifest()?;
        }
        self.look_at_space()
    }

    fn write_manifest(&mut self) -> anyhow::Result<()> {
        let ledger = self.ledger.as_mut().expect("no commit is under way");
        ledger.derive_novel(std::mem::take(&mut self.novel))?;
        self.state.statistics.running_ms =
            running_ms(&self.state, self.started, self.paused_ms, self.steps.world.clock.mono());
        manifest::write(&self.job, &mut self.state, ledger)?;
        self.is_manifest_due = false;
        self.manifest_journal_bytes = ledger.journal.bytes_appended();
        self.manifest_at = self.now();
        Ok(())
    }

    /// Pauses while too little is free on the job's disk. Looked at after every commit: a quick crawl fills a disk in less
    /// than a second.
    fn look_at_space(&mut self) -> anyhow::Result<()> {
        let free = self.steps.world.disk.free_bytes(self.job.root())?;
        let least = self.steps.options.free_bytes_min;
        let was_full = std::mem::replace(&mut self.is_disk_full, free < least);
        if was_full != self.is_disk_full {
            let (free, least) = (crate::reports::human_bytes(free), crate::reports::human_bytes(least));
            let text = if self.is_disk_full {
                format!(
                    "PAUSED: only {free} are free on the job's disk, at least {least} are wanted (free_bytes_min)"
                )
            } else {
                format!("RUNNING: {free} are free again")
            };
            crate::job_log::write(&self.steps.world, &self.job, "INFO", &text);
        }
        Ok(())
    }

    /// Once a second: limits, free space, progress.
    fn look_around(&mut self, now: MonoMs) -> anyhow::Result<()> {
        self.look_at_space()?;
        let steps = self.steps.clone();
        let options = &steps.options;
        if now - self.manifest_at >= options.manifest_interval_s * 1000 {
            self.is_manifest_due = true;
        }
        if let Some(ledger) = &self.ledger
            && ledger.journal.bytes_appended() - self.manifest_journal_bytes >= MANIFEST_JOURNAL_BYTES
        {
            self.is_manifest_due = true;
        }
        let running = running_ms(&self.state, self.started, self.paused_ms, now);
        let statistics = &self.state.statistics;
        if options.bytes_max > 0 && statistics.bytes() >= options.bytes_max {
            self.end(Ending::DataLimit, now);
        }
        if options.time_s_max > 0 && running >= options.time_s_max * 1000 {
            self.end(Ending::TimeLimit, now);
        }
        self.tell_progress(now);
        Ok(())
    }

    fn tell_progress(&mut self, now: MonoMs) {
        let phase = match () {
            () if self.ending.is_some() => Phase::Stopping,
            () if self.is_disk_full => Phase::PausedDiskFull,
            () if self.paused_since.is_some() => Phase::Paused,
            () => Phase::Running,
        };
        let running_ms = running_ms(&self.state, self.started, self.paused_ms, now);
        self.progress.send_replace(Progress::of(&self.state, phase, running_ms, self.walks.len() as u64));
    }

    fn end(&mut self, ending: Ending, now: MonoMs) {
        self.ending.get_or_insert(ending);
        self.stop_since.get_or_insert(now);
    }

    /// Whether the launch is over, and why. Before that, everything is committed.
    fn is_over(&mut self, now: MonoMs) -> Option<Ending> {
        if self.commit.is_some() || !self.group.is_empty() || !self.frames.is_empty() {
            return None;
        }
        if let Some(ending) = self.ending {
            let waited = self.stop_since.map_or(0, |since| now - since);
            return (self.walks.is_empty() || waited >= STOP_GRACE_MS).then_some(ending);
        }
        if !self.walks.is_empty() {
            return None;
        }
        if self.is_url_limit_taken() {
            return Some(Ending::UrlLimit);
        }
        let counts = self.state.frontier.counts();
        (counts.queued + counts.pending + counts.in_flight == 0).then_some(Ending::Finished)
    }

    fn answer_requests(&mut self) {
        // The ledger holds what is asked for; while it commits, questions wait for some milliseconds.
        while self.ledger.is_some() {
            let Some(request) = self.waiting_requests.pop_front() else { return };
            let now = self.now();
            match request.command.clone() {
                Command::Explain { url } => {
                    let ledger = self.ledger.as_ref().expect("the loop looked");
                    let answer = explain::live(&url, &mut self.state, ledger, &self.novel);
                    request.answer(answer);
                }
                Command::Status => {
                    self.tell_progress(now);
                    let progress = self.progress.borrow().clone();
                    request.answer(Ok(serde_json::to_value(&progress).expect("plain numbers")));
                }
                Command::Pause => {
                    self.paused_since.get_or_insert(now);
                    request.answer(Ok(serde_json::json!({ "paused": true })));
                }
                Command::Unpause => {
                    self.paused_ms += self.paused_since.take().map_or(0, |since| now - since);
                    request.answer(Ok(serde_json::json!({ "paused": false })));
                }
                Command::Stop => {
                    self.end(Ending::Stopped, now);
                    request.answer(Ok(serde_json::json!({ "stopping": true })));
                }
            }
        }
    }

    /// Leaves the job so that a resume has nothing to mend: WARC files closed, a manifest, reports.
    fn close(&mut self, ending: Ending) -> anyhow::Result<()> {
        let ledger = self.ledger.as_mut().expect("everything is committed");
        ledger.warcs.close()?;
        let group = Group { flush: true, ..Group::default() };
        let committed = way::commit(ledger, group)?;
        for (sequence, entry) in (committed.first_sequence..).zip(committed.entries) {
            let novel = &mut self.novel;
            self.state.apply(sequence, entry, &mut |ordinal, admit| {
                novel.push((ordinal, Arc::new(admit.clone())))
            })?;
        }
        self.write_manifest()?;
        crate::launch::write_reports(&self.job, &self.state, &self.steps, ending)?;
        if let Some(text) = self.steps.stages.text() {
            crate::job_log::write(&self.steps.world, &self.job, "INFO", &text);
        }
        let now = self.now();
        self.tell_progress(now);
        Ok(())
    }
}

/// Prerequisites do not count against `urls_max`.
fn counts_as_fetch(item: &FetchItem) -> bool {
    item.candidate.last_hop() != Some(model::Hop::Prerequisite)
}

/// Milliseconds of running, earlier launches included.
fn running_ms(state: &State, started: MonoMs, paused_ms: u64, now: MonoMs) -> u64 {
    state.statistics.earlier_ms + (now - started).saturating_sub(paused_ms)
}
