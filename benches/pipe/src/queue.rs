//! What is to be fetched and what is known, shared by all connections.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use hashbrown::HashSet;
use tokio::sync::Notify;
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64;

/// A connection that finds nothing asks again after that time at the latest.
const IDLE_MS: u64 = 5;

/// A link of the site: fingerprint of the URL, path to ask for.
pub type Link = (u64, String);

/// What is to be fetched and what is known.
pub struct Queue {
    lists: Mutex<Lists>,
    in_flight: AtomicUsize,
    pages: AtomicU64,
    others: AtomicU64,
    news: Notify,
}

struct Lists {
    waiting: VecDeque<String>,
    known: HashSet<u64>,
}

impl Queue {
    /// With the seed alone.
    pub fn new(seed: &Url) -> Queue {
        let root = seed.join("/").expect("a web address has a root");
        let known = [fingerprint(seed), fingerprint(&root)].into_iter().collect();
        let waiting = [seed[Position::BeforePath..].to_owned()].into_iter().collect();
        Queue {
            lists: Mutex::new(Lists { waiting, known }),
            in_flight: AtomicUsize::new(0),
            pages: AtomicU64::new(0),
            others: AtomicU64::new(0),
            news: Notify::new(),
        }
    }

    /// The next path, or `None` when all is done.
    pub async fn next(&self) -> Option<String> {
        loop {
            {
                let mut lists = self.lists.lock().expect("no panic while held");
                if let Some(path) = lists.waiting.pop_front() {
                    self.in_flight.fetch_add(1, Ordering::SeqCst);
                    return Some(path);
                }
                if self.in_flight.load(Ordering::SeqCst) == 0 {
                    self.news.notify_waiters();
                    return None;
                }
            }
            // Whether news came or time ran out: look again.
            drop(tokio::time::timeout(Duration::from_millis(IDLE_MS), self.news.notified()).await);
        }
    }

    /// Takes the links of a page; leaves `links` empty.
    pub fn offer(&self, links: &mut Vec<Link>) {
        let mut lists = self.lists.lock().expect("no panic while held");
        let before = lists.waiting.len();
        for (fingerprint, path) in links.drain(..) {
            if lists.known.insert(fingerprint) {
                lists.waiting.push_back(path);
            }
        }
        let fresh = lists.waiting.len() - before;
        drop(lists);
        for _ in 0..fresh.min(64) {
            self.news.notify_one();
        }
    }

    /// A path is done.
    pub fn finished(&self, status: u16) {
        let count = if status == 200 { &self.pages } else { &self.others };
        count.fetch_add(1, Ordering::Relaxed);
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
    }

    /// Answers with status 200.
    pub fn pages(&self) -> u64 {
        self.pages.load(Ordering::Relaxed)
    }

    /// All other answers.
    pub fn others(&self) -> u64 {
        self.others.load(Ordering::Relaxed)
    }
}

/// What a URL is known by.
pub fn fingerprint(url: &Url) -> u64 {
    xxh3_64(url.as_str().as_bytes())
}
