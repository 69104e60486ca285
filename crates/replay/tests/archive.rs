//! A small archive on disk, asked for its captures.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall say so at once")]

use std::fs;
use std::path::Path;

use cdxj::CdxLine;
use replay::{Answer, Place, Replay, Shown, ShownBody};
use warc::{HeadWriter, MemberCompressor, RecordType, TRAILER};

/// A job with one WARC file, `.open` as while a crawl runs.
struct Job {
    folder: tempfile::TempDir,
    warc: Vec<u8>,
    cdxj: String,
}

const FILE: &str = "crawl-20260105100000000-00000.warc.gz";

impl Job {
    fn new() -> Job {
        Job { folder: tempfile::tempdir().unwrap(), warc: Vec::new(), cdxj: String::new() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn response(self, url: &str, digits: &str, response: &str) -> Job {
        self.record(RecordType::Response, url, digits, response.as_bytes(), &[])
    }

    fn record(
        mut self,
        kind: RecordType,
        url: &str,
        digits: &str,
        block: &[u8],
        fields: &[(&str, &str)],
    ) -> Job {
        let date = model::WallMs::from_digits(digits).unwrap().iso_seconds();
        let mut record = Vec::new();
        let mut head = HeadWriter::begin(&mut record, &kind, Some(url), &date);
        for (name, value) in fields {
            head = head.header(name, value);
        }
        let content_type =
            if kind == RecordType::Resource { "text/plain" } else { "application/http;msgtype=response" };
        head.finish(&[1; 16], Some(content_type), block.len() as u64);
        record.extend_from_slice(block);
        record.extend_from_slice(TRAILER);
        let offset = self.warc.len() as u64;
        MemberCompressor::new().append_member(6, &record, &mut self.warc);

        let text = String::from_utf8_lossy(block);
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body).to_owned();
        let line = CdxLine {
            key: CdxLine::key_of(url),
            timestamp: digits.to_owned(),
            url: url.to_owned(),
            mime: Some(if kind == RecordType::Revisit { "warc/revisit" } else { "text/html" }.to_owned()),
            status: text.split(' ').nth(1).and_then(|code| code.parse().ok()),
            digest: Some(
                fields
                    .iter()
                    .find(|(name, _)| *name == "WARC-Payload-Digest")
                    .map_or(body, |(_, d)| (*d).to_owned()),
            ),
            length: Some(self.warc.len() as u64 - offset),
            offset,
            filename: FILE.to_owned(),
            more: Vec::new(),
        };
        line.write_cdxj(&mut self.cdxj);
        self
    }

    fn written(self) -> (Job, Replay) {
        fs::create_dir_all(self.path().join("20260105100000/warcs")).unwrap();
        fs::create_dir_all(self.path().join("index/cdxj")).unwrap();
        fs::write(self.path().join("20260105100000/warcs").join(format!("{FILE}.open")), &self.warc).unwrap();
        fs::write(self.path().join("index/cdxj/current.cdxj"), &self.cdxj).unwrap();
        let replay = Replay::open(self.path());
        (self, replay)
    }
}

fn shown(replay: &Replay, path: &str) -> Shown {
    match replay.answer(&Place::parse(path).unwrap()).unwrap() {
        Answer::Shown(shown) => *shown,
        Answer::Missing { reason, .. } => panic!("{path}: {reason}"),
    }
}

fn missing(replay: &Replay, path: &str) -> String {
    match replay.answer(&Place::parse(path).unwrap()).unwrap() {
        Answer::Shown(shown) => panic!("{path}: {shown:?}"),
        Answer::Missing { reason, .. } => reason,
    }
}

fn body(shown: &Shown) -> String {
    let bytes = match &shown.body {
        ShownBody::Bytes(bytes) => bytes.clone(),
        ShownBody::Stored(record) => record.payload(1 << 20).unwrap().unwrap(),
    };
    String::from_utf8(bytes).unwrap()
}

fn header(shown: &Shown, name: &str) -> Option<String> {
    let (_, value) = shown.headers.iter().find(|(held, _)| held == name)?;
    Some(String::from_utf8_lossy(value).into_owned())
}

const HTML: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=b\r\n\r\n";

#[test]
fn nearest_in_time() {
    let mut job = Job::new();
    for (digits, word) in [("20260101000000", "one"), ("20260201000000", "two"), ("20260301000000", "three")]
    {
        job = job.response("http://a.example/", digits, &format!("{HTML}{word}"));
    }
    let (_job, replay) = job.written();
    let check = |path: &str, expected: &str| assert_eq!(body(&shown(&replay, path)), expected, "{path}");
    check("/web/2026/http://a.example/", "one");
    check("/web/20260120000000/http://a.example/", "two");
    check("/web/2030/http://a.example/", "three");
    check("/web/http://a.example/", "three");
    check("/web/20260201/https://www.a.example", "two");
    assert_eq!(replay.captures("a.example").unwrap().len(), 3);
    assert_eq!(replay.newest(1).unwrap()[0].timestamp, "20260301000000");
}

#[test]
fn raw_and_rewritten() {
    let page = "<a href=/x>y</a>";
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{page}\r\n0\r\n\r\n"
    );
    let (_job, replay) = Job::new().response("http://a.example/", "20260101000000", &chunked).written();
    assert_eq!(body(&shown(&replay, "/web/2026id_/http://a.example/")), page);
    let page = shown(&replay, "/web/2026/http://a.example/");
    assert_eq!(body(&page), "<a href=\"/web/2026/http://a.example/x\">y</a>");
    assert_eq!(header(&page, "content-type").as_deref(), Some("text/html"));
    assert_eq!(header(&page, "set-cookie"), None);
    assert_eq!(header(&page, "transfer-encoding"), None);
}

