//! `explain`: the whole way of a URL, step by step, with every verdict.
//!
//! A line was *recorded* when it happened (it comes from the journal or what is derived from it) or is *recomputed* now
//! from the job as it is. What was recorded stays the same whatever becomes of the job file.

use std::collections::BTreeMap;
use std::sync::Arc;

use crawldb::{CrawlDb, UrlEntry, UrlState};
use frontier::Frontier;
use model::entry::{Admit, Entry};
use model::world::World;
use model::{
    Candidate, CaptureKind, FetchOutcome, Hop, HostFacts, Ordinal, RobotsRules, UrlKey, Verdict, Via,
};
use scope::{Scope, seeds};
use serde::Serialize;
use serde_json::Value;
use store::TableOptions;
use surt::{CanonicalUrl, Surt};

use crate::job::JobDir;
use crate::ledger::Ledger;
use crate::registry::Registry;
use crate::state::State;
use crate::{launch, manifest, replay, settings};

/// One line of an explanation.
#[derive(Debug, Clone, Serialize)]
struct Line {
    /// The step of the way it belongs to.
    step: &'static str,
    /// What it says.
    text: String,
    /// When it was found out.
    source: Source,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Source {
    Recorded,
    Recomputed,
}

/// The whole explanation.
#[derive(Debug, Serialize)]
struct Explanation {
    url: String,
    state: &'static str,
    status: Option<i32>,
    lines: Vec<Line>,
}

/// What is known of the URL and around it.
struct Known<'a> {
    url: &'a CanonicalUrl,
    entry: Option<UrlEntry>,
    facts: HostFacts,
    scope: Scope,
    robots_agent: String,
    is_running: bool,
}

/// Explains a URL of a running job.
///
/// # Errors
/// When the text is no URL or the disk fails.
pub fn live(
    text: &str,
    state: &mut State,
    ledger: &Ledger,
    novel: &[(Ordinal, Arc<Admit>)],
) -> anyhow::Result<Value> {
    let url = read_url(text)?;
    let mut entry = ledger.crawldb.get(&UrlKey::new(&url))?;
    if entry.is_none()
        && let Some((ordinal, admit)) = novel.iter().find(|(_, admit)| admit.candidate.url == url)
    {
        entry = Some(just_queued(*ordinal, admit));
    }
    let facts = state.hosts.facts(&url)?;
    let known = Known {
        url: &url,
        entry,
        facts,
        scope: state.scope.read().expect("scope is never left half-changed").clone(),
        robots_agent: state.fetcher.options().robots_agent.clone(),
        is_running: true,
    };
    let mut explanation = explain(&known);
    if known.entry.is_none() {
        add_pending(&mut explanation, ledger, &url);
    }
    if known.entry.as_ref().is_some_and(|entry| entry.state != UrlState::Finished) {
        add_queue(&mut explanation, &state.frontier, &url, ledger);
    }
    Ok(serde_json::to_value(explanation)?)
}

/// Explains a URL of a job that nobody works on. Reads the manifest and the later frames; changes nothing.
///
/// # Errors
/// When the folder holds no job, the text is no URL, or the state is damaged.
pub fn at_rest(world: &World, job: &JobDir, text: &str) -> anyhow::Result<Value> {
    let url = read_url(text)?;
    let file = launch::read_job_file(world, job)?;
    let loaded = manifest::load(&*world.disk, job)?;
    let section = |name: &str| loaded.as_ref().and_then(|loaded| loaded.section(name));
    let (urls, _, facts_place) = replay::tables(job);
    let mut crawldb = CrawlDb::open(world.disk.clone(), urls, TableOptions::default(), section("crawldb"))?;
    let mut hosts = crawldb::Hosts::open(
        world.disk.clone(),
        facts_place,
        crawldb::HostsOptions::default(),
        section("hosts"),
    )?;
    let after = loaded.as_ref().map_or(0, |loaded| loaded.manifest.sequence);
    let mut prefixes: Vec<String> = loaded
        .iter()
        .flat_map(|loaded| loaded.engine.facts.scope_changes.iter().map(|(prefix, _)| prefix.clone()))
        .collect();
    let mut admits: BTreeMap<u64, Box<Admit>> = BTreeMap::new();
    store::journal::read_frames(&*world.disk, &job.journal(), after, &mut |sequence, entry| {
        match entry {
            Entry::Admit(admit) if admit.candidate.url == url => {
                admits.insert(sequence, admit);
            }
            Entry::Done(done) => {
                for change in &done.host_changes {
                    hosts.apply(change)?;
                }
                if done.url == url {
                    crawldb.apply_done(sequence, &done)?;
                }
            }
            Entry::ScopeChange { surt_prefix, .. } => prefixes.push(surt_prefix),
            Entry::Config { .. } => prefixes.clear(),
            _ => {}
        }
        Ok(())
    })?;
    let mut entry = crawldb.get(&UrlKey::new(&url))?;
    if entry.is_none()
        && let Some((sequence, admit)) = admits.first_key_value()
    {
        entry = Some(just_queued(Ordinal(*sequence), admit));
    }
    let seed_list = crate::seeds::read(world, job)?;
    let scope = settings::scope_maker(&file, &Registry::builtin(), &seed_list)?();
    for prefix in &prefixes {
        scope.apply_change(prefix);
    }
    let robots_agent = settings::fetch_options(&file).robots_agent;
    let facts = hosts.facts(&url)?;
    let known = Known { url: &url, entry, facts, scope, robots_agent, is_running: false };
    Ok(serde_json::to_value(explain(&known))?)
}

