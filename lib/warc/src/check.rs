//! Checks files: structure, lengths, digests.
//!
//! The payload of a response is its body after the transfer coding and before the content coding (WARC 1.1, 6.3.2). Some
//! writers hash the chunk framing with it; that is said, not counted as an error.

use std::io::{self, BufRead, Read};

use crate::digest::{Algorithm, Declared, Hasher};
use crate::head::Format;
use crate::message::HttpResponse;
use crate::problem::{Problem, Severity};
use crate::{Reader, RecordEnd, RecordHead, RecordType};

/// What was found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Records read.
    pub n_records: u64,
    /// Digests that were computed and match.
    pub n_digests_right: u64,
    /// Payload digests that match only with the chunk framing hashed.
    pub n_digests_of_framing: u64,
    /// What is wrong, by offset.
    pub problems: Vec<Problem>,
    /// Problems beyond [`crate::PROBLEMS_MAX`].
    pub n_problems_dropped: u64,
}

impl Report {
    /// True if there is no error (warnings may be).
    pub fn is_ok(&self) -> bool {
        self.n_problems_dropped == 0 && self.problems.iter().all(|problem| problem.severity < Severity::Error)
    }
}

/// Reads a whole file and checks it. `each` sees every record with its end, in order.
///
/// # Errors
/// When the stream cannot be read.
pub fn check<R: Read>(stream: R, mut each: impl FnMut(&RecordHead, &RecordEnd)) -> io::Result<Report> {
    let mut reader = Reader::new(stream);
    let mut report = Report::default();
    while let Some(head) = reader.next_record()? {
        report.n_records += 1;
        check_head(&head, &mut report);
        let verdicts = check_digests(&head, &mut reader, &mut report)?;
        let end = reader.end_record()?.expect("a record was begun");
        for verdict in verdicts {
            verdict.enter(&head, &end, &mut report);
        }
        report.problems.append(&mut reader.take_problems());
        if report.problems.len() > crate::PROBLEMS_MAX {
            report.n_problems_dropped += (report.problems.len() - crate::PROBLEMS_MAX) as u64;
            report.problems.truncate(crate::PROBLEMS_MAX);
        }
        each(&head, &end);
    }
    report.problems.append(&mut reader.take_problems());
    report.n_problems_dropped += reader.n_problems_dropped();
    report.problems.sort_by_key(|problem| problem.offset);
    Ok(report)
}

fn check_head(head: &RecordHead, report: &mut Report) {
    let mut push = |severity, message: String| {
        report.problems.push(Problem { offset: head.offset, severity, message });
    };
    if head.format == Format::Arc {
        if head.content_length.is_none() {
            push(Severity::Error, "length of the ARC record is no number".to_owned());
        }
        if head.date_digits14().is_none() {
            push(Severity::Warning, "date of the ARC record is none".to_owned());
        }
        return;
    }
    // WARC 1.1, 5: mandatory fields.
    for name in ["WARC-Type", "WARC-Record-ID", "WARC-Date"] {
        if head.headers.get(name).is_none() {
            push(Severity::Error, format!("no {name}"));
        }
    }
    if let Some(date) = head.date().filter(|_| head.date_digits14().is_none()) {
        push(Severity::Error, format!("WARC-Date is no date: {date}"));
    }
    if head.record_type.needs_target_uri() && head.target_uri().is_none() {
        push(Severity::Error, "no WARC-Target-URI".to_owned());
    }
    if head.record_type == RecordType::Revisit && head.headers.get("WARC-Profile").is_none() {
        push(Severity::Error, "revisit without WARC-Profile".to_owned());
    }
    // WARC 1.1, 4: no field repeats but these (the last by practice).
    let may_repeat = ["WARC-Concurrent-To", "WARC-Protocol"];
    let mut seen: Vec<&str> = Vec::new();
    for (name, _) in head.headers.iter().filter(|(name, _)| name.len() > 5) {
        let is_warc = name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("WARC-"));
        if is_warc && !may_repeat.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            if seen.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                push(Severity::Warning, format!("{name} stands there twice"));
            } else if seen.len() < 64 {
                seen.push(name);
            }
        }
    }
}

/// A digest, computed.
struct Verdict {
    field: &'static str,
    declared: String,
    is_right: bool,
    is_right_with_framing: bool,
}

