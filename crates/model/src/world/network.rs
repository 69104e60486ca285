//! Connections and names.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A byte stream: a TCP connection or a false one.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// What the name server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DnsAnswer {
    /// The records in master-file form (RFC 1035, 5.1), a line each without line end.
    pub records: Vec<String>,
    /// Addresses in them, A before AAAA.
    pub addresses: Vec<IpAddr>,
    /// Least time to live of the records, seconds.
    pub ttl_s: u32,
    /// Who answered, if known.
    pub server: Option<SocketAddr>,
}

/// Why a name has no address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DnsFailure {
    /// The name does not exist, or has no address.
    NoSuchName(String),
    /// No answer, or a server failure: another attempt may succeed.
    Temporary(String),
}

/// Connections and names.
pub trait Network: Send + Sync {
    /// Connects to an address. The caller sets the time limit.
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>>;

    /// Asks for the addresses of a host name (never a numeric address). No cache: every call is a recorded fetch.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<DnsAnswer, DnsFailure>>;
}
