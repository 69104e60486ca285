//! Serves HTTP/1.1 on any byte stream, false or real, as the answers' deliveries say.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout};

use crate::answer::{Answer, Cut};
use crate::observations::{Observations, RequestSeen, STILL_OPEN};
use crate::request::Request;

/// Longest request head that is read, bytes.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// From then on an answer counts as slow, milliseconds.
const SLOW_MS: u64 = 2000;

/// Whatever answers requests.
pub trait Serve: Send + Sync {
    /// The answer to a request. `visit` is the number of requests for that URL before it.
    fn respond(&self, request: &Request, visit: u32) -> Answer;
}

/// What a server needs to know of a connection.
pub(crate) struct Connection {
    pub address: SocketAddr,
    pub observations: Arc<Observations>,
    /// Time 0 of the observations.
    pub began: Instant,
    /// The server closes the connection when it is idle that long, milliseconds.
    pub idle_ms_max: u64,
    /// When the client dropped its end; [`STILL_OPEN`] until then.
    pub client_closed_ms: Arc<AtomicU64>,
    /// Set before the server drops its end: the client then reads a reset instead of an end.
    pub reset: Arc<AtomicBool>,
}

impl Connection {
    pub fn new(
        address: SocketAddr,
        observations: Arc<Observations>,
        began: Instant,
        idle_ms_max: u64,
    ) -> Connection {
        let client_closed_ms = Arc::new(AtomicU64::new(STILL_OPEN));
        Connection { address, observations, began, idle_ms_max, client_closed_ms, reset: Arc::default() }
    }

    fn now_ms(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }
}

/// Answers requests until either side closes.
pub(crate) async fn serve_connection<S>(serve: &dyn Serve, mut stream: S, connection: &Connection)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let number = connection.observations.next_connection();
    let mut buffer = Vec::new();
    for reuse in 0.. {
        let reading =
            timeout(Duration::from_millis(connection.idle_ms_max), read_head(&mut stream, &mut buffer));
        let head = match reading.await {
            Ok(Some(head)) => head,
            Ok(None) => return,
            Err(_) => return connection.observations.count(|faults| faults.idle_closed += 1),
        };
        let Some(request) = Request::parse(&head) else {
            let answer = Answer::new(400, "text/plain", "that is no request\n");
            let _ = stream.write_all(&answer.to_wire(false).0).await;
            return;
        };
        let url = request.url();
        let visit = connection.observations.next_visit(&url);
        let answer = serve.respond(&request, visit);
        let seen = RequestSeen {
            start_ms: connection.now_ms(),
            end_ms: u64::MAX,
            authority: request.header("host").unwrap_or("").to_ascii_lowercase(),
            path: request.path.clone(),
            url: url.clone(),
            address: connection.address,
            connection: number,
            reuse,
            visit,
            status: (!matches!(answer.delivery.cut, Some(Cut::BeforeHead | Cut::Never)))
                .then_some(answer.status),
            cut: answer.delivery.cut,
            cookie: request.header("cookie").map(str::to_owned),
            user_agent: request.header("user-agent").map(str::to_owned),
        };
        let index = connection.observations.began(seen, connection.client_closed_ms.clone());
        let delivered = deliver(&mut stream, &request, &answer, connection).await;
        connection.observations.ended(index, &url, connection.now_ms());
        let goes_on = matches!(delivered, Ok(true)) && request.keeps_alive();
        if !goes_on || answer.framing == crate::answer::Framing::Close && !answer.is_bodiless() {
            let _ = stream.shutdown().await;
            return;
        }
    }
}

/// Reads up to the blank line; what was read beyond stays in the buffer. `None` when the client closes or writes too much.
async fn read_head<S: AsyncRead + Unpin>(stream: &mut S, buffer: &mut Vec<u8>) -> Option<String> {
    let mut searched = 0;
    loop {
        if let Some(at) = buffer[searched..].windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = buffer.split_off(searched + at + 4);
            let head = std::mem::replace(buffer, rest);
            return Some(String::from_utf8_lossy(&head).into_owned());
        }
        searched = buffer.len().saturating_sub(3);
        if buffer.len() > HEAD_BYTES_MAX || stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

/// Writes an answer as its delivery says. False if the connection must end.
async fn deliver<S>(
    stream: &mut S,
    request: &Request,
    answer: &Answer,
    connection: &Connection,
) -> io::Result<bool>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let delivery = answer.delivery;
    let observations = &connection.observations;
    let n_pauses = u64::from(delivery.pieces.saturating_sub(1));
    if delivery.cut.is_none() && delivery.think_ms + n_pauses * delivery.pause_ms >= SLOW_MS {
        observations.count(|faults| faults.slow += 1);
    }
    if delivery.think_ms > 0 {
        sleep(Duration::from_millis(delivery.think_ms)).await;
    }
    let (mut wire, body_offset) = answer.to_wire(request.method == "HEAD");
    match delivery.cut {
        Some(Cut::BeforeHead) => {
            observations.count(|faults| faults.dropped_before_head += 1);
            wire.clear();
        }
        Some(Cut::MidBody) => {
            observations.count(|faults| faults.dropped_mid_body += 1);
            wire.truncate(body_offset + (wire.len() - body_offset) / 2);
        }
        Some(Cut::Never) => {
            observations.count(|faults| faults.never_answered += 1);
            // Until the client closes.
            while stream.read(&mut [0; 64]).await? > 0 {}
            return Ok(false);
        }
        None if matches!(answer.status, 429 | 503) => observations.count(|faults| faults.busy += 1),
        None => {}
    }
    let piece_len = wire.len().div_ceil(delivery.pieces.max(1) as usize).max(1);
    for (index, piece) in wire.chunks(piece_len).enumerate() {
        if index > 0 {
            sleep(Duration::from_millis(delivery.pause_ms)).await;
        }
        stream.write_all(piece).await?;
    }
    stream.flush().await?;
    if delivery.cut.is_some() && delivery.reset {
        connection.reset.store(true, Ordering::Relaxed);
    }
    Ok(delivery.cut.is_none())
}
