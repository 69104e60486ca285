//! Judges a run: what `testweb` checks of any crawl, and what only a journal can tell.

use std::collections::{BTreeMap, BTreeSet};

use crawl::{JobDir, crawl_log};
use fastrand::Rng;
use model::entry::{Done, Entry};
use model::{FetchOutcome, Ordinal, RecordPlace};
use testweb::checks::{self, Evidence};
use testweb::disk::SimDisk;
use testweb::{Expected, Observations, Web};

use super::course::COMMIT_MS_MAX;
use super::evidence::{self, Found};

/// Least pause between requests of a host: the default of the job file.
const DELAY_MS: u64 = 3000;
/// States after a power cut at the very end.
const LAST_CUTS: usize = 3;

/// What a judgement is made of.
pub struct Facts<'a> {
    /// What was crawled.
    pub web: &'a Web,
    /// What a correct crawler makes of it.
    pub expected: &'a Expected,
    /// What servers saw.
    pub observations: &'a Observations,
    /// When memory was lost.
    pub breaks_ms: &'a [u64],
    /// What the job left.
    pub found: &'a Found,
}

/// All that is wrong.
pub fn check(facts: &Facts<'_>) -> Vec<String> {
    let evidence = Evidence {
        web: facts.web,
        expected: facts.expected,
        observations: facts.observations,
        log: &facts.found.log,
        captures: &facts.found.captures,
        n_restarts: facts.breaks_ms.len() as u32,
        delay_ms: DELAY_MS,
        in_flight_max: 1,
        obeys_robots: true,
    };
    let mut violations: Vec<String> = checks::check(&evidence).iter().map(ToString::to_string).collect();
    violations.extend(repeats(facts));
    violations.extend(check_archive(facts.found));
    violations
}

/// What was answered whole is asked for again only if memory was lost in between.
fn repeats(facts: &Facts<'_>) -> Vec<String> {
    /// Between an answer and the break that lost it.
    const SLACK_MS: u64 = COMMIT_MS_MAX + 200;
    let mut by_url: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    for request in facts.observations.requests() {
        let is_whole =
            request.cut.is_none() && request.status.is_some_and(|status| status < 500 && status != 429);
        if is_whole && request.path != "/robots.txt" {
            by_url.entry(request.url).or_default().push((request.start_ms, request.end_ms));
        }
    }
    let mut violations = Vec::new();
    for (url, times) in by_url {
        for pair in times.windows(2) {
            let (end, start) = (pair[0].1.min(pair[1].0), pair[1].0);
            let is_explained = facts.breaks_ms.iter().any(|at| (end..=start + SLACK_MS).contains(at));
            if !is_explained {
                violations.push(format!(
                    "fetched again: {url}: answered at {end} ms, asked for again at {start} ms"
                ));
            }
        }
    }
    violations
}

/// Journal, WARC files and logs say the same.
pub fn check_archive(found: &Found) -> Vec<String> {
    let mut violations = Vec::new();
    let dones: Vec<&Done> = found
        .entries
        .iter()
        .filter_map(|(_, entry)| match entry {
            Entry::Done(done) => Some(&**done),
            _ => None,
        })
        .collect();
    places_match(found, &dones, &mut violations);
    ordinals_match(found, &dones, &mut violations);
    revisits_refer(found, &mut violations);
    logs_match(found, &dones, &mut violations);
    violations.extend(found.open.iter().map(|name| format!("WARC: {name}: still open at the end")));
    violations
}

/// The records that were committed are those that are in the files, no more and no fewer.
fn places_match(found: &Found, dones: &[&Done], violations: &mut Vec<String>) {
    let mut committed: BTreeMap<(String, u64), u64> = BTreeMap::new();
    for place in dones.iter().flat_map(|done| places(done)) {
        if committed.insert((place.file.to_string(), place.offset), place.length).is_some() {
            violations.push(format!("WARC: {} at {}: committed twice", place.file, place.offset));
        }
    }
    for ((file, offset), length) in &committed {
        match found.records.get(&(file.clone(), *offset)) {
            None => violations.push(format!("WARC: {file} at {offset}: a committed record is not there")),
            Some(record) if record.length != *length => {
                violations.push(format!(
                    "WARC: {file} at {offset}: {} bytes, {length} were committed",
                    record.length
                ));
            }
            Some(_) => {}
        }
    }
    for ((file, offset), record) in &found.records {
        if !committed.contains_key(&(file.clone(), *offset)) {
            violations.push(format!(
                "WARC: {file} at {offset}: {} of {} was never committed",
                record.kind, record.url
            ));
        }
    }
}

