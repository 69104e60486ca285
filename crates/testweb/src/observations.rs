//! What the servers saw: every request that reached one, and every fault that was played.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::answer::Cut;
use crate::web::Web;

/// A request that reached a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestSeen {
    /// When its last byte was read, milliseconds since the network began.
    pub start_ms: u64,
    /// When the last byte of the answer was written, or either side gave up.
    pub end_ms: u64,
    /// `name` or `name:port`.
    pub authority: String,
    /// Path and query.
    pub path: String,
    /// The absolute URL.
    pub url: String,
    /// Where the connection led.
    pub address: SocketAddr,
    /// Number of the connection, from 0.
    pub connection: u64,
    /// Requests on this connection before it.
    pub reuse: u32,
    /// Requests for this URL before it, over all connections.
    pub visit: u32,
    /// The status that was answered; `None` if no answer began.
    pub status: Option<u16>,
    /// What was cut.
    pub cut: Option<Cut>,
    /// The request's `Cookie`.
    pub cookie: Option<String>,
    /// The request's `User-Agent`.
    pub user_agent: Option<String>,
}

/// How often each fault was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FaultCounts {
    /// Connections that ended before an answer.
    pub dropped_before_head: u64,
    /// Connections that ended in a body.
    pub dropped_mid_body: u64,
    /// Connections that were refused.
    pub refused: u64,
    /// Look-ups that failed for a while.
    pub dns_temporary: u64,
    /// Look-ups of names that do not exist.
    pub dns_no_name: u64,
    /// Answers that took 2 s or more.
    pub slow: u64,
    /// Requests that were never answered.
    pub never_answered: u64,
    /// Answers 429 and 503.
    pub busy: u64,
    /// Idle connections that the server closed.
    pub idle_closed: u64,
}

impl FaultCounts {
    /// Dropped connections of either kind.
    pub fn dropped(&self) -> u64 {
        self.dropped_before_head + self.dropped_mid_body
    }

    /// Failed look-ups of either kind.
    pub fn dns(&self) -> u64 {
        self.dns_temporary + self.dns_no_name
    }
}

/// Two requests of one host that came too close.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The later of the two.
    pub url: String,
    /// When it came.
    pub start_ms: u64,
    /// What was wrong.
    pub what: String,
}

/// What the servers saw. Shared by all connections of a network.
#[derive(Debug, Default)]
pub struct Observations {
    seen: Mutex<Vec<Record>>,
    visits: Mutex<HashMap<String, u32>>,
    faults: Mutex<FaultCounts>,
    connections: AtomicU64,
}

#[derive(Debug)]
struct Record {
    request: RequestSeen,
    client_closed_ms: Arc<AtomicU64>,
}

/// The value of `client_closed_ms` while the client holds the connection.
pub(crate) const STILL_OPEN: u64 = u64::MAX;

impl Observations {
    /// All requests so far, by start. The end of one that still runs is `u64::MAX`.
    pub fn requests(&self) -> Vec<RequestSeen> {
        let seen = self.seen.lock().expect("no panic while held");
        let mut requests: Vec<RequestSeen> = seen
            .iter()
            .map(|record| {
                let mut request = record.request.clone();
                // A client that went away ended the request, whatever the server went on to do.
                request.end_ms = request.end_ms.min(record.client_closed_ms.load(Ordering::Relaxed));
                request
            })
            .collect();
        requests.sort_by_key(|request| (request.start_ms, request.connection));
        requests
    }

    /// How often each fault was met so far.
    pub fn faults(&self) -> FaultCounts {
        *self.faults.lock().expect("no panic while held")
    }

    /// Forgets all requests, but not the numbers of visits: for what comes after a point in time.
    pub fn clear(&self) {
        self.seen.lock().expect("no panic while held").clear();
    }

    /// Checks that no host had more than `in_flight_max` requests at a time, nor a request that began less than
    /// `delay_ms` after the end of one before it (with `in_flight_max` above 1: of the one that freed its place).
    ///
    /// A request that is repeated at once because a reused connection had closed before its answer began does not count:
    /// RFC 9112, 9.3.1 allows it.
    pub fn check_politeness(&self, delay_ms: u64, in_flight_max: usize) -> Vec<Breach> {
        self.check_delays(in_flight_max, |_| delay_ms)
    }

    /// Checks that hosts whose robots.txt asks for a delay got it, once they had answered for robots.txt.
    pub fn check_crawl_delays(&self, web: &Web) -> Vec<Breach> {
        let mut breaches = self.check_delays(1, |authority| {
            let delay_s = web.host_at(authority).and_then(|host| host.robots.crawl_delay_s());
            u64::from(delay_s.unwrap_or(0)) * 1000
        });
        // Whoever asks for robots.txt again has lost the answer, and with it the delay.
        breaches.retain(|breach| !breach.url.ends_with("/robots.txt"));
        breaches
    }

