//! Reads pages out of a WARC file.

use std::io::{self, Read};

use extract::text;
use http1::ResponseHead;
use model::WallMs;
use robots::PageRobots;
use surt::CanonicalUrl;
use warc::{Algorithm, Hasher, HttpResponse, Problem, Reader, RecordHead, RecordType};

use crate::{Page, PageChange};

/// Bytes of a payload that are read, before and after decoding: as much as text is taken from.
const PAYLOAD_BYTES_MAX: usize = 8 << 20;

/// Which pages are taken.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageOptions {
    /// Take pages that ask not to be found (`noindex`) all the same.
    pub ignore_noindex: bool,
}

/// What was read.
#[derive(Debug, Default)]
pub struct ReadReport {
    /// The offset up to which the file was read: where to go on when it has grown.
    pub through: u64,
    /// Whole records that were read.
    pub n_records: u64,
    /// What is wrong with the file.
    pub problems: Vec<Problem>,
}

/// Reads the records of a WARC or ARC file whose stream stands at `from`, as far as they begin before `end`, and gives what
/// each means for the search index. Records after `end` may not be committed yet.
///
/// # Errors
/// When the stream cannot be read, or as `each` says.
pub fn read_pages(
    stream: impl Read,
    from: u64,
    end: Option<u64>,
    options: PageOptions,
    mut each: impl FnMut(PageChange) -> io::Result<()>,
) -> io::Result<ReadReport> {
    let mut reader = Reader::at(stream, from);
    let mut report = ReadReport { through: from, ..ReadReport::default() };
    while let Some(head) = reader.next_record()? {
        if end.is_some_and(|end| head.offset >= end) {
            break;
        }
        let change = if is_page(&head) { read_page(&head, &mut reader, options)? } else { None };
        let record_end = reader.end_record()?.expect("a record was begun");
        if !record_end.is_whole {
            // The file is still being written, or was cut: as the last record it is read again when there is more of it.
            continue;
        }
        report.n_records += 1;
        report.through = record_end.offset + record_end.length;
        if let Some(change) = change {
            each(change)?;
        }
    }
    report.problems = reader.take_problems();
    Ok(report)
}

/// Revisits are left out: the page they repeat is in the index, and a duplicate would not be shown.
fn is_page(head: &RecordHead) -> bool {
    head.record_type == RecordType::Response && head.is_http_response()
}

fn read_page<R: Read>(
    record: &RecordHead,
    reader: &mut Reader<R>,
    options: PageOptions,
) -> io::Result<Option<PageChange>> {
    let Some(url) = record.target_uri().and_then(|uri| CanonicalUrl::parse(&uri).ok()) else {
        return Ok(None);
    };
    let mut response = HttpResponse::read(reader.block())?;
    let Some(head) = response.head().cloned() else { return Ok(None) };
    let remove = PageChange::Remove { url: url.as_str().to_owned() };
    match head.status {
        200..=299 => {}
        // Moved for good or gone (F138). Other redirects and errors may pass: what was found stays.
        301 | 308 | 404 | 410 => return Ok(Some(remove)),
        _ => return Ok(None),
    }
    let content_type = head.header_text("content-type").unwrap_or_default();
    let mime = content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    if !may_have_text(&mime) {
        return Ok(None);
    }
    let mut hasher = Hasher::new(Algorithm::Sha1);
    let mut payload = Vec::new();
    while let Some(piece) = response.next_piece()? {
        hasher.update(piece.payload);
        let room = PAYLOAD_BYTES_MAX - payload.len();
        payload.extend_from_slice(&piece.payload[..piece.payload.len().min(room)]);
    }
    let coding = head.header_text("content-encoding").unwrap_or_default();
    let decoded = http1::coding::decode(&coding, &payload, PAYLOAD_BYTES_MAX).bytes;
    let words = text::document_of(&url, &content_type, &decoded);
    if (words.robots_meta.noindex || header_forbids(&head)) && !options.ignore_noindex {
        return Ok(Some(remove));
    }
    if words.title.is_empty() && words.text.is_empty() {
        return Ok(None);
    }
    Ok(Some(PageChange::Put(Page {
        url: url.as_str().to_owned(),
        title: words.title,
        text: words.text,
        host: url.host().unwrap_or("").to_owned(),
        date: record.date_digits14().and_then(|digits| WallMs::from_digits(&digits)).unwrap_or_default(),
        digest: format!("sha1:{}", warc::base32(&hasher.finish())),
        mime,
        offset: record.offset,
    })))
}

