//! The same servers on real sockets: one listener for all of 127.0.0.0/8, the host picked by the `Host` header.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::observations::Observations;
use crate::serve::{Connection, Serve, serve_connection};

/// Idle connections are closed after that, milliseconds.
const IDLE_MS_MAX: u64 = 60_000;

/// A port on every loopback address. Bind first, then generate a web for its [`Loopback::port`], then serve.
pub struct Loopback {
    listener: TcpListener,
    port: u16,
}

impl Loopback {
    /// Takes a free port.
    ///
    /// # Errors
    /// When the system gives none.
    pub async fn bind() -> io::Result<Loopback> {
        // One socket for 16 million addresses; connections that came from outside are closed unread.
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).await?;
        let port = listener.local_addr()?.port();
        Ok(Loopback { listener, port })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Serves until the handle is dropped.
    pub fn serve(self, serve: Arc<dyn Serve>) -> Serving {
        serve_listener(self.listener, serve)
    }
}

/// Servers that run until this is dropped.
pub struct Serving {
    address: SocketAddr,
    observations: Arc<Observations>,
    task: JoinHandle<()>,
}

impl Serving {
    /// Where they listen; unspecified if on all loopback addresses.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What they saw, in real milliseconds.
    pub fn observations(&self) -> &Arc<Observations> {
        &self.observations
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves on a listener of the caller's, loopback connections only, until the handle is dropped.
pub fn serve_listener(listener: TcpListener, serve: Arc<dyn Serve>) -> Serving {
    let observations = Arc::new(Observations::default());
    let address = listener.local_addr().unwrap_or_else(|_| (Ipv4Addr::UNSPECIFIED, 0).into());
    let task = tokio::spawn(accept(listener, serve, observations.clone()));
    Serving { address, observations, task }
}

async fn accept(listener: TcpListener, serve: Arc<dyn Serve>, observations: Arc<Observations>) {
    let began = Instant::now();
    // Dropped with this task: all connections end with it.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // Out of descriptors: some connection will end.
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            continue;
        };
        while connections.try_join_next().is_some() {}
        let Ok(local) = stream.local_addr() else { continue };
        if !local.ip().is_loopback() || !peer.ip().is_loopback() {
            continue;
        }
        let _ = stream.set_nodelay(true);
        let connection = Connection::new(local, observations.clone(), began, IDLE_MS_MAX);
        let serve = serve.clone();
        connections.spawn(async move { serve_connection(&*serve, stream, &connection).await });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fate, Naming, ScopeKind, ScopeModel, Web, WebOptions};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn five_thousand_addresses_on_one_socket() {
        let loopback = Loopback::bind().await.unwrap();
        let naming = Naming::LoopbackNumeric { port: loopback.port() };
        let web = Arc::new(Web::generate(WebOptions::loopback(1, 5_000, 6_000, naming)));
        let serving = loopback.serve(web.clone());
        let expected = web.expected(&web.seeds(), &ScopeModel::new(ScopeKind::Any, true));
        for (url, expected) in expected.urls.iter().step_by(60) {
            let (authority, path) = crate::web::split_url(url).unwrap();
            let mut stream = tokio::net::TcpStream::connect(authority).await.unwrap();
            let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await.unwrap();
            let status: u16 = std::str::from_utf8(&bytes[9..12]).unwrap().parse().unwrap();
            if let Fate::Status(expected) = expected.fate {
                assert_eq!(status, expected, "{url}");
            }
        }
        assert!(serving.observations().requests().len() >= 80);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn curl_reads_every_framing() {
        if std::process::Command::new("curl").arg("--version").output().is_err() {
            println!("left out: no curl");
            return;
        }
        let loopback = Loopback::bind().await.unwrap();
        let naming = Naming::LoopbackNumeric { port: loopback.port() };
        let web = Arc::new(Web::generate(WebOptions::loopback(2, 2, 40, naming)));
        let _serving = loopback.serve(web.clone());
        for url in web.hosts().iter().flat_map(|host| host.paths().map(|path| host.url(path))).take(30) {
            let answer = web.settled(&url).unwrap();
            let curl =
                tokio::process::Command::new("curl").args(["-s", "-m", "10", &url]).output().await.unwrap();
            assert!(curl.status.success(), "{url}: {}", curl.status);
            let served: &[u8] = if answer.is_bodiless() { b"" } else { &answer.body };
            assert!(curl.stdout == served, "{url}");
        }
    }
}