fn places(done: &Done) -> impl Iterator<Item = &RecordPlace> {
    let of_capture =
        done.capture.iter().flat_map(|capture| std::iter::once(&capture.place).chain(&capture.concurrent));
    done.warcinfo.iter().chain(of_capture)
}

/// Every item was admitted before it was done, and finished once.
fn ordinals_match(found: &Found, dones: &[&Done], violations: &mut Vec<String>) {
    let mut next = 1;
    let mut admitted: BTreeSet<u64> = BTreeSet::new();
    let mut finished: BTreeSet<Ordinal> = BTreeSet::new();
    for (sequence, entry) in &found.entries {
        if *sequence != next {
            violations.push(format!("journal: entry {sequence} stands where {next} should"));
        }
        next = sequence + 1;
        match entry {
            Entry::Admit(_) => {
                admitted.insert(*sequence);
            }
            Entry::Done(done) if !admitted.contains(&done.ordinal.0) => {
                violations.push(format!("journal: {} was done before it was admitted", done.url));
            }
            Entry::Done(done) if done.outcome == FetchOutcome::Finished && !finished.insert(done.ordinal) => {
                violations.push(format!("journal: {} was finished twice", done.url));
            }
            _ => {}
        }
    }
    let n_captures = dones.iter().filter(|done| done.capture.is_some()).count();
    if n_captures != found.captures.len() {
        violations.push(format!("capture: {n_captures} committed, {} in the files", found.captures.len()));
    }
}

fn revisits_refer(found: &Found, violations: &mut Vec<String>) {
    let originals: BTreeSet<&str> = found
        .records
        .values()
        .filter(|record| record.kind == "response")
        .map(|record| record.id.as_str())
        .collect();
    for record in found.records.values().filter(|record| record.kind == "revisit") {
        if !record.refers_to.as_deref().is_some_and(|id| originals.contains(id)) {
            violations
                .push(format!("revisit: {}: refers to {:?}, which is nowhere", record.url, record.refers_to));
        }
    }
}

/// crawl.log is what the journal says, byte for byte; CDXJ has a line for each capture but those of DNS.
fn logs_match(found: &Found, dones: &[&Done], violations: &mut Vec<String>) {
    let lines =
        dones.iter().filter(|done| done.outcome == FetchOutcome::Finished).map(|done| crawl_log::line(done));
    let expected: String = lines.collect();
    if expected != found.log_text {
        let pair = expected.lines().zip(found.log_text.lines()).find(|(journal, log)| journal != log);
        let (n_journal, n_log) = (expected.lines().count(), found.log_text.lines().count());
        violations
            .push(format!("crawl.log: {n_log} lines, {n_journal} by the journal; first difference {pair:?}"));
    }
    let n_captures = found.captures.iter().filter(|capture| !capture.url.starts_with("dns:")).count();
    let n_lines = found.cdxj_text.lines().count();
    if n_captures != n_lines {
        violations.push(format!("CDXJ: {n_lines} lines, {n_captures} captures"));
    }
}

/// What a finished job holds is durable: after a power cut at the end every committed record is still there.
pub fn survives_power_cuts(disk: &SimDisk, job: &JobDir, found: &Found, rng: &mut Rng) -> Vec<String> {
    for _ in 0..LAST_CUTS {
        match evidence::gather(&disk.power_cut(rng), job) {
            Err(violation) => return vec![format!("after a power cut at the end: {violation}")],
            Ok(left) if left.records != found.records || left.entries != found.entries => {
                return vec![
                    "after a power cut at the end: committed records or entries are gone".to_owned(),
                ];
            }
            Ok(_) => {}
        }
    }
    Vec::new()
}
