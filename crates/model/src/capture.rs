//! A record in a WARC file.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use surt::CanonicalUrl;

use crate::{Digest, WallMs};

/// Where a record lies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordPlace {
    /// Name of the WARC file, without folder and without `.open`.
    pub file: Arc<str>,
    /// First byte of the record (of its gzip member).
    pub offset: u64,
    /// Bytes in the file.
    pub length: u64,
    /// CRC-32C of these bytes.
    pub crc32c: u32,
}

/// What kind of record holds the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CaptureKind {
    /// The whole response.
    Response,
    /// The payload is that of an earlier capture.
    Revisit,
    /// Not an HTTP message: DNS.
    Resource,
}

/// The capture of a URL: what CDXJ, crawl db and logs need to know of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// Response, revisit or resource.
    pub kind: CaptureKind,
    /// The record itself.
    pub place: RecordPlace,
    /// Of the payload.
    pub payload_digest: Digest,
    /// WARC-Record-ID, the UUID's 16 bytes.
    pub record_id: [u8; 16],
    /// WARC-Date.
    pub date: WallMs,
    /// Media type for CDXJ; for revisits that of the response head.
    pub mime: String,
    /// Records of the same group after the first: request, metadata.
    pub concurrent: Vec<RecordPlace>,
}

/// A capture that a revisit can refer to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierCapture {
    /// What was captured.
    pub url: CanonicalUrl,
    /// Its WARC-Date.
    pub date: WallMs,
    /// Its WARC-Record-ID.
    pub record_id: [u8; 16],
}
