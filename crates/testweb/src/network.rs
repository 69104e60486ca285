//! The false network: streams in memory, latency on virtual time, a name server that knows the generated hosts.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use model::world::{BoxFuture, DnsAnswer, DnsFailure, Network, Stream};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf, duplex};
use tokio::time::{Instant, sleep};

use crate::host::{Health, Host};
use crate::observations::Observations;
use crate::serve::{Connection, Serve, serve_connection};

/// Bytes in flight in either direction of a false connection.
const STREAM_BYTES_MAX: usize = 64 << 10;
/// Time that a connection or a look-up takes, milliseconds.
const ROUND_TRIP_MS: u64 = 20;
/// Who answers look-ups.
const NAME_SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(std::net::Ipv4Addr::new(11, 255, 255, 53)), 53);

/// Where a host lies and how it can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// Its address and port.
    pub address: SocketAddr,
    /// Whether it can be reached.
    pub health: Health,
    /// Time to live of its address record, seconds.
    pub dns_ttl_s: u32,
    /// Look-ups that fail before the first that works.
    pub dns_failures: u32,
    /// Connections that are refused before the first that is taken.
    pub refusals: u32,
    /// A connection that is idle that long is closed, milliseconds.
    pub idle_ms_max: u64,
}

impl Place {
    /// A healthy place.
    pub fn new(name: &str, address: SocketAddr) -> Place {
        Place {
            name: name.to_owned(),
            address,
            health: Health::Fine,
            dns_ttl_s: 3600,
            dns_failures: 0,
            refusals: 0,
            idle_ms_max: 60_000,
        }
    }

    pub(crate) fn of(host: &Host) -> Place {
        Place {
            name: host.name.clone(),
            address: SocketAddr::new(host.address, host.port),
            health: host.health,
            dns_ttl_s: host.dns_ttl_s,
            dns_failures: host.dns_failures,
            refusals: host.refusals,
            idle_ms_max: host.idle_ms_max,
        }
    }
}

/// A network in memory. To be made inside the runtime it is used in.
pub struct SimNetwork {
    serve: Arc<dyn Serve>,
    by_name: HashMap<String, Place>,
    by_address: HashMap<SocketAddr, Door>,
    lookups: Mutex<HashMap<String, u32>>,
    connects: Mutex<HashMap<SocketAddr, u32>>,
    observations: Arc<Observations>,
    began: Instant,
}

/// What lies behind an address.
struct Door {
    is_open: bool,
    refusals: u32,
    idle_ms_max: u64,
}

impl SimNetwork {
    /// A network of these places, all answered by one server.
    pub fn new(serve: Arc<dyn Serve>, places: Vec<Place>) -> SimNetwork {
        let mut by_address: HashMap<SocketAddr, Door> = HashMap::new();
        for place in &places {
            let door = Door { is_open: false, refusals: 0, idle_ms_max: place.idle_ms_max };
            let door = by_address.entry(place.address).or_insert(door);
            door.is_open |= place.health != Health::Down;
            door.refusals = door.refusals.max(place.refusals);
            door.idle_ms_max = door.idle_ms_max.min(place.idle_ms_max);
        }
        SimNetwork {
            serve,
            by_name: places.into_iter().map(|place| (place.name.clone(), place)).collect(),
            by_address,
            lookups: Mutex::default(),
            connects: Mutex::default(),
            observations: Arc::default(),
            began: Instant::now(),
        }
    }

    /// What its servers saw.
    pub fn observations(&self) -> &Arc<Observations> {
        &self.observations
    }

    async fn connect_to(&self, address: SocketAddr) -> io::Result<Box<dyn Stream>> {
        sleep(Duration::from_millis(ROUND_TRIP_MS)).await;
        let door = self.by_address.get(&address).filter(|door| door.is_open);
        let n_before = count_up(&self.connects, address);
        let Some(door) = door.filter(|door| n_before >= door.refusals) else {
            self.observations.count(|faults| faults.refused += 1);
            return Err(io::Error::new(
                io::ErrorKind::ConnectionRefused,
                format!("{address} refuses connections"),
            ));
        };
        let (client, server) = duplex(STREAM_BYTES_MAX);
        let connection = Connection::new(address, self.observations.clone(), self.began, door.idle_ms_max);
        let stream = SimStream {
            inner: client,
            reset: connection.reset.clone(),
            closed_ms: connection.client_closed_ms.clone(),
            began: self.began,
        };
        let serve = self.serve.clone();
        tokio::spawn(async move { serve_connection(&*serve, server, &connection).await });
        Ok(Box::new(stream))
    }

    async fn look_up(&self, host: &str) -> Result<DnsAnswer, DnsFailure> {
        sleep(Duration::from_millis(ROUND_TRIP_MS)).await;
        let name = host.trim_end_matches('.').to_ascii_lowercase();
        let Some(place) = self.by_name.get(&name).filter(|place| place.health != Health::NoName) else {
            self.observations.count(|faults| faults.dns_no_name += 1);
            return Err(DnsFailure::NoSuchName(format!("{name} does not exist")));
        };
        if count_up(&self.lookups, name.clone()) < place.dns_failures {
            self.observations.count(|faults| faults.dns_temporary += 1);
            return Err(DnsFailure::Temporary(format!("server failure while asked for {name}")));
        }
        let kind = if place.address.is_ipv4() { "A" } else { "AAAA" };
        Ok(DnsAnswer {
            records: vec![format!("{name}.\t{}\tIN\t{kind}\t{}", place.dns_ttl_s, place.address.ip())],
            addresses: vec![place.address.ip()],
            ttl_s: place.dns_ttl_s,
            server: Some(NAME_SERVER),
        })
    }
}

/// The number so far, before it is counted up.
fn count_up<K: std::hash::Hash + Eq>(counts: &Mutex<HashMap<K, u32>>, key: K) -> u32 {
    let mut counts = counts.lock().expect("no panic while held");
    let count = counts.entry(key).or_default();
    *count += 1;
    *count - 1
}

impl Network for SimNetwork {
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(self.connect_to(address))
    }

    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<DnsAnswer, DnsFailure>> {
        Box::pin(self.look_up(host))
    }
}

/// The client's end of a false connection.
struct SimStream {
    inner: DuplexStream,
    reset: Arc<AtomicBool>,
    closed_ms: Arc<AtomicU64>,
    began: Instant,
}

impl AsyncRead for SimStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let has_room = buffer.remaining() > 0;
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let is_end = has_room && buffer.filled().len() == before;
        if is_end && self.reset.load(Ordering::Relaxed) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SimStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

impl Drop for SimStream {
    fn drop(&mut self) {
        self.closed_ms.store(self.began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }
}
