//! A crawl of 200 pages, its disk cut at thousands of places: every state must resume to the same set.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crawl::{Ending, JobDir, Registry};
use fastrand::Rng;
use testweb::disk::{Fault, FaultPlan, SimDisk, Trigger};
use testweb::{DelayedWork, FaultRates, SimWorld, Web, WebOptions, run_virtual, sim_world};

use super::course::{COMMIT_MS_MAX, job_file};
use super::{evidence, judge};

/// A second fault strikes within that many operations of a resume.
const SECOND_OPERATIONS_MAX: u64 = 60;

/// What came of it.
pub struct Report {
    seed: u64,
    n_states: usize,
    n_operations: u64,
    n_urls: usize,
    /// What was not the same, or not right.
    pub violations: Vec<String>,
}

impl Report {
    /// The command that repeats it.
    pub fn repeat(&self) -> String {
        format!("failed; repeat it by: cargo xtask sim --seed {} --power-cuts {}", self.seed, self.n_states)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { seed, n_states, n_operations, n_urls, violations } = self;
        write!(
            f,
            "power cuts, seed {seed}: {n_states} states of {n_operations} operations resume to {n_urls} URLs: "
        )?;
        match violations.len() {
            0 => write!(f, "right"),
            n => write!(f, "{n} violations"),
        }?;
        violations.iter().take(12).try_for_each(|violation| write!(f, "\n  {violation}"))
    }
}

/// How a state came about.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// The power failed.
    Cut,
    /// The process was killed, and the power failed while it was resumed.
    KillThenCut,
    /// The power failed, and again while it was resumed.
    CutThenCut,
    /// The power failed; the resume was killed.
    CutThenKill,
}

/// Crawls once, then resumes from `n_states` states.
pub fn run(seed: u64, n_states: usize) -> Report {
    let web = Arc::new(Web::generate(WebOptions {
        hosts: 12,
        urls: 200,
        faults: FaultRates::NONE,
        hostile: false,
        traps: false,
        ..WebOptions::new(seed)
    }));
    let mut rng = Rng::with_seed(seed ^ 0x0c07);
    let base = SimDisk::recording(seed);
    let mut report = Report { seed, n_states, n_operations: 0, n_urls: 0, violations: Vec::new() };
    let whole = match finish(&web, &base) {
        Ok(set) => set,
        Err(violation) => {
            report.violations.push(format!("without a cut: {violation}"));
            return report;
        }
    };
    (report.n_operations, report.n_urls) = (base.operations(), whole.len());
    let mut places: Vec<u64> = (0..n_states).map(|_| rng.u64(..=base.operations())).collect();
    places.sort_unstable();
    for (index, place) in places.into_iter().enumerate() {
        let way =
            [Way::Cut, Way::KillThenCut, Way::Cut, Way::CutThenCut, Way::Cut, Way::CutThenKill][index % 6];
        let disk = state(&web, &base, place, way, &mut rng);
        let violation = match finish(&web, &disk) {
            Ok(set) if set == whole => continue,
            Ok(set) => {
                let (lost, more) = (whole.difference(&set).next(), set.difference(&whole).next());
                format!("another set: {lost:?} is lost, {more:?} is new")
            }
            Err(violation) => violation,
        };
        report.violations.push(format!("{way:?} after operation {place}: {violation}"));
    }
    report
}

fn state(web: &Arc<Web>, base: &SimDisk, place: u64, way: Way, rng: &mut Rng) -> SimDisk {
    let first = match way {
        Way::KillThenCut => base.kill_at(place, rng),
        _ => base.power_cut_at(place, rng),
    };
    if matches!(way, Way::Cut) {
        return first;
    }
    first.fail(FaultPlan::new(Trigger::Operation(rng.u64(..SECOND_OPERATIONS_MAX)), Fault::Kill));
    // Ends by the fault, or before it if nothing was left to do.
    drop(crawl_on(web, &first));
    match way {
        Way::CutThenKill => first.crash(),
        _ => first.power_cut(rng),
    }
}

/// Goes on until the job is done; gives what was logged, if all that was left is right.
fn finish(web: &Arc<Web>, disk: &SimDisk) -> Result<BTreeSet<(String, i32)>, String> {
    let job = job();
    match crawl_on(web, disk)? {
        Ending::Finished => {}
        other => return Err(format!("ended by {other:?}")),
    }
    let found = evidence::gather(disk, &job)?;
    if let Some(violation) = judge::check_archive(&found).into_iter().next() {
        return Err(violation);
    }
    let is_passing = |url: &str| url.starts_with("dns:") || url.ends_with("/robots.txt");
    let rows: Vec<(String, i32)> =
        found.log.into_iter().filter(|row| !is_passing(&row.url)).map(|row| (row.url, row.status)).collect();
    let n_rows = rows.len();
    let set: BTreeSet<(String, i32)> = rows.into_iter().collect();
    if set.len() == n_rows { Ok(set) } else { Err("a URL is twice in the log".to_owned()) }
}

fn job() -> JobDir {
    JobDir::new("/job")
}

/// One process in a world of its own.
fn crawl_on(web: &Arc<Web>, disk: &SimDisk) -> Result<Ending, String> {
    run_virtual(async {
        let seed = web.options().seed;
        let SimWorld { mut world, .. } = sim_world(web.clone(), Arc::new(disk.clone()));
        world.work = Arc::new(DelayedWork::new(seed, COMMIT_MS_MAX));
        let job = job();
        let exists = job.exists(disk).map_err(|error| error.to_string())?;
        if !exists {
            crawl::create_job(&world, &job, &job_file(), &web.seeds().join("\n"))
                .map_err(|error| error.to_string())?;
        }
        let (channels, _requests, progress) = crawl::channels();
        let limit = std::time::Duration::from_secs(24 * 3600);
        let registry = Registry::builtin();
        match tokio::time::timeout(limit, crawl::run(&world, &job, &registry, channels)).await {
            Ok(result) => result.map_err(|error| format!("{error:#}")),
            Err(_) => Err(format!("never ends: {:?}", progress.borrow())),
        }
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn two_hundred_states_resume_to_the_same_set() {
        let report = super::run(1, 200);
        assert!(report.violations.is_empty(), "{report}\n{}", report.repeat());
    }
}