#[test]
fn statuses_and_redirects() {
    let (_job, replay) = Job::new()
        .response(
            "http://a.example/e",
            "20260101000000",
            "HTTP/1.1 403 No\r\nContent-Type: text/html\r\n\r\nforbidden",
        )
        .response("http://a.example/r", "20260101000000", "HTTP/1.1 302 Found\r\nLocation: /t?a=b\r\n\r\n")
        .record(RecordType::Resource, "http://a.example/res", "20260101000000", b"plain", &[])
        .written();
    let forbidden = shown(&replay, "/web/2026/http://a.example/e");
    assert_eq!((forbidden.status, body(&forbidden).as_str()), (403, "forbidden"));
    let redirect = shown(&replay, "/web/2026/http://a.example/r");
    assert_eq!(redirect.status, 302);
    assert_eq!(header(&redirect, "location").as_deref(), Some("/web/2026/http://a.example/t?a=b"));
    let resource = shown(&replay, "/web/2026/http://a.example/res");
    assert_eq!((resource.status, body(&resource).as_str()), (200, "plain"));
}

/// F108: redirects between spellings of one key.
#[test]
fn self_redirects_are_passed_over() {
    let to = |url: &str| format!("HTTP/1.1 301 Moved\r\nLocation: {url}\r\n\r\n");
    let (_job, replay) = Job::new()
        .response("http://a.example/", "20260101000000", &to("https://a.example/"))
        .response("https://a.example/", "20260101000002", &format!("{HTML}the page"))
        .response("http://b.example/", "20260101000000", &to("http://www.b.example/"))
        .response("http://www.b.example/", "20260101000001", &to("http://b.example/"))
        .written();
    assert_eq!(body(&shown(&replay, "/web/20260101000000/http://a.example/")), "the page");
    assert!(missing(&replay, "/web/2026/http://b.example/").contains("redirect"));
}

#[test]
fn revisits_show_their_original() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
    let profile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
    let fields = [
        ("WARC-Profile", profile),
        ("WARC-Refers-To-Target-URI", "http://a.example/orig"),
        ("WARC-Refers-To-Date", "2026-01-01T00:00:00Z"),
        ("WARC-Payload-Digest", "words"),
    ];
    let lost = [("WARC-Profile", profile), ("WARC-Payload-Digest", "unheard")];
    let not_modified = [("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/server-not-modified")];
    let (_job, replay) = Job::new()
        .response("http://a.example/orig", "20260101000000", &format!("{HTML}words"))
        .record(RecordType::Revisit, "http://a.example/again", "20260102000000", head.as_bytes(), &fields)
        .record(RecordType::Revisit, "http://a.example/lost", "20260102000000", head.as_bytes(), &lost)
        .record(RecordType::Revisit, "http://a.example/orig", "20260601000000", b"", &not_modified)
        .response("http://a.example/304", "20260102000000", "HTTP/1.1 304 Not Modified\r\n\r\n")
        .written();
    let again = shown(&replay, "/web/2026/http://a.example/again");
    assert_eq!(body(&again), "words");
    assert_eq!(header(&again, "content-type").as_deref(), Some("text/plain"), "its own head");
    assert!(missing(&replay, "/web/2026/http://a.example/lost").contains("not in this archive"));
    assert_eq!(body(&shown(&replay, "/web/20260601/http://a.example/orig")), "words");
    assert!(missing(&replay, "/web/2026/http://a.example/304").contains("not changed"));
}

#[test]
fn what_is_missing_says_why() {
    let (job, replay) =
        Job::new().response("http://a.example/", "20260101000000", &format!("{HTML}x")).written();
    assert!(missing(&replay, "/web/2026/http://nowhere.example/").contains("not captured"));
    fs::remove_file(job.path().join("20260105100000/warcs").join(format!("{FILE}.open"))).unwrap();
    assert!(missing(&replay, "/web/2026/http://a.example/").contains(FILE));
}

#[test]
fn damaged_files_are_no_panic() {
    let (job, replay) =
        Job::new().response("http://a.example/", "20260101000000", &format!("{HTML}x")).written();
    let path = job.path().join("20260105100000/warcs").join(format!("{FILE}.open"));
    for damage in [&b""[..], b"garbage", &job.warc[..20]] {
        fs::write(&path, damage).unwrap();
        missing(&replay, "/web/2026/http://a.example/");
    }
    let outside = job.cdxj.replace(FILE, "../../../etc/passwd");
    fs::write(job.path().join("index/cdxj/current.cdxj"), &outside[..]).unwrap();
    let replay = Replay::open(job.path());
    missing(&replay, "/web/2026/http://a.example/");
}

#[test]
fn sorted_index_files_count_as_well() {
    let job = Job::new().response("http://a.example/1", "20260101000000", &format!("{HTML}x")).response(
        "http://a.example/2",
        "20260101000000",
        &format!("{HTML}y"),
    );
    let (job, replay) = job.written();
    let folder = job.path().join("index/cdxj");
    fs::rename(folder.join("current.cdxj"), folder.join("20260105.cdxj")).unwrap();
    assert_eq!(body(&shown(&replay, "/web/2026/http://a.example/2")), "y");
}