/// An explanation as lines for people.
pub fn text(explanation: &Value) -> String {
    let mut text = format!(
        "{}: {}\n",
        explanation["url"].as_str().unwrap_or(""),
        explanation["state"].as_str().unwrap_or("")
    );
    let mut last_step = "";
    for line in explanation["lines"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let step = line["step"].as_str().unwrap_or("");
        let shown = if step == last_step { "" } else { step };
        let (what, source) = (line["text"].as_str().unwrap_or(""), line["source"].as_str().unwrap_or(""));
        text.push_str(&format!("  {shown:<9} {what} ({source})\n"));
        last_step = step;
    }
    text
}

fn read_url(text: &str) -> anyhow::Result<CanonicalUrl> {
    if text.starts_with("dns:") {
        return Ok(CanonicalUrl::parse(text)?);
    }
    seeds::read_seed(text).map_err(|reason| anyhow::anyhow!("{text:?} {reason}"))
}

fn just_queued(ordinal: Ordinal, admit: &Admit) -> UrlEntry {
    UrlEntry { state: UrlState::Queued, ordinal, attempts: 0, admit: admit.clone(), last: None }
}

fn explain(known: &Known<'_>) -> Explanation {
    let mut lines = Lines(Vec::new());
    lines.add_url(known.url);
    match &known.entry {
        Some(entry) => lines.add_entry(entry, known),
        None => lines.add_unknown(known),
    }
    let state = match &known.entry {
        None => "never admitted",
        Some(entry) => match entry.state {
            UrlState::Queued => "queued",
            UrlState::Deferred => "waits for a prerequisite",
            UrlState::Retrying => "waits for another attempt",
            UrlState::Lost => "its capture was lost; queued again",
            UrlState::Finished => finished_text(entry),
        },
    };
    let status = known.entry.as_ref().and_then(|entry| entry.last.as_ref()).map(|last| last.log.status.0);
    Explanation { url: known.url.to_string(), state, status, lines: lines.0 }
}

fn finished_text(entry: &UrlEntry) -> &'static str {
    match entry.last.as_ref().map(|last| last.log.status) {
        Some(status) if status.is_success() => "fetched",
        Some(status) if status.is_disregarded() => "refused",
        _ => "failed",
    }
}

struct Lines(Vec<Line>);

impl Lines {
    fn recorded(&mut self, step: &'static str, text: impl Into<String>) {
        self.0.push(Line { step, text: text.into(), source: Source::Recorded });
    }

    fn recomputed(&mut self, step: &'static str, text: impl Into<String>) {
        self.0.push(Line { step, text: text.into(), source: Source::Recomputed });
    }

    fn add_url(&mut self, url: &CanonicalUrl) {
        self.recomputed("url", format!("canonical form {url}"));
        self.recomputed("url", format!("SURT {}", Surt::from(url)));
        self.recomputed("url", format!("partition {}", model::partition(url)));
    }

    fn add_entry(&mut self, entry: &UrlEntry, known: &Known<'_>) {
        let admit = &entry.admit;
        let candidate = &admit.candidate;
        let path = candidate.hop_path.to_string();
        let found = match &candidate.via {
            Some(via) => format!("found on {} as {} (path {path})", via.url, via.context),
            None => "a seed".to_owned(),
        };
        self.recorded("scope", found);
        self.recorded("scope", format!("accepted by rule: {}", admit.rule));
        let state = format!("{:?}", entry.state).to_lowercase();
        self.recorded(
            "crawldb",
            format!("{state}, admitted as number {}, {} attempts", entry.ordinal.0, entry.attempts),
        );
        self.recorded(
            "frontier",
            format!(
                "queue {}, directive {:?}, precedence {}",
                admit.queue_key, candidate.directive, admit.precedence
            ),
        );
        self.add_host(known);
        match &entry.last {
            Some(last) => self.add_last(last),
            None => self.recorded("fetch", "not tried yet"),
        }
    }

