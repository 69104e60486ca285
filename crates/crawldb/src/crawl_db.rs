//! Rows by URL.

use std::sync::Arc;

use model::entry::{Admit, Done};
use model::world::Disk;
use model::{Candidate, FetchOutcome, Fingerprint, Ordinal, UrlKey};
use store::{Result, Saved, Table, TableOptions, TablePlace};
use surt::CanonicalUrl;

use crate::row;
use crate::url_entry::{LastFetch, UrlEntry, UrlRow, UrlState};

/// What is done with the key and row of each URL, until it says false.
pub type EachUrl<'a> = dyn FnMut(&[u8], UrlEntry) -> Result<bool> + 'a;

/// What is known of every URL that was ever admitted.
pub struct CrawlDb {
    table: Table,
    buffer: Vec<u8>,
}

impl CrawlDb {
    /// Opens the table as it was saved; `None` for an empty one. Writes nothing.
    ///
    /// # Errors
    /// When a file is missing or corrupt.
    pub fn open(
        disk: Arc<dyn Disk>,
        place: TablePlace,
        options: TableOptions,
        section: Option<&[u8]>,
    ) -> Result<CrawlDb> {
        Ok(CrawlDb { table: Table::open(disk, place, options, section)?, buffer: Vec::new() })
    }

    /// A URL enters its queue: it passed the seen test, or bypassed it. In the latter case what is known of earlier
    /// fetches stays.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn apply_admit(&mut self, ordinal: Ordinal, admit: &Admit) -> Result<()> {
        let key = UrlKey::new(&admit.candidate.url);
        let may_be_known = admit.bypass || admit.candidate.force_fetch;
        let known = if may_be_known { self.get(&key)? } else { None };
        let last = known.as_ref().and_then(|known| known.last.as_ref());
        self.put(&key, &UrlRow { state: UrlState::Queued, ordinal, attempts: 0, admit, last })
    }

    /// An attempt ended.
    ///
    /// # Errors
    /// When the disk fails or a row is corrupt.
    pub fn apply_done(&mut self, sequence: u64, done: &Done) -> Result<()> {
        let key = UrlKey::new(&done.url);
        let mut entry = self.get(&key)?.unwrap_or_else(|| unadmitted(done));
        // A later admit of the same URL (forced) still waits for its own turn.
        if entry.ordinal <= done.ordinal {
            entry.state = match done.outcome {
                FetchOutcome::Finished => UrlState::Finished,
                FetchOutcome::Retry { .. } => UrlState::Retrying,
                FetchOutcome::Deferred => UrlState::Deferred,
            };
            entry.attempts = done.attempt;
        }
        entry.last = Some(LastFetch::new(sequence, done));
        self.put(&key, &entry.row())
    }

    /// `repair` gave up the capture of a URL. False if the URL is unknown.
    ///
    /// # Errors
    /// When the disk fails or a row is corrupt.
    pub fn apply_lost(&mut self, url: &CanonicalUrl) -> Result<bool> {
        let key = UrlKey::new(url);
        let Some(mut entry) = self.get(&key)? else { return Ok(false) };
        entry.state = UrlState::Lost;
        if let Some(last) = &mut entry.last {
            last.capture = None;
        }
        self.put(&key, &entry.row())?;
        Ok(true)
    }

    /// What is known of a URL; `None` if it was never admitted.
    ///
    /// # Errors
    /// When the disk fails or a row is corrupt.
    pub fn get(&self, key: &UrlKey) -> Result<Option<UrlEntry>> {
        self.table.get(&key.0)?.map(|bytes| row::decode("crawl db", &bytes)).transpose()
    }

    /// Calls `each` with the rows whose keys begin with `prefix` and are not below `from`, in order of their keys, until
    /// it says false. An empty prefix is all; see [`host_prefix`].
    ///
    /// # Errors
    /// When the disk fails or a row is corrupt; or as `each` says.
    pub fn scan(&self, prefix: &[u8], from: &[u8], each: &mut EachUrl<'_>) -> Result<()> {
        self.table.scan(prefix, from, &mut |key, bytes| each(key, row::decode("crawl db", bytes)?))
    }

    /// What the manifest must hold and name.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn save(&mut self) -> Result<Saved> {
        self.table.save()
    }

    fn put(&mut self, key: &UrlKey, row: &UrlRow) -> Result<()> {
        row::encode(&mut self.buffer, row);
        self.table.put(&key.0, &self.buffer)
    }
}

/// What all keys of a URL's host begin with, whatever the scheme and port.
pub fn host_prefix(url: &CanonicalUrl) -> Vec<u8> {
    let key = UrlKey::new(url);
    // The host ends at the first blank after the two bytes of the partition.
    let end = key.0.iter().skip(2).position(|byte| *byte == b' ').map_or(key.0.len(), |at| at + 3);
    key.0[..end].to_vec()
}

