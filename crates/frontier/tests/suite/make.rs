//! Entries for tests.

use std::path::Path;
use std::sync::Arc;

use bequest_frontier::{Frontier, FrontierOptions, Next, Politeness};
use model::entry::{Admit, Done, Entry};
use model::world::StdDisk;
use model::{
    Candidate, CrawlLogFields, Directive, FetchItem, FetchOutcome, FetchStatus, FingerprintKey, HopPath,
    MonoMs, Ordinal, Via, WallMs,
};
use surt::CanonicalUrl;

pub fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

/// A link found on some page, queued by its host.
pub fn link(text: &str) -> Admit {
    let url = url(text);
    let queue_key = url.host().unwrap_or("none").to_owned();
    Admit {
        fingerprint: FingerprintKey(1, 2).fingerprint(url.as_str()),
        candidate: Candidate {
            url: url.clone(),
            via: Some(Via {
                url: CanonicalUrl::parse("http://via.example/").unwrap(),
                context: "a/@href".to_owned(),
            }),
            hop_path: HopPath::parse("L").unwrap(),
            directive: Directive::Normal,
            is_seed: false,
            force_fetch: false,
            is_sitemap: false,
            source_tag: None,
        },
        queue_key,
        precedence: 1,
        cost: 1,
        rule: "test rule".into(),
        bypass: false,
    }
}

pub fn seed(text: &str) -> Admit {
    Admit { candidate: Candidate::seed(url(text)), bypass: true, ..link(text) }
}

/// What `item` needs first.
pub fn prerequisite(text: &str, item: &FetchItem) -> Admit {
    let mut admit = link(text);
    admit.candidate.directive = item.candidate.directive.before();
    admit.candidate.hop_path = item.candidate.hop_path.then(model::Hop::Prerequisite);
    admit.candidate.force_fetch = true;
    Admit { bypass: true, queue_key: item.queue_key.clone(), ..admit }
}

pub fn done(item: &FetchItem, outcome: FetchOutcome) -> Entry {
    done_after(10, item, outcome)
}

/// A `Done` whose fetch took that long.
pub fn done_after(duration_ms: u64, item: &FetchItem, outcome: FetchOutcome) -> Entry {
    let log = CrawlLogFields {
        logged_at: WallMs(0),
        status: FetchStatus(200),
        size: None,
        hop_path: HopPath::seed(),
        via: None,
        mime: "text/html".to_owned(),
        worker: 0,
        started: Some((WallMs(0), duration_ms)),
        digest: None,
        source_tag: None,
        annotations: Vec::new(),
    };
    Entry::Done(Box::new(Done {
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
        rule: "test rule".into(),
        host_changes: Vec::new(),
        cookie_changes: Vec::new(),
        etag: None,
        last_modified: None,
        is_seed: false,
        redirect_to: None,
        outlinks: (0, 0),
    }))
}

/// Small buffers, no waiting.
pub fn eager() -> FrontierOptions {
    FrontierOptions {
        politeness: Politeness { fixed_delay_ms: Some(0), ..Politeness::default() },
        recent_entries: 64,
        ..FrontierOptions::default()
    }
}

/// A frontier with a journal of its own.
pub struct Bench {
    pub frontier: Frontier,
    pub sequence: u64,
    pub journal: Vec<(u64, Entry)>,
    pub novel: Vec<String>,
    pub now: MonoMs,
}

impl Bench {
    pub fn open(options: FrontierOptions, dir: &Path, section: Option<&[u8]>) -> Bench {
        let frontier =
            Frontier::open(options, Arc::new(StdDisk), dir.to_owned(), section, MonoMs(1_000_000)).unwrap();
        Bench { frontier, sequence: 0, journal: Vec::new(), novel: Vec::new(), now: MonoMs(1_000_000) }
    }

    pub fn apply(&mut self, entry: Entry) -> Ordinal {
        self.sequence += 1;
        self.journal.push((self.sequence, entry.clone()));
        self.replay(self.sequence, entry)
    }

    pub fn replay(&mut self, sequence: u64, entry: Entry) -> Ordinal {
        let novel = &mut self.novel;
        let mut note = |_, admit: &Admit| novel.push(admit.candidate.url.to_string());
        self.frontier.apply(sequence, entry, &mut note).unwrap();
        Ordinal(sequence)
    }

    pub fn admit(&mut self, admit: Admit) -> Ordinal {
        self.apply(Entry::Admit(Box::new(admit)))
    }

    pub fn flush(&mut self) {
        let through = Ordinal(self.sequence);
        self.apply(Entry::Flush { through });
    }

    pub fn next(&mut self) -> Next {
        self.frontier.next(self.now).unwrap()
    }

    pub fn item(&mut self) -> FetchItem {
        match self.next() {
            Next::Item(item) => item,
            other => panic!("no item but {other:?}"),
        }
    }
}
