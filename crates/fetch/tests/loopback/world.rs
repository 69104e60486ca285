//! The real clock, disk and sockets, and names from a table.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bequest_fetch::{FetchOptions, Fetcher};
use model::world::{
    BoxFuture, DnsAnswer, DnsFailure, InlineWork, Network, OsChance, StdDisk, Stream, SystemClock, World,
};
use model::{
    Candidate, Exchange, FetchItem, Fetched, History, HopPath, HostFacts, Ordinal, RobotsFact, RobotsRules,
    WallMs,
};
use surt::CanonicalUrl;
use tokio::net::TcpStream;

/// Sockets of the machine; names as the test says.
#[derive(Default)]
pub(crate) struct TestNetwork {
    pub(crate) names: Mutex<HashMap<String, Result<DnsAnswer, DnsFailure>>>,
    pub(crate) connections: AtomicUsize,
}

impl Network for TestNetwork {
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        self.connections.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }

    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<DnsAnswer, DnsFailure>> {
        let answer = self.names.lock().unwrap().get(host).cloned();
        Box::pin(async move { answer.unwrap_or_else(|| Err(DnsFailure::NoSuchName("NXDOMAIN".to_owned()))) })
    }
}

/// A fetcher in a world of its own.
pub(crate) struct Lab {
    pub(crate) fetcher: Fetcher,
    pub(crate) network: Arc<TestNetwork>,
    pub(crate) folder: tempfile::TempDir,
}

impl Lab {
    pub(crate) fn new(change: impl FnOnce(&mut FetchOptions)) -> Lab {
        let network = Arc::new(TestNetwork::default());
        let folder = tempfile::tempdir().unwrap();
        let world = World {
            clock: Arc::new(SystemClock::new()),
            chance: Arc::new(OsChance),
            network: network.clone(),
            disk: Arc::new(StdDisk),
            work: Arc::new(InlineWork),
        };
        let mut options = FetchOptions { so_timeout_ms: 2000, ..FetchOptions::default() };
        change(&mut options);
        let fetcher = Fetcher::new(world, options, folder.path().join("scratch"));
        fetcher.name_host("127.0.0.1");
        Lab { fetcher, network, folder }
    }

    /// Fetches a URL whose robots.txt allows all.
    pub(crate) async fn fetch(&self, url: &str) -> Fetched {
        self.fetcher.fetch(&item(url), &allowing()).await
    }

    /// Files in the scratch folder.
    pub(crate) fn scratch_files(&self) -> usize {
        let folder: &Path = &self.folder.path().join("scratch");
        std::fs::read_dir(folder).map_or(0, |entries| entries.count())
    }
}

pub(crate) fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

pub(crate) fn item(text: &str) -> FetchItem {
    FetchItem {
        ordinal: Ordinal(1),
        candidate: Candidate::seed(url(text)),
        queue_key: "q".to_owned(),
        attempt: 1,
        history: History::default(),
    }
}

pub(crate) fn prerequisite(text: &str) -> FetchItem {
    let mut item = item(text);
    item.candidate.hop_path = HopPath::parse("P").unwrap();
    item
}

pub(crate) const LATER: WallMs = WallMs(u64::MAX);

pub(crate) fn allowing() -> HostFacts {
    HostFacts { dns: None, robots: Some(RobotsFact { rules: RobotsRules::AllowAll, expires: LATER }) }
}

/// The exchange of a fetch that must have given one.
pub(crate) fn exchange(fetched: Fetched) -> Exchange {
    match fetched {
        Fetched::Exchange { exchange, .. } => *exchange,
        other => panic!("no exchange: {other:?}"),
    }
}

/// A short form for tables: `200 page`, `200 pa truncated disconnect`, `failed -2`, …
pub(crate) fn summary(fetched: &Fetched) -> String {
    match fetched {
        Fetched::Exchange { exchange, .. } => {
            let payload = exchange.payload.prefix(1 << 20).unwrap();
            let mut text = format!("{} {}", exchange.status, String::from_utf8_lossy(&payload));
            if let Some(truncation) = exchange.truncated {
                text += &format!(" [{}]", truncation.annotation());
            }
            for annotation in &exchange.annotations {
                text += &format!(" [{annotation}]");
            }
            text
        }
        Fetched::Prerequisite { url } => format!("prerequisite {url}"),
        Fetched::Refused { status, rule } => format!("refused {status} {rule}"),
        Fetched::Busy => "busy".to_owned(),
        Fetched::Failed { status, retry, .. } => {
            format!("failed {status}{}", if *retry { " retry" } else { "" })
        }
    }
}