/// Media types that text is taken from; an absent one is sniffed by the extractor.
fn may_have_text(mime: &str) -> bool {
    mime.is_empty() || mime.starts_with("text/") || mime.contains("html")
}

fn header_forbids(head: &ResponseHead) -> bool {
    head.headers_named("x-robots-tag")
        .any(|value| PageRobots::of_header(&String::from_utf8_lossy(value), "*").noindex)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warc::{HeadWriter, TRAILER};

    fn push(file: &mut Vec<u8>, kind: &RecordType, url: &str, block: &[u8]) {
        HeadWriter::begin(file, kind, Some(url), "2026-01-05T10:00:07Z").finish(
            &[7; 16],
            Some("application/http;msgtype=response"),
            block.len() as u64,
        );
        file.extend_from_slice(block);
        file.extend_from_slice(TRAILER);
    }

    fn changes(file: &[u8], options: PageOptions) -> (Vec<PageChange>, ReadReport) {
        let mut changes = Vec::new();
        let report = read_pages(file, 0, None, options, |change| {
            changes.push(change);
            Ok(())
        });
        (changes, report.unwrap())
    }

    fn check(response: &str, expected: &str) {
        let mut file = Vec::new();
        push(&mut file, &RecordType::Response, "http://a.example/x", response.as_bytes());
        let (changes, _) = changes(&file, PageOptions::default());
        let shown: Vec<String> = changes
            .into_iter()
            .map(|change| match change {
                PageChange::Put(page) => format!("{}: {}", page.title, page.text),
                PageChange::Remove { .. } => "removed".to_owned(),
            })
            .collect();
        assert_eq!(shown.join("|"), expected, "{response}");
    }

    const PAGE: &str = "<title>T</title><p>Hello <b>there</b></p>";

    #[test]
    fn pages() {
        let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n";
        check(&format!("{html}\r\n{PAGE}"), "T: Hello there");
        check(
            &format!("{html}Transfer-Encoding: chunked\r\n\r\n29\r\n{PAGE}\r\n0\r\n\r\n"),
            "T: Hello there",
        );
        check("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nplain  words", ": plain words");
        check("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nplain", "");
        check(&format!("{html}\r\n"), "");
    }

    #[test]
    fn what_went_is_removed() {
        for status in ["301 Moved", "308 Moved", "404 Not Found", "410 Gone"] {
            check(&format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n{PAGE}"), "removed");
        }
        for status in ["302 Found", "500 Error", "403 No"] {
            check(&format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n{PAGE}"), "");
        }
        check(
            &format!("HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nContent-Type: text/html\r\n\r\n{PAGE}"),
            "removed",
        );
        let asks = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<meta name=robots content=noindex><p>x";
        check(asks, "removed");
        let mut file = Vec::new();
        push(&mut file, &RecordType::Response, "http://a.example/x", asks.as_bytes());
        assert!(matches!(&changes(&file, PageOptions { ignore_noindex: true }).0[..], [PageChange::Put(_)]));
    }

    #[test]
    fn goes_on_where_it_stopped() {
        let page = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{PAGE}");
        let mut file = Vec::new();
        push(&mut file, &RecordType::Response, "http://a.example/1", page.as_bytes());
        let one = file.len();
        push(&mut file, &RecordType::Request, "http://a.example/1", b"GET / HTTP/1.1\r\n\r\n");
        let two = file.len();
        push(&mut file, &RecordType::Response, "http://a.example/2", page.as_bytes());

        let (found, report) = changes(&file[..two + 60], PageOptions::default());
        assert_eq!((found.len(), report.n_records), (1, 2));
        let rest = read_pages(
            &file[report.through as usize..],
            report.through,
            None,
            PageOptions::default(),
            |change| {
                assert!(
                    matches!(change, PageChange::Put(page) if page.url == "http://a.example/2" && page.offset == two as u64)
                );
                Ok(())
            },
        );
        assert!(rest.unwrap().through <= file.len() as u64);
        let limited = read_pages(&file[..], 0, Some(one as u64), PageOptions::default(), |_| Ok(())).unwrap();
        assert_eq!(limited.n_records, 1);
    }

    #[test]
    fn what_is_no_warc_gives_nothing() {
        assert!(changes(b"not a WARC at all", PageOptions::default()).0.is_empty());
        assert!(changes(b"", PageOptions::default()).0.is_empty());
    }
}
