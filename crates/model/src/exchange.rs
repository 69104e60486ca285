//! One request and its response, as the bytes went over the wire.

use std::fmt;
use std::net::SocketAddr;

use bytes::Bytes;
use http1::ResponseHead;
use serde::{Deserialize, Serialize};
use surt::CanonicalUrl;

use crate::{Body, FetchStatus, WallMs};

/// A SHA-1 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest(pub [u8; 20]);

impl fmt::Display for Digest {
    /// `sha1:` and 32 letters of base32 (RFC 4648, upper case), as WARC headers and crawl.log carry it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        f.write_str("sha1:")?;
        for five in self.0.chunks_exact(5) {
            let group = five.iter().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
            for place in (0..8).rev() {
                write!(f, "{}", ALPHABET[(group >> (place * 5) & 31) as usize] as char)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a response ends before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Truncation {
    /// A limit on length was reached (`WARC-Truncated: length`, annotation `lenTrunc`).
    Length,
    /// A limit on time was reached (`time`, `timeTrunc`).
    Time,
    /// The header block was too long (`length`, annotation `headerTrunc`).
    LongHeaders,
    /// The connection ended too early (`disconnect`).
    Disconnect,
}

impl Truncation {
    /// The value of `WARC-Truncated` (WARC 1.1, 5.13).
    pub fn warc_value(self) -> &'static str {
        match self {
            Truncation::Length | Truncation::LongHeaders => "length",
            Truncation::Time => "time",
            Truncation::Disconnect => "disconnect",
        }
    }

    /// The annotation in crawl.log (the last one is ours: Heritrix is silent about cut bodies).
    pub fn annotation(self) -> &'static str {
        match self {
            Truncation::Length => "lenTrunc",
            Truncation::Time => "timeTrunc",
            Truncation::LongHeaders => "headerTrunc",
            Truncation::Disconnect => "disconnectTrunc",
        }
    }
}

/// What was seen of a TLS connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsInfo {
    /// `tls/1.3` and the like, as `WARC-Protocol` carries it.
    pub protocol: String,
    /// IANA name of the cipher suite.
    pub cipher_suite: String,
    /// What a browser would have complained about: `self-signed`, `wrong-name`, `expired`, …
    pub problems: Vec<String>,
}

/// One request and its response. For `dns:` URLs the response is the text of the answer and there is no request.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// What was requested.
    pub url: CanonicalUrl,
    /// HTTP status, or [`FetchStatus::DNS_SUCCESS`].
    pub status: FetchStatus,
    /// Request head (and body) as sent; empty for DNS.
    pub request: Bytes,
    /// Response head as received, with any 1xx heads before it, the blank line included; empty for DNS and HTTP/0.9.
    pub response_head: Bytes,
    /// What was read out of the last response head; `None` for DNS.
    pub head: Option<ResponseHead>,
    /// Everything after the head as received: chunk framing and content coding untouched.
    pub raw_body: Body,
    /// The payload: `raw_body` without transfer coding; shares its bytes when there was none.
    pub payload: Body,
    /// SHA-1 of `response_head` followed by `raw_body`: the WARC block digest.
    pub block_digest: Digest,
    /// SHA-1 of `payload`.
    pub payload_digest: Digest,
    /// The server (for DNS: the resolver) that really answered.
    pub address: Option<SocketAddr>,
    /// Calendar time at which the request began: WARC-Date.
    pub started: WallMs,
    /// From `started` to the last byte, milliseconds.
    pub duration_ms: u64,
    /// Set if the response is not whole.
    pub truncated: Option<Truncation>,
    /// `http/1.1`, `http/1.0`, `http/0.9`, `dns`: first `WARC-Protocol`.
    pub protocol: &'static str,
    /// Of an https connection.
    pub tls: Option<TlsInfo>,
    /// For crawl.log: anything odd about the fetch.
    pub annotations: Vec<String>,
}

impl Exchange {
    /// The first header of that name (ASCII case ignored), blanks trimmed, Latin-1 read as such.
    pub fn header(&self, name: &str) -> Option<String> {
        self.head.as_ref()?.header_text(name)
    }

    /// Media type of the Content-Type header in lower case, cut at the first `;`, `,` or blank; `None` without header.
    pub fn media_type(&self) -> Option<String> {
        if self.url.scheme() == "dns" {
            return Some("text/dns".to_owned());
        }
        let value = self.header("content-type")?;
        let end = value.find([';', ',', ' ', '\t']).unwrap_or(value.len());
        Some(value[..end].to_ascii_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_text() {
        // SHA-1 of nothing.
        let empty = [
            0xda, 0x39, 0xa3, 0xee, 0x5e, 0x6b, 0x4b, 0x0d, 0x32, 0x55, 0xbf, 0xef, 0x95, 0x60, 0x18, 0x90,
            0xaf, 0xd8, 0x07, 0x09,
        ];
        assert_eq!(Digest(empty).to_string(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    }
}
