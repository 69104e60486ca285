//! Exchanges to archive, and a world to do it in.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses a part, and may fail anywhere")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use archive::{ArchiveOptions, Prepared, RecordBuilder, WarcNames, WarcWriter};
use bytes::Bytes;
use http1::{Header, ResponseHead, Version};
use model::world::{Chance, Clock, Disk};
use model::{
    Body, Candidate, Digest, EarlierCapture, Exchange, Extraction, FetchItem, FetchStatus, History, Hop,
    MonoMs, Ordinal, Outlink, TlsInfo, WallMs,
};
use sha1::{Digest as _, Sha1};
use surt::CanonicalUrl;

/// 2026-01-05T10:00:07.412Z.
pub const STARTED: WallMs = WallMs(1_767_607_207_412);

pub fn sha1_of(parts: &[&[u8]]) -> Digest {
    let mut sha1 = Sha1::new();
    parts.iter().for_each(|part| sha1.update(part));
    Digest(sha1.finalize().into())
}

/// A 200 answer.
pub fn exchange(url: &str, media_type: &str, body: &[u8]) -> Exchange {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n");
    let url = CanonicalUrl::parse(url).unwrap();
    let body = Bytes::copy_from_slice(body);
    Exchange {
        request: format!("GET {} HTTP/1.1\r\nHost: example.org\r\n\r\n", url.path_and_query()).into(),
        block_digest: sha1_of(&[head.as_bytes(), &body]),
        payload_digest: sha1_of(&[&body]),
        response_head: head.into(),
        head: Some(ResponseHead {
            version: Version::Http11,
            status: 200,
            reason: b"OK".to_vec(),
            headers: vec![Header { name: b"Content-Type".to_vec(), value: media_type.as_bytes().to_vec() }],
        }),
        raw_body: Body::Memory(body.clone()),
        payload: Body::Memory(body),
        status: FetchStatus(200),
        address: Some("192.0.2.7:443".parse().unwrap()),
        started: STARTED,
        duration_ms: 12,
        truncated: None,
        protocol: "http/1.1",
        tls: None,
        annotations: Vec::new(),
        url,
    }
}

/// The same over TLS.
pub fn over_tls(mut exchange: Exchange) -> Exchange {
    exchange.tls = Some(TlsInfo {
        protocol: "tls/1.3".to_owned(),
        cipher_suite: "TLS_AES_128_GCM_SHA256".to_owned(),
        problems: vec!["self-signed".to_owned()],
    });
    exchange
}

pub fn dns(host: &str) -> Exchange {
    let text = format!("20260105100007\n{host}.\t300\tIN\tA\t192.0.2.7\n");
    Exchange {
        url: CanonicalUrl::parse(&format!("dns:{host}")).unwrap(),
        status: FetchStatus::DNS_SUCCESS,
        request: Bytes::new(),
        response_head: Bytes::new(),
        head: None,
        block_digest: sha1_of(&[text.as_bytes()]),
        payload_digest: sha1_of(&[text.as_bytes()]),
        raw_body: Body::Memory(text.clone().into()),
        payload: Body::Memory(text.into()),
        address: Some("192.0.2.53:53".parse().unwrap()),
        protocol: "dns",
        ..exchange("http://x/", "x/x", b"")
    }
}

pub fn item(url: &CanonicalUrl) -> FetchItem {
    FetchItem {
        ordinal: Ordinal(1),
        candidate: Candidate::seed(url.clone()),
        queue_key: "org,example".to_owned(),
        attempt: 1,
        history: History::default(),
    }
}

pub fn extraction() -> Extraction {
    Extraction {
        outlinks: vec![Outlink {
            url: CanonicalUrl::parse("http://example.org/next").unwrap(),
            hop: Hop::Navlink,
            context: "a/@href".into(),
            is_sitemap: false,
        }],
        charset: Some("UTF-8".to_owned()),
        annotations: vec!["usingCharsetInHTML:UTF-8".to_owned()],
        ..Extraction::default()
    }
}

/// Counts up: ids differ, runs do not.
pub struct CountingChance(pub AtomicU64);

impl Chance for CountingChance {
    fn bits(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// Stands still.
pub struct StillClock;

impl Clock for StillClock {
    fn wall(&self) -> WallMs {
        STARTED
    }

    fn mono(&self) -> MonoMs {
        MonoMs(0)
    }
}

pub fn options(dir: impl Into<PathBuf>) -> ArchiveOptions {
    ArchiveOptions { pid: 42, hostname: "crawler".to_owned(), port: 8443, ..ArchiveOptions::new(dir) }
}

/// All that is needed to archive.
pub struct Archive {
    pub builder: RecordBuilder,
    pub writer: WarcWriter,
    pub chance: Arc<CountingChance>,
}

impl Archive {
    pub fn new(options: ArchiveOptions, disk: Arc<dyn Disk>) -> Archive {
        Archive::with_serial(options, disk, 0)
    }

    pub fn with_serial(options: ArchiveOptions, disk: Arc<dyn Disk>, serial: u64) -> Archive {
        let options = Arc::new(options);
        let chance = Arc::new(CountingChance(AtomicU64::new(1)));
        let names = WarcNames::new(&options, serial).unwrap();
        let writer = WarcWriter::new(options.clone(), names, disk, Arc::new(StillClock), chance.clone());
        Archive { builder: RecordBuilder::new(options), writer, chance }
    }

    pub fn prepare(&self, exchange: &Exchange, earlier: Option<&EarlierCapture>) -> Prepared {
        let item = item(&exchange.url);
        let new_id = || self.chance.uuid();
        self.builder.prepare(exchange, &extraction(), &item, new_id, earlier).unwrap().expect("records")
    }
}
