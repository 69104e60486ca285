//! From the address of a capture to what a browser is sent.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use cdxj::{CdxLine, SortedFile};
use model::WallMs;
use url::Url;

use crate::Place;
use crate::files::ArchiveFiles;
use crate::live::LiveFile;
use crate::shown::{Shown, show};
use crate::stored::StoredRecord;

/// Captures that are tried before a URL counts as not shown: beyond them it redirects to itself for ever, or is damaged.
const TRIES_MAX: usize = 32;

/// Captures of one URL that are listed at most; the newest ones stay.
const CAPTURES_MAX: usize = 100_000;

/// The archive of a job, read while it may be growing. One value serves many threads.
pub struct Replay {
    files: ArchiveFiles,
    live: Mutex<LiveFile>,
}

/// What there is at an address.
#[derive(Debug)]
pub enum Answer {
    /// A capture.
    Shown(Box<Shown>),
    /// Nothing that could be shown.
    Missing {
        /// Why: lower case, no full stop, fits after a colon.
        reason: String,
        /// Captures of that URL that are listed all the same.
        n_captures: usize,
    },
}

impl Replay {
    /// Of the job in a folder.
    pub fn open(job: &Path) -> Replay {
        let files = ArchiveFiles::of_job(job);
        Replay { live: Mutex::new(LiveFile::new(files.live_cdxj())), files }
    }

    /// Where the files are.
    pub fn files(&self) -> &ArchiveFiles {
        &self.files
    }

    /// Captures of a URL (of all spellings that share its key), oldest first.
    ///
    /// # Errors
    /// When an index file cannot be read.
    pub fn captures(&self, url: &str) -> io::Result<Vec<CdxLine>> {
        let key = CdxLine::key_of(url);
        let mut lines = self.live().lookup(&key)?;
        for path in self.files.sorted_cdxj()? {
            let mut file = SortedFile::new(std::fs::File::open(path)?)?;
            let prefix = format!("{key} ");
            for line in file.lines_with_prefix(prefix.as_bytes())? {
                lines.extend(CdxLine::parse(&line?));
            }
        }
        let name = |line: &CdxLine| (line.timestamp.clone(), line.filename.clone(), line.offset);
        lines.sort_by_cached_key(name);
        lines.dedup_by_key(|line| name(line));
        let n_dropped = lines.len().saturating_sub(CAPTURES_MAX);
        Ok(lines.split_off(n_dropped))
    }

    /// The newest captures, newest first. Of what a running crawl added; sorted files are by URL, not by time.
    ///
    /// # Errors
    /// When the index file cannot be read.
    pub fn newest(&self, n_max: usize) -> io::Result<Vec<CdxLine>> {
        self.live().newest(n_max)
    }

    /// Captures in the index that a crawl appends to.
    ///
    /// # Errors
    /// When the index file cannot be read.
    pub fn n_captures(&self) -> io::Result<u64> {
        self.live().n_lines()
    }

    /// The byte up to which records of a WARC file are committed; `None` if no capture lies in it.
    ///
    /// # Errors
    /// When the index file cannot be read.
    pub fn committed_through(&self, warc: &str) -> io::Result<Option<u64>> {
        self.live().committed_through(warc)
    }

    /// The capture of a URL that is nearest to the time asked for, made ready to be shown.
    ///
    /// # Errors
    /// When an index file cannot be read. A WARC file that cannot is a `Missing`, with its reason.
    pub fn answer(&self, place: &Place) -> io::Result<Answer> {
        let mut captures = self.captures(&place.url)?;
        let n_captures = captures.len();
        sort_by_nearness(&mut captures, place);
        let mut reason = "it was not captured".to_owned();
        for capture in captures.into_iter().take(TRIES_MAX) {
            match self.resolve(&capture) {
                Ok(resolved) if resolved.is_of_itself(&capture) => {
                    reason = "its captures only redirect to the same address".to_owned();
                }
                Ok(resolved) => match show(place, &capture, &resolved) {
                    Ok(shown) => return Ok(Answer::Shown(Box::new(shown))),
                    Err(error) => reason = error.to_string(),
                },
                Err(why) => reason = why,
            }
        }
        Ok(Answer::Missing { reason, n_captures })
    }

    /// The record of a capture, and for a revisit the record that holds its payload. The error says why not.
    ///
    /// # Errors
    /// A reason: lower case, no full stop.
    pub fn resolve(&self, capture: &CdxLine) -> Result<Resolved, String> {
        let record = self.record(capture)?;
        let original = if record.is_revisit() { Some(self.original(capture, &record)?) } else { None };
        let status = record.response.as_ref().map(|head| head.status);
        if original.is_none() && status == Some(304) {
            return Err("the server only answered that it had not changed".to_owned());
        }
        Ok(Resolved { record, original })
    }

