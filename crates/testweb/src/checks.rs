//! Judges a crawl of a generated web: what servers saw, what the logs say and what was archived, beside what a correct
//! crawler would have done.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::answer::Cut;
use crate::expected::{Expected, Fate};
use crate::observations::{Observations, RequestSeen};
use crate::web::{Web, split_url};

/// A line of crawl.log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRow {
    /// The URL.
    pub url: String,
    /// The fetch status.
    pub status: i32,
}

/// A response, revisit or resource record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureRow {
    /// WARC-Target-URI.
    pub url: String,
    /// HTTP status; 0 for DNS.
    pub status: u16,
    /// It refers to an earlier capture.
    pub is_revisit: bool,
    /// The response is marked as cut.
    pub is_truncated: bool,
    /// WARC-Payload-Digest as text.
    pub payload_digest: String,
    /// The payload before its content coding is removed; `None` for revisits, or if it was not read.
    pub payload: Option<Vec<u8>>,
}

/// All that is known of a crawl.
pub struct Evidence<'a> {
    /// The web that was crawled.
    pub web: &'a Web,
    /// What a correct crawler does.
    pub expected: &'a Expected,
    /// What the servers saw.
    pub observations: &'a Observations,
    /// crawl.log, all launches.
    pub log: &'a [LogRow],
    /// All committed captures.
    pub captures: &'a [CaptureRow],
    /// How often the crawl was killed or the power cut: so often a request may be repeated whose answer was not
    /// committed.
    pub n_restarts: u32,
    /// Least pause between requests of a host, milliseconds.
    pub delay_ms: u64,
    /// Most requests of a host at a time.
    pub in_flight_max: usize,
    /// robots.txt was obeyed.
    pub obeys_robots: bool,
}

/// Something that a correct crawl would not have done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Name of the rule.
    pub rule: &'static str,
    /// Where.
    pub url: String,
    /// What.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.rule, self.url, self.what)
    }
}

/// Checks everything; an empty list is a correct crawl.
pub fn check(evidence: &Evidence<'_>) -> Vec<Violation> {
    let mut judge = Judge { evidence, requests: evidence.observations.requests(), violations: Vec::new() };
    judge.log_matches_expectation();
    judge.requests_were_right();
    judge.robots_came_first();
    judge.repeats_are_explained();
    judge.politeness();
    judge.captures_match_log();
    judge.captures_match_web();
    judge.revisits_have_originals();
    judge.violations.sort();
    judge.violations
}

struct Judge<'a> {
    evidence: &'a Evidence<'a>,
    requests: Vec<RequestSeen>,
    violations: Vec<Violation>,
}

