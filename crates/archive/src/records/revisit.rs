//! `revisit` records: the payload is that of an earlier capture (WARC 1.1, 6.7.2). The block is the response head alone;
//! the earlier capture is named by URI and date, which every index can look up, and by its id.

use std::borrow::Cow;

use bytes::Bytes;
use model::{EarlierCapture, Exchange};
use warc::{RecordId, RecordType};

use super::{RecordMaker, wire_headers};
use crate::{Block, Draft, Task};

/// `WARC-Profile` of a revisit with the same payload digest.
pub const IDENTICAL_PAYLOAD_PROFILE: &str =
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/// A response whose payload was captured before.
pub struct Revisit;

impl RecordMaker for Revisit {
    fn name(&self) -> &'static str {
        "revisit"
    }

    fn draft(&self, task: &Task<'_>) -> Option<Draft> {
        let earlier = task.earlier.filter(|_| task.exchange.url.is_http())?;
        Some(RevisitParts::new(task.exchange).draft(earlier))
    }
}

/// What a revisit record is made of, kept beside a prepared response that may still become one. Small.
#[derive(Debug, Clone)]
pub struct RevisitParts {
    response_head: Bytes,
    headers: Vec<(&'static str, Cow<'static, str>)>,
}

impl RevisitParts {
    /// Takes what is needed out of an exchange.
    pub fn new(exchange: &Exchange) -> RevisitParts {
        let mut draft = Draft::new(RecordType::Revisit, "", Block::of(Bytes::new()));
        draft.header("WARC-Payload-Digest", exchange.payload_digest.to_string());
        wire_headers(&mut draft, exchange);
        RevisitParts { response_head: exchange.response_head.clone(), headers: draft.headers }
    }

    /// The record.
    pub fn draft(&self, earlier: &EarlierCapture) -> Draft {
        let block = Block::of(self.response_head.clone());
        let mut draft = Draft::new(RecordType::Revisit, "application/http; msgtype=response", block);
        draft.header("WARC-Profile", IDENTICAL_PAYLOAD_PROFILE);
        draft.header("WARC-Refers-To-Target-URI", earlier.url.as_str().to_owned());
        draft.header("WARC-Refers-To-Date", earlier.date.iso_seconds());
        draft.header("WARC-Refers-To", RecordId(earlier.record_id).to_string());
        draft.headers.extend(self.headers.iter().cloned());
        // The block ends after the head on purpose (WARC 1.1, 6.7.2 recommends to say so).
        draft.header("WARC-Truncated", "length");
        draft
    }
}
