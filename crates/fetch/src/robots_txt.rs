//! robots.txt of an origin: what its answer means (RFC 9309, 2.3), also when it is redirected.
//!
//! Redirects of a robots.txt are followed through the frontier like all else. The target is remembered here; a page of
//! the origin that comes next gets it as its prerequisite, and the target's answer then counts for the origin that was
//! first asked (2.3.1.2). The memory is bounded and not kept over a stop: what is lost of it is asked for again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use model::{Body, Exchange, RobotsRules};
use robots::RobotsTxt;
use surt::CanonicalUrl;

/// Origins whose robots.txt is being followed; beyond it the oldest are forgotten.
const REDIRECTED_ORIGINS_MAX: usize = 10_000;

/// Parsed files kept; beyond it all are parsed again when needed.
const PARSED_MAX: usize = 1000;

/// Bytes of a coded robots.txt that are decoded at most, coded.
const CODED_BYTES_MAX: usize = 1 << 20;

/// What an answer means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RobotsAnswer {
    Rules(RobotsRules),
    Redirect(CanonicalUrl),
}

/// Reads the answer to a request for a robots.txt.
pub(crate) fn read(exchange: &Exchange, text_bytes_max: usize) -> RobotsAnswer {
    match exchange.status.0 {
        200..=299 => RobotsAnswer::Rules(RobotsRules::Text(text(exchange, text_bytes_max))),
        // A redirect that leads nowhere is like a file that is not there; one to where we do not go is a refusal of our
        // own making, which is no permission.
        300..=399 => match exchange.header("location") {
            Some(location) => match CanonicalUrl::join(&exchange.url.to_url(), &location) {
                Ok(target) if target.is_http() && target.host().is_some() => RobotsAnswer::Redirect(target),
                Ok(_) => RobotsAnswer::Rules(RobotsRules::DisallowAll),
                Err(_) => RobotsAnswer::Rules(RobotsRules::AllowAll),
            },
            None => RobotsAnswer::Rules(RobotsRules::AllowAll),
        },
        400..=499 => RobotsAnswer::Rules(RobotsRules::AllowAll),
        _ => RobotsAnswer::Rules(RobotsRules::DisallowAll),
    }
}

/// The file's text without content coding, cut at the end of a line.
fn text(exchange: &Exchange, text_bytes_max: usize) -> Arc<[u8]> {
    let coding = exchange.header("content-encoding").unwrap_or_default();
    let bytes_max = if coding.is_empty() { text_bytes_max + 1 } else { CODED_BYTES_MAX };
    let coded = prefix(&exchange.payload, bytes_max);
    let decoded = http1::coding::decode(&coding, &coded, text_bytes_max);
    let is_cut =
        exchange.truncated.is_some() || !decoded.complete || coded.len() < exchange.payload.len() as usize;
    let text = &decoded.bytes[..];
    // A rule that was cut could say more than its author did.
    let end = match is_cut {
        true => text.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |index| index + 1),
        false => text.len(),
    };
    text[..end].into()
}

fn prefix(body: &Body, bytes_max: usize) -> bytes::Bytes {
    // A scratch file that cannot be read makes no rules.
    body.prefix(bytes_max).unwrap_or_default()
}

/// `scheme://host[:port]`: what robots.txt speaks for.
pub(crate) fn origin(url: &CanonicalUrl) -> String {
    format!("{}://{}", url.scheme(), url.authority().unwrap_or_default())
}

/// Whether the URL is that of a robots.txt.
pub(crate) fn is_robots_txt(url: &CanonicalUrl) -> bool {
    url.path_and_query() == "/robots.txt"
}

/// Where robots.txt files were redirected to.
#[derive(Default)]
pub(crate) struct RobotsRedirects {
    inner: Mutex<Redirects>,
}

#[derive(Default)]
struct Redirects {
    by_origin: HashMap<String, Redirected>,
    /// In the order in which they came; may name origins that are done.
    order: VecDeque<String>,
}

/// A redirect that is being followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirected {
    pub(crate) target: CanonicalUrl,
    pub(crate) hops: u32,
    /// The target was refused.
    pub(crate) is_blocked: bool,
}

impl RobotsRedirects {
    pub(crate) fn get(&self, origin: &str) -> Option<Redirected> {
        self.lock().by_origin.get(origin).cloned()
    }

    /// Origins that wait for this URL, with the redirects before it.
    pub(crate) fn waiting_for(&self, target: &CanonicalUrl) -> Vec<(String, u32)> {
        let redirects = self.lock();
        let waiting = redirects.by_origin.iter().filter(|(_, redirected)| redirected.target == *target);
        let mut waiting: Vec<_> =
            waiting.map(|(origin, redirected)| (origin.clone(), redirected.hops)).collect();
        waiting.sort();
        waiting
    }

    pub(crate) fn set(&self, origin: &str, target: CanonicalUrl, hops: u32) {
        let mut redirects = self.lock();
        let redirected = Redirected { target, hops, is_blocked: false };
        if redirects.by_origin.insert(origin.to_owned(), redirected).is_none() {
            redirects.order.push_back(origin.to_owned());
        }
        while redirects.order.len() > REDIRECTED_ORIGINS_MAX {
            if let Some(oldest) = redirects.order.pop_front() {
                redirects.by_origin.remove(&oldest);
            }
        }
    }

    pub(crate) fn block(&self, target: &CanonicalUrl) {
        for redirected in self.lock().by_origin.values_mut().filter(|redirected| redirected.target == *target)
        {
            redirected.is_blocked = true;
        }
    }

    pub(crate) fn remove(&self, origin: &str) {
        let mut redirects = self.lock();
        if redirects.by_origin.remove(origin).is_some() {
            redirects.order.retain(|other| other != origin);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Redirects> {
        self.inner.lock().expect("no panic while held")
    }
}

/// Parsed robots.txt files, so that a page's turn does not parse one.
#[derive(Default)]
pub(crate) struct ParsedRobots {
    by_origin: Mutex<HashMap<String, Parsed>>,
}

/// A text and what it says.
struct Parsed {
    text: Arc<[u8]>,
    robots: Arc<RobotsTxt>,
}

impl ParsedRobots {
    /// The parsed form of an origin's text.
    pub(crate) fn get(&self, origin: &str, text: &Arc<[u8]>) -> Arc<RobotsTxt> {
        let mut by_origin = self.by_origin.lock().expect("no panic while held");
        if let Some(parsed) = by_origin.get(origin)
            && (Arc::ptr_eq(&parsed.text, text) || parsed.text == *text)
        {
            return parsed.robots.clone();
        }
        let robots = Arc::new(RobotsTxt::parse(text));
        if by_origin.len() >= PARSED_MAX {
            // All of them: the busy ones are back at once, and there is no order to keep.
            by_origin.clear();
        }
        by_origin.insert(origin.to_owned(), Parsed { text: text.clone(), robots: robots.clone() });
        robots
    }
}
