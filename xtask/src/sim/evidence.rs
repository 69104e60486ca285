//! What a job left on the disk: journal, WARC files, crawl.log and CDXJ, read back by other ways than a resume reads them.

use std::collections::{BTreeMap, HashSet};
use std::io::{Cursor, Read};

use crawl::{JobDir, crawl_log};
use model::entry::Entry;
use model::world::Disk;
use testweb::checks::{CaptureRow, LogRow};
use testweb::disk::SimDisk;
use warc::{HttpResponse, Reader, RecordHead, RecordType};

/// URLs that the journal has admitted, read on from where it ended last time.
#[derive(Default)]
pub struct Admitted {
    /// As text.
    pub urls: HashSet<String>,
    last_sequence: u64,
    /// Up to here a later process has built on it: this was committed for certain.
    certain_sequence: u64,
}

impl Admitted {
    /// Reads what is new in the journal. What was committed before must still be there; the last frame of a process that
    /// was killed may have been written and not synced, so that a power cut takes it again.
    pub fn read_on(&mut self, disk: &SimDisk, job: &JobDir) -> Result<(), String> {
        let (certain, mut last) = (self.certain_sequence, 0);
        let urls = &mut self.urls;
        let mut each = |sequence: u64, entry: Entry| {
            last = sequence;
            if let Entry::Admit(admit) = entry {
                urls.insert(admit.candidate.url.as_str().to_owned());
            }
            Ok(())
        };
        store::journal::read_frames(disk, &job.journal(), certain.saturating_sub(1), &mut each)
            .map_err(|error| format!("journal: {error}"))?;
        if last < certain {
            return Err(format!("journal: it reached entry {certain} and ends before that now"));
        }
        if last > self.last_sequence {
            self.certain_sequence = self.last_sequence;
        }
        self.last_sequence = last;
        Ok(())
    }
}

/// A record in a WARC file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Bytes in the file.
    pub length: u64,
    /// `response`, `request`, …
    pub kind: String,
    /// WARC-Target-URI, or nothing.
    pub url: String,
    /// WARC-Record-ID.
    pub id: String,
    /// WARC-Refers-To.
    pub refers_to: Option<String>,
}

/// Everything that a job left.
#[derive(Default)]
pub struct Found {
    /// The whole journal.
    pub entries: Vec<(u64, Entry)>,
    /// All crawl.logs.
    pub log: Vec<LogRow>,
    /// Their text.
    pub log_text: String,
    /// The CDXJ file.
    pub cdxj_text: String,
    /// Responses, revisits, resources.
    pub captures: Vec<CaptureRow>,
    /// Every record by WARC file and offset.
    pub records: BTreeMap<(String, u64), Record>,
    /// Names that still end in `.open`.
    pub open: Vec<String>,
}

/// Reads everything.
pub fn gather(disk: &SimDisk, job: &JobDir) -> Result<Found, String> {
    let mut found = Found::default();
    let mut each = |sequence, entry| {
        found.entries.push((sequence, entry));
        Ok(())
    };
    store::journal::read_frames(disk, &job.journal(), 0, &mut each)
        .map_err(|error| format!("journal: {error}"))?;
    for name in job.launches(disk).map_err(|error| error.to_string())? {
        let launch = job.launch(&name);
        if disk.len_of(&launch.crawl_log()).map_err(|error| error.to_string())?.is_some() {
            let text = text_of(disk, &launch.crawl_log())?;
            for line in text.lines() {
                let row = crawl_log::parse(line).map_err(|error| format!("crawl.log: {error}: {line}"))?;
                found.log.push(LogRow { url: row.url, status: row.status.0 });
            }
            found.log_text.push_str(&text);
        }
        for file in disk.list(&launch.warcs()).map_err(|error| error.to_string())? {
            let bytes = disk.read(&launch.warcs().join(&file)).map_err(|error| error.to_string())?;
            let name = file.strip_suffix(".open").unwrap_or(&file).to_owned();
            if name != file {
                found.open.push(file);
            }
            read_warc(&name, &bytes, &mut found)?;
        }
    }
    found.cdxj_text = text_of(disk, &job.cdxj_current())?;
    Ok(found)
}

fn text_of(disk: &SimDisk, path: &std::path::Path) -> Result<String, String> {
    let bytes = disk.read(path).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", path.display()))
}

fn read_warc(name: &str, bytes: &[u8], found: &mut Found) -> Result<(), String> {
    let at = |offset: u64, what: &str| format!("WARC: {name} at {offset}: {what}");
    let mut reader = Reader::new(bytes);
    while let Some(head) = reader.next_record().map_err(|error| at(0, &error.to_string()))? {
        let mut block = Vec::new();
        reader.block().read_to_end(&mut block).map_err(|error| at(head.offset, &error.to_string()))?;
        let end =
            reader.end_record().map_err(|error| at(head.offset, &error.to_string()))?.expect("it was begun");
        if !end.is_whole {
            return Err(at(head.offset, "the record is not whole"));
        }
        let header = |name: &str| head.headers.get(name).map(str::to_owned);
        let record = Record {
            length: end.length,
            kind: head.record_type.as_str().to_owned(),
            url: head.target_uri().unwrap_or_default().into_owned(),
            id: header("WARC-Record-ID").unwrap_or_default(),
            refers_to: header("WARC-Refers-To"),
        };
        found.records.insert((name.to_owned(), head.offset), record);
        if matches!(head.record_type, RecordType::Response | RecordType::Revisit | RecordType::Resource) {
            found.captures.push(capture(&head, block).map_err(|what| at(head.offset, &what))?);
        }
    }
    match reader.take_problems().first() {
        Some(problem) => Err(format!("WARC: {name}: {problem:?}")),
        None => Ok(()),
    }
}

fn capture(head: &RecordHead, block: Vec<u8>) -> Result<CaptureRow, String> {
    let is_revisit = head.record_type == RecordType::Revisit;
    let mut row = CaptureRow {
        url: head.target_uri().unwrap_or_default().into_owned(),
        status: 0,
        is_revisit,
        is_truncated: !is_revisit && head.headers.get("WARC-Truncated").is_some(),
        payload_digest: head.headers.get("WARC-Payload-Digest").unwrap_or_default().to_owned(),
        payload: None,
    };
    if head.record_type == RecordType::Resource {
        return Ok(row);
    }
    let mut response = HttpResponse::read(Cursor::new(block)).map_err(|error| error.to_string())?;
    row.status = response.head().ok_or("no HTTP head")?.status;
    let mut payload = Vec::new();
    while let Some(piece) = response.next_piece().map_err(|error| error.to_string())? {
        payload.extend_from_slice(piece.payload);
    }
    row.payload = (!is_revisit).then_some(payload);
    Ok(row)
}
