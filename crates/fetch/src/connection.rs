//! A connection to a server, and how it is made.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use model::TlsInfo;
use model::world::{Stream, World};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::tls::Tls;

/// Addresses of a host that are tried at most.
const ADDRESSES_TRIED_MAX: usize = 4;

/// How long the next address waits for the one before it (RFC 8305, 5: 250 ms).
const STAGGER: Duration = Duration::from_millis(250);

/// A connection, ready for a request.
pub(crate) struct Connection {
    pub(crate) stream: Box<dyn Stream>,
    /// The server that was really connected to.
    pub(crate) address: SocketAddr,
    /// Of https connections.
    pub(crate) tls: Option<TlsInfo>,
}

/// Where to connect to.
pub(crate) struct Target<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    pub(crate) is_https: bool,
    /// In the order of preference, not empty.
    pub(crate) addresses: &'a [IpAddr],
}

/// Connects, with TLS where the scheme wants it.
///
/// # Errors
/// A reason in words: refused, unreachable, timed out, TLS alert.
pub(crate) async fn connect(
    world: &World,
    tls: &Tls,
    target: &Target<'_>,
    limit: Instant,
) -> Result<Connection, String> {
    let timed_out = |_| "connect: timed out".to_owned();
    let (stream, address) = timeout_at(limit, connect_any(world, target))
        .await
        .map_err(timed_out)?
        .map_err(|error| format!("connect: {error}"))?;
    if !target.is_https {
        return Ok(Connection { stream, address, tls: None });
    }
    let shake = |stream, say_name| {
        let now = world.clock.wall();
        async move {
            let handshake = tls.connect(stream, target.host, address.ip(), say_name, now);
            timeout_at(limit, handshake).await
        }
    };
    let failure = match shake(stream, true).await.map_err(|_| "TLS handshake: timed out".to_owned())? {
        Ok((stream, info)) => return Ok(Connection { stream, address, tls: Some(info) }),
        Err(failure) if failure.refused_name => failure,
        Err(failure) => return Err(failure.reason),
    };
    // Seen at virtual hosts without a certificate of their own (heritrix3 pull request 141): fine without the name.
    let again = timeout_at(limit, world.network.connect(address)).await.map_err(timed_out)?;
    let stream = again.map_err(|error| format!("connect: {error}"))?;
    match shake(stream, false).await {
        Ok(Ok((stream, mut info))) => {
            info.problems.push("unrecognized-name".to_owned());
            Ok(Connection { stream, address, tls: Some(info) })
        }
        _ => Err(failure.reason),
    }
}

/// The first address that answers. The next one is tried when the one before fails, or is silent for a while.
async fn connect_any(world: &World, target: &Target<'_>) -> io::Result<(Box<dyn Stream>, SocketAddr)> {
    // Collected, since a closure over borrowed addresses that lives across an await hides that the future is `Send`.
    let addresses: Vec<SocketAddr> = target
        .addresses
        .iter()
        .take(ADDRESSES_TRIED_MAX)
        .map(|address| SocketAddr::new(*address, target.port))
        .collect();
    let mut addresses = addresses.into_iter().peekable();
    let first = addresses.next().ok_or_else(|| io::Error::other("no address"))?;
    if addresses.peek().is_none() {
        return Ok((world.network.connect(first).await?, first));
    }
    let mut attempts = JoinSet::new();
    let begin = |attempts: &mut JoinSet<_>, address: SocketAddr| {
        let network = world.network.clone();
        attempts.spawn(async move { (network.connect(address).await, address) });
    };
    begin(&mut attempts, first);
    let mut failure = None;
    loop {
        let next_at = Instant::now() + STAGGER;
        let ended = match addresses.peek() {
            Some(_) => timeout_at(next_at, attempts.join_next()).await.unwrap_or(None),
            None => attempts.join_next().await,
        };
        match ended {
            Some(Ok((Ok(stream), address))) => return Ok((stream, address)),
            Some(Ok((Err(error), _))) => failure = Some(error),
            Some(Err(error)) => failure = Some(io::Error::other(error)),
            None if addresses.peek().is_none() && attempts.is_empty() => {
                return Err(failure.unwrap_or_else(|| io::Error::other("no address answered")));
            }
            None => {}
        }
        if let Some(address) = addresses.next() {
            begin(&mut attempts, address);
        }
    }
}
