//! Seeds: from `seeds.txt` into the journal, each line once (DURABILITY.md, rule 16).

use anyhow::Context;
use model::Candidate;
use model::entry::Entry;
use model::world::World;
use scope::{SeedList, seeds};

use crate::candidates;
use crate::job::{JobDir, write_durably};
use crate::job_file::JobFile;
use crate::launch;
use crate::state::State;
use crate::steps::Steps;

/// Seeds in one frame.
const SEEDS_PER_FRAME: usize = 10_000;

/// What is wrong with a list of seeds.
#[derive(Debug)]
pub struct SeedsError(pub String);

impl std::fmt::Display for SeedsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SeedsError {}

/// Whether a text holds seeds that can be crawled; gives their URLs.
///
/// # Errors
/// Names the first line that is no seed, or says that there is none at all.
pub fn check(text: &str) -> Result<Vec<String>, SeedsError> {
    let list = seeds::parse(text);
    if let Some(problem) = list.problems.first() {
        return Err(SeedsError(problem.to_string()));
    }
    if let Some(seed) = list.seeds.iter().find(|seed| !seed.url.is_http()) {
        let (line, text, scheme) = (seed.line, &seed.text, seed.url.scheme());
        return Err(SeedsError(format!(
            "line {line} of the seeds: `{text}`: {scheme} is not crawled, only http and https"
        )));
    }
    if list.seeds.is_empty() {
        return Err(SeedsError("no seed is given; name at least one URL".to_owned()));
    }
    Ok(list.seeds.into_iter().map(|seed| seed.url.to_string()).collect())
}

/// Reads `seeds.txt`.
///
/// # Errors
/// When it cannot be read.
pub fn read(world: &World, job: &JobDir) -> anyhow::Result<SeedList> {
    Ok(seeds::parse(&text_of(world, &job.seeds())?))
}

fn text_of(world: &World, path: &std::path::Path) -> anyhow::Result<String> {
    let bytes = world.disk.read(path).with_context(|| format!("read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The entries that a launch begins with, a frame each: the launch, the configuration if it changed, and seeds that are
/// not in the journal yet.
///
/// # Errors
/// When the disk fails.
pub fn first_frames(
    world: &World,
    job: &JobDir,
    file: &JobFile,
    state: &State,
    steps: &Steps,
    folder: &str,
    notes: &mut Vec<String>,
) -> anyhow::Result<Vec<Vec<Entry>>> {
    let mut first = vec![launch::launch_entry(state.facts.launches + 1, folder, world)];
    let text = file.to_text();
    if state.facts.config_text != text {
        first.push(Entry::Config { text });
        // Scope begins anew at a `Config`: seeds that are known already stand for what they stand for now.
        let base = (state.base_scope)();
        let known = state.statistics.seeds.keys().filter_map(|url| surt::CanonicalUrl::parse(url).ok());
        first.extend(known.filter_map(|seed| {
            base.seed_change(&seed).map(|surt_prefix| Entry::ScopeChange { surt_prefix, seed })
        }));
    }
    let mut frames = vec![first];
    for name in snapshots(world, job)? {
        let progress = state.facts.actions.get(&name).copied().unwrap_or_default();
        if !progress.is_done {
            let text = text_of(world, &job.actions().join(&name))?;
            frames.extend(seed_frames(&name, &text, progress.lines_done, file, steps, notes));
        }
    }
    Ok(frames)
}

/// Copies of `seeds.txt` in `state/actions`, oldest first; a new one is made if the file has changed since the last.
fn snapshots(world: &World, job: &JobDir) -> anyhow::Result<Vec<String>> {
    let disk = &*world.disk;
    let mut names: Vec<String> = disk.list(&job.actions())?;
    names.retain(|name| name.starts_with("seeds-") && name.ends_with(".txt"));
    let now = disk.read(&job.seeds())?;
    let last = names.last().map(|name| disk.read(&job.actions().join(name))).transpose()?;
    if last.as_ref() != Some(&now) {
        let name = format!("seeds-{:06}.txt", names.len() + 1);
        write_durably(disk, &job.actions().join(&name), &now)?;
        names.push(name);
    }
    Ok(names)
}

fn seed_frames(
    name: &str,
    text: &str,
    lines_done: u64,
    file: &JobFile,
    steps: &Steps,
    notes: &mut Vec<String>,
) -> Vec<Vec<Entry>> {
    let list = seeds::parse(text);
    notes.extend(list.problems.iter().map(|problem| format!("{problem}; it is left out")));
    let open: Vec<_> = list.seeds.into_iter().filter(|seed| seed.line as u64 > lines_done).collect();
    let scope = steps.scope();
    let mut frames = Vec::new();
    for chunk in open.chunks(SEEDS_PER_FRAME) {
        let mut frame = Vec::new();
        for seed in chunk {
            let mut candidate = Candidate::seed(seed.url.clone());
            candidate.source_tag = file.crawl.tag_sources.then(|| seed.text.clone());
            let decision = scope.decide(&candidate);
            if decision.verdict == model::Verdict::Reject {
                notes.push(format!("seed {} is out of scope by: {}", seed.text, decision.rule));
                continue;
            }
            let change = scope.seed_change(&seed.url);
            frame
                .extend(change.map(|surt_prefix| Entry::ScopeChange { surt_prefix, seed: seed.url.clone() }));
            frame.push(Entry::Admit(Box::new(candidates::admit(steps, candidate, decision.rule, ""))));
        }
        let lines_done = chunk.last().map_or(0, |seed| seed.line as u64);
        frame.insert(0, Entry::Action { name: name.to_owned(), lines_done, end: false });
        frames.push(frame);
    }
    frames.push(vec![Entry::Action { name: name.to_owned(), lines_done: u64::MAX, end: true }]);
    frames
}
