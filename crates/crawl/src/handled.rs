//! What became of an item at the end of its walk, on its way to the ledger.

use std::io;

use extract::ExtractContext;
use frontier::FetchEnd;
use model::entry::{Admit, Done, Entry};
use model::{
    CookieChange, CrawlLogFields, Exchange, Extraction, FetchItem, FetchOutcome, FetchStatus, Fetched, Hop,
    HostChange, WallMs,
};
use surt::CanonicalUrl;

use crate::candidates::{self, Found};
use crate::crawl_log;
use crate::steps::Steps;

/// An item and the worker that walks with it.
pub struct Slot {
    /// The item.
    pub item: FetchItem,
    /// The worker's number.
    pub worker: u16,
}

/// What a fetch changes besides the archive.
pub struct Changes {
    /// About hosts.
    pub host_changes: Vec<HostChange>,
    /// About cookies.
    pub cookie_changes: Vec<CookieChange>,
}

/// What a walk to the end gives.
pub struct HandledParts {
    /// Request and response.
    pub exchange: Exchange,
    /// What was found in the payload.
    pub extraction: Extraction,
    /// What scope made of it.
    pub found: Found,
    /// The records.
    pub prepared: io::Result<Option<archive::Prepared>>,
    /// Of hosts and cookies.
    pub changes: Changes,
}

/// What became of an item.
pub struct Handled {
    /// The worker that is free again.
    pub worker: u16,
    /// How the fetch ended, for its queue's politeness.
    pub end: FetchEnd,
    /// `None` if the item goes back to its queue as if nothing had been: a busy address.
    pub done: Option<Box<Outcome>>,
    /// Which item.
    pub item: FetchItem,
}

/// What the ledger makes durable.
pub struct Outcome {
    /// All fields but capture and time of logging.
    pub done: Done,
    /// The records to write.
    pub prepared: Option<archive::Prepared>,
    /// What was found.
    pub admits: Vec<Admit>,
    /// What scope grows by.
    pub scope_changes: Vec<Entry>,
    /// Text for nonfatal-errors.log.
    pub nonfatal: Option<String>,
}

/// What extraction wants to know of an item.
pub fn extract_context(item: &FetchItem) -> ExtractContext<'_> {
    let is_prerequisite = item.candidate.last_hop() == Some(Hop::Prerequisite);
    ExtractContext { candidate: &item.candidate, is_prerequisite }
}

/// The records of an exchange. A very large body is written to a file of its own here, so that nobody waits for it.
pub fn prepare_records(
    steps: &Steps,
    item: &FetchItem,
    exchange: &Exchange,
    extraction: &Extraction,
) -> io::Result<Option<archive::Prepared>> {
    let chance = &steps.world.chance;
    let earlier = steps.digests.earlier(exchange);
    let prepared = steps.records.prepare(exchange, extraction, item, || chance.uuid(), earlier.as_ref())?;
    match prepared {
        Some(prepared) if steps.own_files.wants(&prepared) => steps.own_files.write(prepared).map(Some),
        prepared => Ok(prepared),
    }
}

/// The end of a walk with an answer.
pub fn with_exchange(steps: &Steps, slot: Slot, parts: HandledParts) -> Handled {
    let Slot { item, worker } = slot;
    let HandledParts { exchange, extraction, found, prepared, changes } = parts;
    let mut annotations = exchange.annotations.clone();
    annotations.extend(exchange.truncated.map(|truncated| truncated.annotation().to_owned()));
    annotations.extend(extraction.annotations.iter().cloned());
    if extraction.outlinks_dropped > 0 {
        annotations.push(format!("dol:{}", extraction.outlinks_dropped));
    }
    let is_dns = exchange.url.scheme() == "dns";
    let log = CrawlLogFields {
        size: Some(if is_dns { exchange.payload.len() } else { exchange.raw_body.len() }),
        mime: crawl_log::mime_of(exchange.media_type().as_deref()),
        started: Some((exchange.started, exchange.duration_ms)),
        digest: Some(exchange.payload_digest),
        ..log_fields(&item, worker, exchange.status, annotations)
    };
    let tls_problems =
        exchange.tls.as_ref().map(|tls| tls.problems.join(", ")).filter(|text| !text.is_empty());
    let mut done = done(&item, FetchOutcome::Finished, log, steps);
    done.reason = tls_problems.map(|problems| format!("TLS: {problems}"));
    done.etag = exchange.header("etag");
    done.last_modified = exchange.header("last-modified");
    done.redirect_to = found.redirect_to;
    done.outlinks = (extraction.outlinks.len() as u32, found.admits.len() as u32);
    done.host_changes = changes.host_changes;
    done.cookie_changes = changes.cookie_changes;
    let slow_down = matches!(exchange.status.0, 429 | 503);
    let end = FetchEnd {
        duration_ms: exchange.duration_ms,
        retry_after_ms: slow_down.then(|| retry_after_ms(&exchange)).flatten(),
        slow_down,
        ..FetchEnd::default()
    };
    let nonfatal = (!extraction.problems.is_empty()).then(|| problems_text(&extraction));
    let outcome = match prepared {
        Ok(prepared) => {
            Outcome { done, prepared, admits: found.admits, scope_changes: found.scope_changes, nonfatal }
        }
        Err(error) => {
            let reason = format!("scratch file of the body: {error}");
            let status = FetchStatus::RUNTIME_EXCEPTION;
            let (started, duration_ms) = (Some(exchange.started), exchange.duration_ms);
            let host_changes = done.host_changes;
            let failure = Failure { status, reason, retry: true, started, duration_ms, host_changes };
            return failed(steps, item, worker, failure);
        }
    };
    Handled { worker, end, done: Some(Box::new(outcome)), item }
}

