//! The real world: the machine's clocks and disk, TCP by tokio, names by hickory.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::{RData, RecordType};
use hickory_resolver::{Resolver, TokioResolver};
use model::world::{
    BoxFuture, DnsAnswer, DnsFailure, Network, OsChance, StdDisk, Stream, SystemClock, ThreadWork, World,
};

/// Time for one try at one name server.
const DNS_TIMEOUT: Duration = Duration::from_secs(5);
/// Threads for commits, spools and other blocking work.
const WORK_THREADS: usize = 2;

/// Everything outside the program, as it really is.
///
/// # Errors
/// When no thread can be started or the system's resolver configuration cannot be read.
pub fn real_world(resolver: Option<SocketAddr>) -> anyhow::Result<World> {
    let network = RealNetwork::new(resolver)?;
    Ok(World {
        clock: Arc::new(SystemClock::new()),
        chance: Arc::new(OsChance),
        network: Arc::new(network),
        disk: Arc::new(StdDisk),
        work: Arc::new(ThreadWork::new("bequest-work", WORK_THREADS)?),
    })
}

/// Sockets and name servers of the machine.
struct RealNetwork {
    resolver: Option<TokioResolver>,
    server: Option<SocketAddr>,
}

impl RealNetwork {
    fn new(server: Option<SocketAddr>) -> anyhow::Result<RealNetwork> {
        let builder = match server {
            Some(server) => {
                let mut connections = vec![ConnectionConfig::udp(), ConnectionConfig::tcp()];
                for connection in &mut connections {
                    connection.port = server.port();
                }
                let name_server = NameServerConfig::new(server.ip(), true, connections);
                let config = ResolverConfig::from_parts(None, Vec::new(), vec![name_server]);
                Some(Resolver::builder_with_config(config, TokioRuntimeProvider::default()))
            }
            // A machine without a resolver configuration can still crawl numeric addresses.
            None => TokioResolver::builder_tokio().ok(),
        };
        let resolver = builder
            .map(|mut builder| {
                let options = builder.options_mut();
                options.timeout = DNS_TIMEOUT;
                options.attempts = 1;
                // Every look-up is a recorded fetch; how long an answer holds is the crawl's decision.
                options.cache_size = 0;
                options.ndots = 0;
                builder.build()
            })
            .transpose()?;
        Ok(RealNetwork { resolver, server })
    }
}

impl Network for RealNetwork {
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(async move {
            let stream = tokio::net::TcpStream::connect(address).await?;
            // Requests are written whole; waiting for more to send would only delay them.
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }

    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<DnsAnswer, DnsFailure>> {
        Box::pin(async move {
            if host.eq_ignore_ascii_case("localhost") {
                return Ok(localhost());
            }
            let Some(resolver) = &self.resolver else {
                return Err(DnsFailure::Temporary("no name server is configured; see --resolver".to_owned()));
            };
            let name = format!("{host}.");
            let mut answer = DnsAnswer {
                records: Vec::new(),
                addresses: Vec::new(),
                ttl_s: u32::MAX,
                server: self.server,
            };
            let mut failure = DnsFailure::NoSuchName("no address record".to_owned());
            for record_type in [RecordType::A, RecordType::AAAA] {
                match resolver.lookup(name.as_str(), record_type).await {
                    Ok(lookup) => add_records(&mut answer, lookup.answers()),
                    Err(error) if error.is_nx_domain() || error.is_no_records_found() => {}
                    Err(error) => failure = DnsFailure::Temporary(error.to_string()),
                }
                // Like Heritrix we ask for AAAA only where there is no A: one address family a host.
                if !answer.addresses.is_empty() {
                    return Ok(answer);
                }
            }
            Err(failure)
        })
    }
}

fn add_records(answer: &mut DnsAnswer, records: &[hickory_resolver::proto::rr::Record]) {
    for record in records {
        let address = match &record.data {
            RData::A(address) => Some(IpAddr::V4(address.0)),
            RData::AAAA(address) => Some(IpAddr::V6(address.0)),
            _ => None,
        };
        answer.addresses.extend(address.filter(|address| !address.is_unspecified()));
        answer.ttl_s = answer.ttl_s.min(record.ttl);
        answer.records.push(record.to_string());
    }
}

/// RFC 6761, 6.3: `localhost` is never asked for.
fn localhost() -> DnsAnswer {
    DnsAnswer {
        records: vec!["localhost. 0 IN A 127.0.0.1".to_owned()],
        addresses: vec![IpAddr::from([127, 0, 0, 1])],
        ttl_s: 21_600,
        server: None,
    }
}

/// The world for a job, with the name server of its job file.
///
/// # Errors
/// As [`real_world`], or when the job file does not read.
pub fn real_world_of(job: &crate::JobDir) -> anyhow::Result<World> {
    let plain = real_world(None)?;
    let file = crate::launch::read_job_file(&plain, job)?;
    match file.crawl.resolver.as_str() {
        "" => Ok(plain),
        resolver => real_world(Some(resolver.parse()?)),
    }
}

/// Calendar time by the machine's clock.
pub fn now() -> model::WallMs {
    model::world::Clock::wall(&SystemClock::new())
}