/// A row for a `Done` whose `Admit` is not known: no sound journal has one, yet `explain` should still answer.
fn unadmitted(done: &Done) -> UrlEntry {
    let candidate = Candidate {
        hop_path: done.log.hop_path.clone(),
        is_seed: done.is_seed,
        ..Candidate::seed(done.url.clone())
    };
    UrlEntry {
        state: UrlState::Queued,
        ordinal: done.ordinal,
        attempts: 0,
        admit: Admit {
            candidate,
            fingerprint: Fingerprint(0),
            queue_key: done.queue_key.clone(),
            precedence: 0,
            cost: done.cost,
            rule: done.rule.clone(),
            bypass: true,
        },
        last: None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use model::{CrawlLogFields, Digest, FetchStatus, Hop, HopPath, Via, WallMs};
    use testweb::disk::SimDisk;

    use super::*;

    fn open(disk: &SimDisk, section: Option<&[u8]>) -> CrawlDb {
        let place =
            TablePlace { root: "/job".into(), folder: "state/crawldb".into(), name: "urls".to_owned() };
        CrawlDb::open(Arc::new(disk.clone()), place, TableOptions::default(), section).unwrap()
    }

    fn disk() -> SimDisk {
        let disk = SimDisk::new(1);
        disk.create_dir_all(Path::new("/job/state/crawldb")).unwrap();
        disk
    }

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    fn admit(text: &str, bypass: bool) -> Admit {
        Admit {
            candidate: Candidate {
                via: Some(Via { url: url("http://example.org/"), context: "a/@href".to_owned() }),
                hop_path: HopPath::seed().then(Hop::Navlink),
                ..Candidate::seed(url(text))
            },
            fingerprint: Fingerprint(9),
            queue_key: "org,example,".to_owned(),
            precedence: 1,
            cost: 1,
            rule: "surt-prefixed".into(),
            bypass,
        }
    }

    fn done(ordinal: u64, text: &str, outcome: FetchOutcome) -> Done {
        Done {
            ordinal: Ordinal(ordinal),
            url: url(text),
            queue_key: "org,example,".to_owned(),
            attempt: 2,
            outcome,
            log: CrawlLogFields {
                logged_at: WallMs(5),
                status: FetchStatus(200),
                size: Some(7),
                hop_path: HopPath::seed().then(Hop::Navlink),
                via: None,
                mime: "text/html".to_owned(),
                worker: 1,
                started: Some((WallMs(3), 2)),
                digest: Some(Digest([4; 20])),
                source_tag: None,
                annotations: vec!["2t".to_owned()],
            },
            capture: None,
            warcinfo: None,
            cost: 1,
            reason: None,
            rule: "surt-prefixed".into(),
            host_changes: Vec::new(),
            cookie_changes: Vec::new(),
            etag: Some("\"x\"".to_owned()),
            last_modified: None,
            is_seed: false,
            redirect_to: None,
            outlinks: (3, 1),
        }
    }

    const PAGE: &str = "http://www.example.org/page?a=b";

    #[test]
    fn a_url_goes_its_way() {
        let disk = disk();
        let mut db = open(&disk, None);
        let key = UrlKey::new(&url(PAGE));
        let state =
            |db: &CrawlDb| db.get(&key).unwrap().map(|entry| (entry.state, entry.attempts, entry.ordinal.0));
        assert_eq!(state(&db), None);
        db.apply_admit(Ordinal(4), &admit(PAGE, false)).unwrap();
        assert_eq!(state(&db), Some((UrlState::Queued, 0, 4)));
        db.apply_done(9, &done(4, PAGE, FetchOutcome::Deferred)).unwrap();
        assert_eq!(state(&db), Some((UrlState::Deferred, 2, 4)));
        db.apply_done(12, &done(4, PAGE, FetchOutcome::Finished)).unwrap();
        let saved = db.save().unwrap();
        let mut db = open(&disk, Some(&saved.section));
        assert_eq!(state(&db), Some((UrlState::Finished, 2, 4)));
        let entry = db.get(&key).unwrap().unwrap();
        assert_eq!(entry.admit, admit(PAGE, false));
        assert_eq!(entry.last, Some(LastFetch::new(12, &done(4, PAGE, FetchOutcome::Finished))));
        assert_eq!(entry.history().etag.as_deref(), Some("\"x\""));
        // Forced again: queued, but its history stays.
        db.apply_admit(Ordinal(20), &admit(PAGE, true)).unwrap();
        assert_eq!(state(&db), Some((UrlState::Queued, 0, 20)));
        assert!(db.get(&key).unwrap().unwrap().last.is_some());
        db.apply_done(22, &done(4, PAGE, FetchOutcome::Finished)).unwrap();
        assert_eq!(state(&db), Some((UrlState::Queued, 0, 20)), "the old item's end is not the new one's");
        assert!(db.apply_lost(&url(PAGE)).unwrap());
        assert_eq!(state(&db), Some((UrlState::Lost, 0, 20)));
        assert!(!db.apply_lost(&url("http://example.org/unknown")).unwrap());
    }

    #[test]
    fn a_host_is_scanned_alone() {
        let mut db = open(&disk(), None);
        let pages = [
            "http://a.example.org/1",
            "https://a.example.org:444/2",
            "http://aa.example.org/",
            "http://b.org/",
        ];
        for (index, page) in pages.iter().enumerate() {
            db.apply_admit(Ordinal(index as u64), &admit(page, false)).unwrap();
        }
        let scan = |prefix: &[u8]| {
            let mut found = Vec::new();
            let mut each = |_: &[u8], entry: UrlEntry| {
                found.push(entry.url().to_string());
                Ok(true)
            };
            db.scan(prefix, b"", &mut each).unwrap();
            found.sort();
            found
        };
        assert_eq!(scan(&host_prefix(&url(pages[0]))), pages[..2]);
        assert_eq!(scan(b"").len(), 4);
    }

    #[test]
    fn a_done_without_admit_still_has_a_row() {
        let mut db = open(&disk(), None);
        db.apply_done(3, &done(1, PAGE, FetchOutcome::Finished)).unwrap();
        assert_eq!(db.get(&UrlKey::new(&url(PAGE))).unwrap().unwrap().state, UrlState::Finished);
    }
}