    fn add_host(&mut self, known: &Known<'_>) {
        if let Some(dns) = &known.facts.dns {
            let addresses: Vec<String> = dns.addresses.iter().map(ToString::to_string).collect();
            let found = if addresses.is_empty() { "no address".to_owned() } else { addresses.join(", ") };
            self.recorded("fetch", format!("DNS: {found}, good until {}", dns.expires));
        }
        let Some(robots) = known.facts.robots.as_ref().filter(|_| known.url.is_http()) else { return };
        let said = match &robots.rules {
            RobotsRules::AllowAll => "robots.txt: none, all is allowed".to_owned(),
            RobotsRules::DisallowAll => "robots.txt: cannot be reached, nothing may be fetched".to_owned(),
            RobotsRules::Text(text) => {
                let rules = robots::RobotsTxt::parse(text);
                let decision = rules.decide(&known.robots_agent, known.url.path_and_query());
                let verdict = if decision.allowed { "allows" } else { "forbids" };
                match decision.line {
                    Some((number, line)) => format!("robots.txt {verdict} it in line {number}: {line}"),
                    None => format!("robots.txt {verdict} it: no line matches"),
                }
            }
        };
        self.recomputed("fetch", said);
    }

    fn add_last(&mut self, last: &crawldb::LastFetch) {
        let log = &last.log;
        let outcome = match last.outcome {
            FetchOutcome::Finished => "finished".to_owned(),
            FetchOutcome::Retry { delay_ms } => format!("to be tried again after {} s", delay_ms / 1000),
            FetchOutcome::Deferred => "deferred".to_owned(),
        };
        let mut text = format!("status {}, {outcome} at {}", log.status, log.logged_at);
        if let Some((started, duration_ms)) = log.started {
            text.push_str(&format!(", began {started} and took {duration_ms} ms"));
        }
        self.recorded("fetch", text);
        if let Some(reason) = &last.reason {
            self.recorded("fetch", reason.clone());
        }
        if let Some(target) = &last.redirect_to {
            self.recorded("fetch", format!("redirects to {target}"));
        }
        if !log.annotations.is_empty() {
            self.recorded("fetch", format!("annotations {}", log.annotations.join(",")));
        }
        let (found, accepted) = last.outlinks;
        if log.status.is_success() {
            self.recorded("extract", format!("{} with {found} links, {accepted} of them in scope", log.mime));
        }
        match &last.capture {
            None => self.recorded("archive", "no record"),
            Some(capture) => {
                let kind = match capture.kind {
                    CaptureKind::Response => "new capture",
                    CaptureKind::Revisit => "revisit: the same payload was captured before",
                    CaptureKind::Resource => "resource record",
                };
                let place = &capture.place;
                self.recorded(
                    "archive",
                    format!(
                        "{kind}, {} at offset {}, {} bytes, payload {}",
                        place.file, place.offset, place.length, capture.payload_digest
                    ),
                );
                if capture.kind != CaptureKind::Resource {
                    self.recorded("index", format!("CDXJ line at {}", capture.date.digits14()));
                }
            }
        }
    }

    /// Nothing is recorded of it: what would be said if a page in scope linked to it now.
    fn add_unknown(&mut self, known: &Known<'_>) {
        self.recorded("crawldb", "no row: it was never found, or refused when it was");
        let candidate = imagined(known.url);
        let decision = known.scope.decide(&candidate);
        let verdict = match decision.verdict {
            Verdict::Accept => "would be accepted",
            Verdict::Reject => "would be refused",
        };
        self.recomputed("scope", format!("as a link of a seed it {verdict} by rule: {}", decision.rule));
        for (rule, verdict) in known.scope.verdicts(&candidate) {
            if let Some(verdict) = verdict {
                self.recomputed("scope", format!("  {verdict:?}: {rule}"));
            }
        }
        self.add_host(known);
        let _ = known.is_running;
    }
}

/// The candidate that a link on a seed would be.
fn imagined(url: &CanonicalUrl) -> Candidate {
    let mut candidate = Candidate::seed(url.clone());
    candidate.is_seed = false;
    candidate.hop_path = candidate.hop_path.then(Hop::Navlink);
    candidate.via = Some(Via { url: url.clone(), context: "a/@href".to_owned() });
    candidate
}

/// Offered, but the seen test is still to come.
fn add_pending(explanation: &mut Explanation, ledger: &Ledger, url: &CanonicalUrl) {
    let _ = (ledger, url);
    let mut lines = Lines(Vec::new());
    lines.recorded(
        "frontier",
        "if it was offered just now, the seen test is pending: ask again after the next flush",
    );
    explanation.lines.extend(lines.0);
}

/// Where its queue stands.
fn add_queue(explanation: &mut Explanation, frontier: &Frontier, url: &CanonicalUrl, ledger: &Ledger) {
    let Ok(Some(entry)) = ledger.crawldb.get(&UrlKey::new(url)) else { return };
    let Some(queue) = frontier.queue_of(&entry.admit.queue_key) else { return };
    let now = ledger.world.clock.mono();
    let mut lines = Lines(Vec::new());
    let due = queue.wake - now;
    let due = if due > 0 {
        format!(", its next URL is due in {:.1} s", due as f64 / 1000.0)
    } else {
        String::new()
    };
    lines.recomputed(
        "frontier",
        format!(
            "queue is {:?}, {} URLs wait in it, {} in flight{due}",
            queue.state, queue.queued, queue.in_flight
        ),
    );
    explanation.lines.extend(lines.0);
}