impl Verdict {
    fn enter(self, head: &RecordHead, end: &RecordEnd, report: &mut Report) {
        if self.is_right {
            report.n_digests_right += 1;
            return;
        }
        let (severity, message) = if self.is_right_with_framing {
            report.n_digests_of_framing += 1;
            (Severity::Warning, format!("{} is that of the framed bytes: {}", self.field, self.declared))
        } else if !end.is_whole {
            (Severity::Warning, format!("{} cannot be checked: the record is not whole", self.field))
        } else {
            (Severity::Error, format!("{} does not match: {}", self.field, self.declared))
        };
        report.problems.push(Problem { offset: head.offset, severity, message });
    }
}

fn check_digests<R: Read>(
    head: &RecordHead,
    reader: &mut Reader<R>,
    report: &mut Report,
) -> io::Result<Vec<Verdict>> {
    let declared = |name: &'static str| {
        let declared = Declared::parse(head.headers.get(name)?);
        Some((declared.algorithm?, declared))
    };
    let block = declared("WARC-Block-Digest");
    // The payload of a revisit lies elsewhere; only a whole message has one (a segment has not).
    let payload = declared("WARC-Payload-Digest").filter(|_| {
        head.record_type != RecordType::Revisit
            && head.record_type != RecordType::Continuation
            && head.headers.get("WARC-Segment-Number").is_none()
    });
    let block_hasher = block.as_ref().map(|(algorithm, _)| Hasher::new(*algorithm));
    let mut tee = Tee { inner: reader.block(), hasher: block_hasher };
    let mut verdicts = Vec::new();
    if payload.is_some() || head.is_http_response() || head.is_http_request() {
        let algorithm = payload.as_ref().map_or(Algorithm::Sha1, |(algorithm, _)| *algorithm);
        let (plain, framed, has_head) = hash_payload(head, &mut tee, Hasher::new(algorithm))?;
        if !has_head {
            let message = "the HTTP head in the block has no end".to_owned();
            report.problems.push(Problem { offset: head.offset, severity: Severity::Warning, message });
        }
        if let Some((_, declared)) = payload {
            verdicts.push(Verdict {
                field: "WARC-Payload-Digest",
                is_right: declared.is(&plain),
                is_right_with_framing: framed.is_some_and(|framed| declared.is(&framed)),
                declared: declared.text,
            });
        }
    }
    tee.read_on()?;
    if let (Some((_, declared)), Some(hasher)) = (block, tee.hasher) {
        let is_right = declared.is(&hasher.finish());
        verdicts.push(Verdict {
            field: "WARC-Block-Digest",
            is_right,
            is_right_with_framing: false,
            declared: declared.text,
        });
    }
    Ok(verdicts)
}

/// The hash of the payload; if there is framing, that of the framed bytes; whether the message has a whole head.
fn hash_payload(
    head: &RecordHead,
    block: &mut impl BufRead,
    hasher: Hasher,
) -> io::Result<(Vec<u8>, Option<Vec<u8>>, bool)> {
    let (mut plain, mut framed) = (hasher.clone(), hasher);
    if head.is_http_response() {
        let mut response = HttpResponse::read(block)?;
        let is_chunked = response.is_chunked();
        while let Some(piece) = response.next_piece()? {
            plain.update(piece.payload);
            framed.update(piece.body);
        }
        let has_head = response.head().is_some() && !response.is_head_cut();
        return Ok((plain.finish(), is_chunked.then(|| framed.finish()), has_head));
    }
    let mut is_in_head = head.is_http_request();
    let mut tail = [0u8; 4];
    loop {
        let bytes = block.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        let mut n = bytes.len();
        if is_in_head {
            // Byte by byte: request heads are short.
            n = 0;
            for byte in bytes {
                n += 1;
                tail = [tail[1], tail[2], tail[3], *byte];
                if tail == *b"\r\n\r\n" || tail[2..] == *b"\n\n" {
                    is_in_head = false;
                    break;
                }
            }
        } else {
            plain.update(bytes);
        }
        block.consume(n);
    }
    Ok((plain.finish(), None, !is_in_head))
}

/// Hashes what is read.
struct Tee<B> {
    inner: B,
    hasher: Option<Hasher>,
}

impl<B: BufRead> Tee<B> {
    fn read_on(&mut self) -> io::Result<()> {
        loop {
            let n = self.fill_buf()?.len();
            if n == 0 {
                return Ok(());
            }
            self.consume(n);
        }
    }
}

impl<B: BufRead> Read for Tee<B> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.fill_buf()?;
        let n = bytes.len().min(buffer.len());
        buffer[..n].copy_from_slice(&bytes[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl<B: BufRead> BufRead for Tee<B> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        if let Some(hasher) = &mut self.hasher {
            // What is consumed was just filled, so this reads nothing new.
            if let Ok(bytes) = self.inner.fill_buf() {
                hasher.update(&bytes[..n]);
            }
        }
        self.inner.consume(n);
    }
}