    fn check_delays(&self, in_flight_max: usize, delay_ms_of: impl Fn(&str) -> u64) -> Vec<Breach> {
        let mut by_host: BTreeMap<String, Vec<RequestSeen>> = BTreeMap::new();
        for request in self.requests() {
            by_host.entry(request.authority.clone()).or_default().push(request);
        }
        by_host
            .iter()
            .flat_map(|(host, requests)| breaches(requests, delay_ms_of(host), in_flight_max))
            .collect()
    }

    pub(crate) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn next_visit(&self, url: &str) -> u32 {
        let mut visits = self.visits.lock().expect("no panic while held");
        let visit = visits.entry(url.to_owned()).or_default();
        *visit += 1;
        *visit - 1
    }

    pub(crate) fn count(&self, count: impl FnOnce(&mut FaultCounts)) {
        count(&mut self.faults.lock().expect("no panic while held"));
    }

    /// Notes the start of a request; its index is needed to note the end.
    pub(crate) fn began(&self, request: RequestSeen, client_closed_ms: Arc<AtomicU64>) -> usize {
        let mut seen = self.seen.lock().expect("no panic while held");
        seen.push(Record { request, client_closed_ms });
        seen.len() - 1
    }

    /// Notes the end of a request.
    pub(crate) fn ended(&self, index: usize, url: &str, end_ms: u64) {
        let mut seen = self.seen.lock().expect("no panic while held");
        // After `clear` another may stand there.
        if let Some(record) = seen.get_mut(index).filter(|record| record.request.url == url) {
            record.request.end_ms = end_ms;
        }
    }
}

/// Breaches at one host; `requests` by start.
fn breaches(requests: &[RequestSeen], delay_ms: u64, in_flight_max: usize) -> Vec<Breach> {
    let mut found = Vec::new();
    // When each of the places becomes free, and who held it last.
    let mut places: Vec<Option<&RequestSeen>> = vec![None; in_flight_max.max(1)];
    for request in requests {
        let place = places
            .iter_mut()
            .min_by_key(|place| place.map_or(0, |held| held.end_ms))
            .expect("there is a place at least");
        if let Some(before) = place {
            let is_replay =
                before.cut == Some(Cut::BeforeHead) && before.reuse > 0 && before.url == request.url;
            let breach = |what| Breach { url: request.url.clone(), start_ms: request.start_ms, what };
            if before.end_ms > request.start_ms {
                found.push(breach(format!("{} was still in flight", before.url)));
            } else if request.start_ms - before.end_ms < delay_ms && !is_replay {
                let gap_ms = request.start_ms - before.end_ms;
                found.push(breach(format!("{gap_ms} ms after the end of {}, not {delay_ms}", before.url)));
            }
        }
        *place = Some(request);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(start_ms: u64, end_ms: u64) -> RequestSeen {
        RequestSeen {
            start_ms,
            end_ms,
            authority: "x.example".to_owned(),
            path: "/".to_owned(),
            url: "http://x.example/".to_owned(),
            address: ([11, 0, 0, 1], 80).into(),
            connection: 0,
            reuse: 0,
            visit: 0,
            status: Some(200),
            cut: None,
            cookie: None,
            user_agent: None,
        }
    }

    fn check(times: &[(u64, u64)], delay_ms: u64, in_flight_max: usize, n_breaches: usize) {
        let requests: Vec<RequestSeen> = times.iter().map(|(start, end)| request(*start, *end)).collect();
        assert_eq!(breaches(&requests, delay_ms, in_flight_max).len(), n_breaches, "{times:?}");
    }

    #[test]
    fn politeness() {
        check(&[(0, 10), (3010, 3020)], 3000, 1, 0);
        check(&[(0, 10), (3009, 3020)], 3000, 1, 1);
        check(&[(0, 10), (5, 20)], 0, 1, 1);
        check(&[(0, 10), (5, 20), (6, 9)], 0, 2, 1);
        check(&[(0, 10), (5, 20), (10, 30), (20, 30)], 0, 2, 0);
    }

    #[test]
    fn an_immediate_replay_after_a_closed_reused_connection_is_no_breach() {
        let mut dropped = request(0, 10);
        (dropped.cut, dropped.reuse) = (Some(Cut::BeforeHead), 1);
        assert!(breaches(&[dropped.clone(), request(11, 20)], 3000, 1).is_empty());
        dropped.reuse = 0;
        assert_eq!(breaches(&[dropped, request(11, 20)], 3000, 1).len(), 1);
    }
}
