//! The CDXJ line of a capture.

use cdxj::CdxLine;
use model::{Capture, CaptureKind, FetchStatus};
use surt::CanonicalUrl;

/// The line of a capture that was just committed, with its line end: the same as an indexer would later make of the record.
/// `status` is that of the response; Heritrix's own codes are left out.
pub fn cdxj_line(url: &CanonicalUrl, status: FetchStatus, capture: &Capture) -> String {
    let mime = match capture.kind {
        CaptureKind::Revisit => "warc/revisit",
        _ if capture.mime.is_empty() => "unk",
        _ => &capture.mime,
    };
    let line = CdxLine {
        key: CdxLine::key_of(url.as_str()),
        timestamp: capture.date.digits14(),
        url: url.as_str().to_owned(),
        mime: Some(mime.to_owned()),
        status: u16::try_from(status.0).ok().filter(|code| *code >= 100),
        digest: Some(capture.payload_digest.to_string()),
        length: Some(capture.place.length),
        offset: capture.place.offset,
        filename: capture.place.file.to_string(),
        more: Vec::new(),
    };
    let mut text = String::with_capacity(300);
    line.write_cdxj(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Digest, RecordPlace, WallMs};

    fn capture(kind: CaptureKind, mime: &str) -> Capture {
        Capture {
            kind,
            place: RecordPlace { file: "crawl-00000.warc.gz".into(), offset: 99, length: 1234, crc32c: 0 },
            payload_digest: Digest([0; 20]),
            record_id: [0; 16],
            date: WallMs(1_767_607_207_412),
            mime: mime.to_owned(),
            concurrent: Vec::new(),
        }
    }

    fn check(kind: CaptureKind, mime: &str, status: i32, expected: &str) {
        let url = CanonicalUrl::parse("https://www.example.org/A?b").unwrap();
        let digest = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let expected = format!(
            "org,example)/a?b 20260105100007 {{\"url\": \"https://www.example.org/A?b\", {expected}, \"digest\": \"{digest}\", \
             \"length\": \"1234\", \"offset\": \"99\", \"filename\": \"crawl-00000.warc.gz\"}}\n"
        );
        assert_eq!(cdxj_line(&url, FetchStatus(status), &capture(kind, mime)), expected);
    }

    #[test]
    fn lines() {
        check(CaptureKind::Response, "text/html", 200, "\"mime\": \"text/html\", \"status\": \"200\"");
        check(CaptureKind::Revisit, "text/html", 200, "\"mime\": \"warc/revisit\", \"status\": \"200\"");
        check(CaptureKind::Response, "", 404, "\"mime\": \"unk\", \"status\": \"404\"");
        check(CaptureKind::Resource, "text/dns", 1, "\"mime\": \"text/dns\"");
    }
}