/// The end of a walk without an answer.
pub fn without_exchange(steps: &Steps, slot: Slot, fetched: Fetched) -> Handled {
    let Slot { item, worker } = slot;
    match fetched {
        Fetched::Exchange { .. } => unreachable!("walk() takes these itself"),
        Fetched::Busy => Handled { worker, end: FetchEnd::default(), done: None, item },
        Fetched::Prerequisite { url } => deferred(steps, item, worker, url),
        Fetched::Refused { status, rule } => {
            let log = log_fields(&item, worker, status, Vec::new());
            let mut done = done(&item, FetchOutcome::Finished, log, steps);
            done.reason = Some(rule);
            let end = FetchEnd { tried_network: false, ..FetchEnd::default() };
            finished_without_records(item, worker, end, done, None)
        }
        Fetched::Failed { status, reason, retry, started, duration_ms, host_changes } => {
            let failure = Failure { status, reason, retry, started, duration_ms, host_changes };
            failed(steps, item, worker, failure)
        }
    }
}

/// Waits for a prerequisite; gives up when attempts run out (Heritrix: status -50).
fn deferred(steps: &Steps, item: FetchItem, worker: u16, url: CanonicalUrl) -> Handled {
    let is_last = item.attempt >= steps.frontier_options.retries_max;
    let outcome = if is_last { FetchOutcome::Finished } else { FetchOutcome::Deferred };
    let log = log_fields(&item, worker, FetchStatus::DEFERRED, Vec::new());
    let mut done = done(&item, outcome, log, steps);
    done.reason = Some(format!("waits for {url}"));
    let end = FetchEnd { tried_network: false, outcome, ..FetchEnd::default() };
    let mut handled = finished_without_records(item, worker, end, done, None);
    // Also for an item that is given up: it asked, and others of its host will.
    let candidate = candidates::prerequisite(&handled.item, url);
    let decision = steps.scope().decide(&candidate);
    let admit = candidates::admit(steps, candidate, decision.rule, &handled.item.queue_key);
    handled.done.as_mut().expect("just made").admits.push(admit);
    handled
}

struct Failure {
    status: FetchStatus,
    reason: String,
    retry: bool,
    started: Option<WallMs>,
    duration_ms: u64,
    host_changes: Vec<HostChange>,
}

fn failed(steps: &Steps, item: FetchItem, worker: u16, failure: Failure) -> Handled {
    let options = &steps.frontier_options;
    let is_retry = failure.retry && item.attempt < options.retries_max;
    let outcome = if is_retry {
        FetchOutcome::Retry { delay_ms: options.retry_delay_ms }
    } else {
        FetchOutcome::Finished
    };
    let mut log = log_fields(&item, worker, failure.status, Vec::new());
    log.started = failure.started.map(|started| (started, failure.duration_ms));
    let mut done = done(&item, outcome, log, steps);
    done.reason = Some(failure.reason.clone());
    done.host_changes = failure.host_changes;
    let end = FetchEnd {
        duration_ms: failure.duration_ms,
        tried_network: failure.started.is_some(),
        outcome,
        ..FetchEnd::default()
    };
    finished_without_records(item, worker, end, done, Some(failure.reason))
}

fn finished_without_records(
    item: FetchItem,
    worker: u16,
    end: FetchEnd,
    done: Done,
    nonfatal: Option<String>,
) -> Handled {
    let outcome = Outcome { done, prepared: None, admits: Vec::new(), scope_changes: Vec::new(), nonfatal };
    Handled { worker, end, done: Some(Box::new(outcome)), item }
}

/// The fields that do not depend on an answer. The number of attempts stands last, as Heritrix puts it.
fn log_fields(
    item: &FetchItem,
    worker: u16,
    status: FetchStatus,
    mut annotations: Vec<String>,
) -> CrawlLogFields {
    if item.candidate.is_sitemap {
        annotations.insert(0, "isSitemap".to_owned());
    }
    if item.attempt > 1 {
        annotations.push(format!("{}t", item.attempt));
    }
    CrawlLogFields {
        logged_at: WallMs(0),
        status,
        size: None,
        hop_path: item.candidate.hop_path.clone(),
        via: item.candidate.via.as_ref().map(|via| via.url.as_str().to_owned()),
        mime: "unknown".to_owned(),
        worker,
        started: None,
        digest: None,
        source_tag: item.candidate.source_tag.clone(),
        annotations,
    }
}

fn done(item: &FetchItem, outcome: FetchOutcome, log: CrawlLogFields, steps: &Steps) -> Done {
    Done {
        ordinal: item.ordinal,
        url: item.candidate.url.clone(),
        queue_key: item.queue_key.clone(),
        attempt: item.attempt,
        outcome,
        log,
        capture: None,
        warcinfo: None,
        cost: 1,
        reason: None,
        rule: steps.unknown_rule.clone(),
        host_changes: Vec::new(),
        cookie_changes: Vec::new(),
        etag: None,
        last_modified: None,
        is_seed: item.candidate.is_seed,
        redirect_to: None,
        outlinks: (0, 0),
    }
}

fn retry_after_ms(exchange: &Exchange) -> Option<u64> {
    let value = exchange.header("retry-after")?;
    // A date (RFC 9110, 10.2.3) is rare; the queue then waits as for 503 without the header.
    value.trim().parse::<u64>().ok().map(|seconds| seconds.saturating_mul(1000))
}

fn problems_text(extraction: &Extraction) -> String {
    let lines = extraction.problems.iter().map(|problem| {
        format!("{}: {}: {}", problem.extractor, problem.message, problem.text.replace(['\n', '\r'], " "))
    });
    lines.collect::<Vec<_>>().join("\n ")
}