    fn record(&self, capture: &CdxLine) -> Result<StoredRecord, String> {
        let file = &capture.filename;
        let path = self.files.find(file).map_err(|error| format!("read {file}: {error}"))?;
        let path = path.ok_or_else(|| format!("{file} is not in the job's folder any more"))?;
        StoredRecord::open(path, capture.offset).map_err(|error| format!("read {file}: {error}"))
    }

    /// The record that holds the payload of a revisit, never a revisit itself: the one it names, else one of the same URL
    /// with the same digest, else (not modified since) the last whole one before it.
    fn original(&self, capture: &CdxLine, revisit: &StoredRecord) -> Result<StoredRecord, String> {
        let named =
            revisit.head.headers.get("WARC-Refers-To-Target-URI").map(|uri| uri.trim_matches(['<', '>']));
        let date = revisit.head.headers.get("WARC-Refers-To-Date").and_then(warc::date_digits14);
        let profile = revisit.head.headers.get("WARC-Profile").unwrap_or("");
        let is_not_modified = profile.contains("not-modified");
        let mut candidates = Vec::new();
        for url in named.into_iter().chain([capture.url.as_str()]) {
            candidates.extend(self.captures(url).map_err(|error| format!("read index: {error}"))?);
        }
        candidates.retain(|line| line.mime.as_deref() != Some("warc/revisit") && line.status != Some(304));
        let is_named = |line: &CdxLine| {
            named.is_some_and(|uri| line.url == uri)
                && date.as_ref().is_some_and(|date| line.timestamp.starts_with(date))
        };
        let has_digest =
            |line: &CdxLine| bare(&line.digest).is_some() && bare(&line.digest) == bare(&capture.digest);
        let is_before = |line: &CdxLine| line.timestamp <= capture.timestamp && line.status == Some(200);
        let tests: [&dyn Fn(&CdxLine) -> bool; 4] = [
            &|line| is_named(line) && (has_digest(line) || is_not_modified),
            &|line| has_digest(line),
            &|line| is_named(line),
            &|line| is_not_modified && is_before(line),
        ];
        let mut why = "the content was held elsewhere, and is not in this archive".to_owned();
        for test in tests {
            for line in candidates.iter().rev().filter(|line| test(line)).take(TRIES_MAX) {
                match self.record(line) {
                    Ok(record) if !record.is_revisit() => return Ok(record),
                    Ok(_) => {}
                    Err(error) => why = error,
                }
            }
        }
        Err(why)
    }

    fn live(&self) -> std::sync::MutexGuard<'_, LiveFile> {
        // What a panic left half read is only ever read again.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A capture with the record that holds its payload.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The capture's own record: what the server said then.
    pub record: StoredRecord,
    /// For a revisit, the record with the payload.
    pub original: Option<StoredRecord>,
}

impl Resolved {
    /// The record that holds the payload.
    pub fn holder(&self) -> &StoredRecord {
        self.original.as_ref().unwrap_or(&self.record)
    }

    /// The response's head: of the revisit if it kept one, else of the original.
    pub fn head(&self) -> Option<&http1::ResponseHead> {
        self.record.response.as_ref().or(self.holder().response.as_ref())
    }

    /// A redirect to an address with the same key: between http and https, or `www.` and none. Shown, it would lead a
    /// browser back to itself for ever (F108).
    fn is_of_itself(&self, capture: &CdxLine) -> bool {
        let Some(head) = self.head().filter(|head| (300..400).contains(&head.status)) else { return false };
        let location = head.header_text("location");
        let target = location.and_then(|location| Url::parse(&capture.url).ok()?.join(location.trim()).ok());
        target.is_some_and(|target| CdxLine::key_of(target.as_str()) == capture.key)
    }
}

/// The digest without its label.
fn bare(digest: &Option<String>) -> Option<&str> {
    digest.as_deref().map(|digest| digest.strip_prefix("sha1:").unwrap_or(digest))
}

/// Nearest to the time first, the newest if none is asked for; of equally near ones that with the very spelling.
fn sort_by_nearness(captures: &mut [CdxLine], place: &Place) {
    let wanted = place.time();
    captures.sort_by_cached_key(|line| {
        let time =
            WallMs::from_digits(line.timestamp.get(..14).unwrap_or(&line.timestamp)).unwrap_or_default().0;
        let distance = wanted.map_or(u64::MAX - time, |wanted| wanted.0.abs_diff(time));
        (distance, line.url != place.url)
    });
}