impl Judge<'_> {
    fn report(&mut self, rule: &'static str, url: &str, what: impl Into<String>) {
        self.violations.push(Violation { rule, url: url.to_owned(), what: what.into() });
    }

    /// Every URL has exactly one line with a right status, and there are no other lines.
    fn log_matches_expectation(&mut self) {
        let mut statuses: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
        for row in self.evidence.log {
            statuses.entry(&row.url).or_default().push(row.status);
        }
        for (url, expected) in &self.evidence.expected.urls {
            match statuses.get(url.as_str()).map(Vec::as_slice) {
                None => {
                    self.report("lost", url, format!("not in the log, should end as {:?}", expected.fate))
                }
                Some([status]) if expected.fate.allows(*status) => {}
                Some([status]) => {
                    self.report("status", url, format!("{status}, should end as {:?}", expected.fate))
                }
                Some(several) => self.report("twice", url, format!("in the log with {several:?}")),
            }
        }
        for (url, found) in statuses {
            if !self.is_expected(url) {
                self.report("unexpected", url, format!("in the log with {found:?}"));
            } else if found.len() > 1 && is_favicon(url) {
                self.report("twice", url, format!("in the log with {found:?}"));
            }
        }
    }

    /// URLs that belong to the crawl, or come along with those that do.
    fn is_expected(&self, url: &str) -> bool {
        let comes_along = url.starts_with("dns:") || url.ends_with("/robots.txt") || is_favicon(url);
        comes_along || self.evidence.expected.urls.contains_key(url)
    }

    /// No request for what is out of scope or forbidden; cookies were sent where they belong.
    fn requests_were_right(&mut self) {
        for request in self.requests.clone() {
            if !self.is_expected(&request.url) {
                self.report("stray request", &request.url, "nothing leads there");
            }
            let is_forbidden =
                self.evidence.expected.urls.get(&request.url).is_some_and(|expected| {
                    matches!(expected.fate, Fate::Forbidden | Fate::RobotsUnreachable)
                });
            if self.evidence.obeys_robots && is_forbidden {
                self.report("robots", &request.url, "robots.txt forbids it");
            }
            if request.path == "/cookie/read"
                && request.cookie.is_none()
                && self.was_answered("/cookie/set", &request)
            {
                self.report("cookie", &request.url, "the cookie was not sent");
            }
        }
    }

    /// True if the host of a request had answered for a path before.
    fn was_answered(&self, path: &str, before: &RequestSeen) -> bool {
        self.requests.iter().any(|request| {
            request.authority == before.authority
                && request.path == path
                && request.status.is_some()
                && request.end_ms <= before.start_ms
        })
    }

    /// robots.txt was asked for before anything else of an authority.
    fn robots_came_first(&mut self) {
        let mut asked = BTreeSet::new();
        for request in self.requests.clone() {
            if request.path == "/robots.txt" {
                asked.insert(request.authority);
            } else if asked.insert(request.authority.clone()) {
                self.report("robots", &request.url, "robots.txt was not asked for before");
            }
        }
        for origin in &self.evidence.expected.origins {
            if !asked.contains(origin) {
                let url = format!("http://{origin}/robots.txt");
                self.report("lost", &url, "robots.txt was never asked for");
            }
        }
    }

    /// What was answered whole is not asked for again, but after a restart.
    fn repeats_are_explained(&mut self) {
        let mut n_whole: BTreeMap<&str, u32> = BTreeMap::new();
        for request in &self.requests {
            let may_be_repeated = request.status.is_none_or(|status| status >= 500 || status == 429);
            // robots.txt grows old.
            if request.cut.is_none() && !may_be_repeated && request.path != "/robots.txt" {
                *n_whole.entry(&request.url).or_default() += 1;
            }
        }
        let n_most = 1 + self.evidence.n_restarts;
        let repeated: Vec<(String, u32)> =
            n_whole.into_iter().filter(|(_, n)| *n > n_most).map(|(url, n)| (url.to_owned(), n)).collect();
        for (url, n) in repeated {
            self.report("fetched again", &url, format!("{n} whole answers"));
        }
    }

    fn politeness(&mut self) {
        let observations = self.evidence.observations;
        let mut breaches = observations.check_politeness(self.evidence.delay_ms, self.evidence.in_flight_max);
        // A host that asks for a delay and gets several requests at a time has been given a rule of its own by the user.
        if self.evidence.obeys_robots && self.evidence.in_flight_max == 1 {
            breaches.extend(observations.check_crawl_delays(self.evidence.web));
        }
        for breach in breaches {
            self.report("politeness", &breach.url, format!("at {} ms: {}", breach.start_ms, breach.what));
        }
    }

    /// Lines with a status above 0 and captures match one to one.
    fn captures_match_log(&mut self) {
        let mut balance: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        for row in self.evidence.log.iter().filter(|row| row.status > 0) {
            balance.entry(&row.url).or_default().0 += 1;
        }
        for capture in self.evidence.captures {
            balance.entry(&capture.url).or_default().1 += 1;
        }
        for (url, (n_lines, n_captures)) in balance {
            if n_lines != n_captures {
                self.report("capture", url, format!("{n_lines} lines in the log, {n_captures} captures"));
            }
        }
    }

    /// What was archived is what was served.
    fn captures_match_web(&mut self) {
        for capture in self.evidence.captures {
            let is_own =
                self.evidence.expected.urls.get(&capture.url).is_some_and(|url| url.fate != Fate::BusyOr200);
            let is_cookie = capture.url.ends_with("/cookie/read");
            let Some(answer) = self.evidence.web.settled(&capture.url).filter(|_| is_own && !is_cookie)
            else {
                continue;
            };
            if capture.status != answer.status {
                self.report(
                    "bytes",
                    &capture.url,
                    format!("archived {}, served {}", capture.status, answer.status),
                );
            }
            let Some(payload) = &capture.payload else { continue };
            let served: &[u8] = if answer.is_bodiless() { b"" } else { &answer.body };
            if capture.is_truncated {
                let was_cut = self
                    .requests
                    .iter()
                    .any(|request| request.url == capture.url && request.cut == Some(Cut::MidBody));
                if !was_cut || !served.starts_with(payload) {
                    self.report("bytes", &capture.url, "marked as cut, yet served whole or with other bytes");
                }
            } else if payload != served {
                let what = format!("{} bytes archived, {} served, not the same", payload.len(), served.len());
                self.report("bytes", &capture.url, what);
            }
        }
    }

    /// A revisit has an original with the same payload digest.
    fn revisits_have_originals(&mut self) {
        let originals: BTreeSet<&str> = self
            .evidence
            .captures
            .iter()
            .filter(|row| !row.is_revisit)
            .map(|row| row.payload_digest.as_str())
            .collect();
        for capture in self.evidence.captures {
            if capture.is_revisit && !originals.contains(capture.payload_digest.as_str()) {
                self.report(
                    "revisit",
                    &capture.url,
                    format!("no capture with payload {}", capture.payload_digest),
                );
            }
        }
    }
}

fn is_favicon(url: &str) -> bool {
    split_url(url).is_some_and(|(_, path)| path == "/favicon.ico")
}
