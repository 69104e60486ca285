//! The lines of a WARC or ARC file: what pywb's indexer gives.
//!
//! Responses, revisits, resources, conversions, and metadata other than `application/warc-fields`. Left out: requests,
//! `dns:` (nobody asks an index for them), and records that share a compressed member, since none can be read at its
//! offset.

use std::io::{self, BufRead, Read};

use warc::{Algorithm, Hasher, HttpResponse, Problem, Reader, RecordHead, RecordType};

use crate::CdxLine;

/// Reads a file and gives its lines in the order of the file, and what is wrong with it. `filename` goes into the lines.
///
/// # Errors
/// When the stream cannot be read, or as `each` says.
pub fn lines_of_warc(
    stream: impl Read,
    filename: &str,
    mut each: impl FnMut(CdxLine) -> io::Result<()>,
) -> io::Result<Vec<Problem>> {
    let mut reader = Reader::new(stream);
    while let Some(head) = reader.next_record()? {
        let Some(mut line) = begin_line(&head, filename) else { continue };
        read_block(&head, &mut reader, &mut line)?;
        let end = reader.end_record()?.expect("a record was begun");
        line.length = Some(end.length);
        if end.is_alone {
            each(line)?;
        }
    }
    Ok(reader.take_problems())
}

/// What the record's own head says; `None` if it is not indexed.
fn begin_line(head: &RecordHead, filename: &str) -> Option<CdxLine> {
    let is_indexed = match &head.record_type {
        RecordType::Response | RecordType::Revisit | RecordType::Resource | RecordType::Conversion => true,
        RecordType::Metadata => head.content_type() != warc::WARC_FIELDS,
        _ => false,
    };
    let url = head.target_uri()?;
    if !is_indexed || url.starts_with("dns:") {
        return None;
    }
    Some(CdxLine {
        key: CdxLine::key_of(&url),
        timestamp: head.date_digits14()?,
        mime: Some(match head.record_type {
            RecordType::Revisit => "warc/revisit".to_owned(),
            _ => some_or_unknown(head.content_type()),
        }),
        digest: head.headers.get("WARC-Payload-Digest").map(|digest| digest.trim().to_owned()),
        url: url.into_owned(),
        offset: head.offset,
        filename: filename.to_owned(),
        ..CdxLine::default()
    })
}

fn some_or_unknown(mime: String) -> String {
    if mime.is_empty() { "unk".to_owned() } else { mime }
}

/// Status and media type out of the message; the digest where none is declared.
fn read_block<R: Read>(head: &RecordHead, reader: &mut Reader<R>, line: &mut CdxLine) -> io::Result<()> {
    // The digest of a revisit is that of the other record: it cannot be computed here.
    let mut hasher = match head.record_type {
        RecordType::Revisit => None,
        _ => line.digest.is_none().then(|| Hasher::new(Algorithm::Sha1)),
    };
    if head.is_http_response() {
        let mut response = HttpResponse::read(reader.block())?;
        if let Some(message) = response.head().filter(|_| !response.raw_head().is_empty()) {
            line.status = Some(message.status);
            if head.record_type != RecordType::Revisit {
                let value = message.header_text("content-type").unwrap_or_default();
                line.mime = Some(some_or_unknown(value.split(';').next().unwrap_or("").trim().to_owned()));
            }
        }
        if let Some(hasher) = &mut hasher {
            while let Some(piece) = response.next_piece()? {
                hasher.update(piece.payload);
            }
        }
    } else if let Some(hasher) = &mut hasher {
        let mut block = reader.block();
        loop {
            let bytes = block.fill_buf()?;
            if bytes.is_empty() {
                break;
            }
            hasher.update(bytes);
            let n = bytes.len();
            block.consume(n);
        }
    }
    if let Some(hasher) = hasher {
        line.digest = Some(format!("sha1:{}", warc::base32(&hasher.finish())));
    }
    Ok(())
}
