//! One HTTP exchange: send, read, record.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use http1::{Cut, End, ReaderLimits, Reason, RequestInfo, ResponseReader, Version};
use model::{Exchange, FetchItem, FetchStatus, Truncation};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout_at};

use crate::Fetcher;
use crate::connection::{self, Connection, Target};
use crate::recorder::{Recorder, Scratch};
use crate::request::request;

/// Bytes read at once. Buffers are shared among the running requests; idle connections hold none.
const READ_BYTES: usize = 64 << 10;

/// Buffers kept for later requests.
const BUFFERS_MAX: usize = 256;

/// Why there is no exchange.
pub(crate) struct Failure {
    pub(crate) status: FetchStatus,
    pub(crate) reason: String,
    pub(crate) retry: bool,
}

impl Failure {
    fn again(status: FetchStatus, reason: impl Into<String>) -> Failure {
        Failure { status, reason: reason.into(), retry: true }
    }
}

/// How reading ended.
enum Ended {
    /// By the message itself, or by the close of the connection.
    Message(End),
    /// Nothing came on a connection that was used before: it was closed in the meantime.
    StaleConnection,
    Cut(Truncation),
}

impl Fetcher {
    /// Fetches an http or https URL from one of the addresses.
    pub(crate) async fn exchange(&self, item: &FetchItem, addresses: &[IpAddr]) -> Result<Exchange, Failure> {
        let url = &item.candidate.url;
        let (Some(host), Some(port)) = (url.host(), url.port()) else {
            return Err(Failure {
                status: FetchStatus::UNFETCHABLE,
                reason: "no host".to_owned(),
                retry: false,
            });
        };
        let is_https = url.scheme() == "https";
        let target = Target { host, port, is_https, addresses };
        let origin = format!("{}://{host}:{port}", url.scheme());
        let cookies = self.cookie_header(url);
        let request = request(item, &self.options, cookies.as_deref());
        let mut may_reuse = self.options.keep_alive;
        let deadline = Instant::now() + Duration::from_millis(self.options.timeout_ms);
        // Once around for every stale connection: the second time a new one is made.
        loop {
            let (started, mono) = (self.world.clock.wall(), self.world.clock.mono());
            let pooled = if may_reuse { self.pool.take(&origin, mono).await } else { None };
            let pooled = pooled.filter(|connection| addresses.contains(&connection.address.ip()));
            let is_reused = pooled.is_some();
            let mut connection = match pooled {
                Some(connection) => connection,
                None => {
                    let limit =
                        deadline.min(Instant::now() + Duration::from_millis(self.options.so_timeout_ms));
                    connection::connect(&self.world, &self.tls, &target, limit)
                        .await
                        .map_err(|reason| Failure::again(FetchStatus::CONNECT_FAILED, reason))?
                }
            };
            let address = connection.address;
            if !self.guard.allows(host, address.ip()) {
                // Cannot happen while addresses are examined first; this is the place that counts.
                let reason = format!("address {} may not be fetched", address.ip());
                return Err(Failure { status: FetchStatus::ADDRESS_NOT_ALLOWED, reason, retry: false });
            }
            let mut recorder = Recorder::new(self.options.body_bytes_max);
            let ended = self.converse(&mut connection, &request, is_reused, deadline, &mut recorder).await?;
            let end = match ended {
                Ended::StaleConnection => {
                    may_reuse = false;
                    continue;
                }
                Ended::Cut(truncation) => Err(truncation),
                Ended::Message(end) => Ok(end),
            };
            let duration_ms = self.world.clock.mono() - mono;
            let tls = connection.tls.clone();
            if self.options.keep_alive && end.is_ok_and(|end| end.keep_alive) {
                self.pool.put(&origin, connection, self.world.clock.mono());
            } else {
                drop(connection);
            }
            let recording = recorder.finish(&self.scratch()).await.map_err(scratch_failure)?;
            let head = recording.head.expect("without head there is no exchange");
            let annotations = annotations(&head, end);
            return Ok(Exchange {
                url: url.clone(),
                status: status(head.status),
                request: request.into(),
                response_head: recording.head_bytes,
                protocol: match head.version {
                    Version::Http09 => "http/0.9",
                    Version::Http10 => "http/1.0",
                    Version::Http11 => "http/1.1",
                },
                head: Some(head),
                raw_body: recording.raw_body,
                payload: recording.payload,
                block_digest: recording.block_digest,
                payload_digest: recording.payload_digest,
                address: Some(address),
                started,
                duration_ms,
                truncated: end.map_or_else(Some, truncation),
                tls,
                annotations,
            });
        }
    }

    /// Sends the request and reads the answer. Succeeds only if a head came.
    async fn converse(
        &self,
        connection: &mut Connection,
        request: &[u8],
        is_reused: bool,
        deadline: Instant,
        recorder: &mut Recorder,
    ) -> Result<Ended, Failure> {
        let first_byte_limit =
            deadline.min(Instant::now() + Duration::from_millis(self.options.so_timeout_ms));
        let sent = async {
            connection.stream.write_all(request).await?;
            connection.stream.flush().await
        };
        match timeout_at(first_byte_limit, sent).await {
            Ok(Ok(())) => {}
            // A server may answer and close without reading the request: what it said is looked for all the same.
            Ok(Err(_)) => {}
            Err(_) => return Err(Failure::again(FetchStatus::CONNECT_FAILED, "send: timed out")),
        }
        let mut buffer = self.take_buffer();
        let outcome =
            self.read_answer(connection, &mut buffer, is_reused, first_byte_limit, deadline, recorder).await;
        self.give_buffer(buffer);
        outcome
    }

    async fn read_answer(
        &self,
        connection: &mut Connection,
        buffer: &mut [u8],
        is_reused: bool,
        first_byte_limit: Instant,
        deadline: Instant,
        recorder: &mut Recorder,
    ) -> Result<Ended, Failure> {
        let limits = ReaderLimits { head_bytes_max: self.options.head_bytes_max, ..ReaderLimits::default() };
        let mut reader = ResponseReader::new(RequestInfo { method_head: false }, limits);
        let scratch = self.scratch();
        let mut is_first = true;
        loop {
            let wait_ms =
                if reader.in_head() { self.options.so_timeout_ms } else { self.options.stall_timeout_ms };
            let limit = if is_first {
                first_byte_limit
            } else {
                deadline.min(Instant::now() + Duration::from_millis(wait_ms))
            };
            // The deadline also holds against a server that never lets us wait.
            let read = if !is_first && Instant::now() >= deadline {
                None
            } else {
                timeout_at(limit, connection.stream.read(buffer)).await.ok()
            };
            let n = match read {
                None if is_first => {
                    return Err(Failure::again(FetchStatus::CONNECT_FAILED, "no answer: timed out"));
                }
                None => return self.give_up(reader, recorder, Truncation::Time),
                // rustls says so when a server closes without saying goodbye; most of those mean no harm.
                Some(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
                Some(Err(_)) if is_first && is_reused => return Ok(Ended::StaleConnection),
                Some(Err(error)) if is_first => {
                    return Err(Failure::again(FetchStatus::CONNECT_FAILED, format!("no answer: {error}")));
                }
                Some(Err(_)) => return self.give_up(reader, recorder, Truncation::Disconnect),
                Some(Ok(n)) => n,
            };
            if n == 0 {
                if is_first {
                    return match is_reused {
                        true => Ok(Ended::StaleConnection),
                        false => {
                            Err(Failure::again(FetchStatus::CONNECT_FAILED, "no answer: connection closed"))
                        }
                    };
                }
                let end = reader.finish_eof(recorder);
                return self.message(end, recorder);
            }
            is_first = false;
            let progress = reader.feed(&buffer[..n], recorder);
            if recorder.over_limit {
                return Ok(Ended::Cut(Truncation::Length));
            }
            if let Some(end) = progress.end {
                return self.message(end, recorder);
            }
            recorder.settle(&scratch).await.map_err(scratch_failure)?;
        }
    }

    /// The end of a message: a success if it has a head that we take.
    fn message(&self, end: End, recorder: &Recorder) -> Result<Ended, Failure> {
        match &recorder.head {
            None => Err(Failure::again(FetchStatus::CONNECT_LOST, "connection closed within the head")),
            Some(head) if head.version == Version::Http09 && !self.options.http09 => {
                Err(Failure::again(FetchStatus::CONNECT_FAILED, "the answer is no HTTP"))
            }
            Some(_) => Ok(Ended::Message(end)),
        }
    }

    /// Nothing more is to be had: what came is an exchange if it has a head.
    fn give_up(
        &self,
        mut reader: ResponseReader,
        recorder: &mut Recorder,
        why: Truncation,
    ) -> Result<Ended, Failure> {
        reader.finish_eof(recorder);
        match (&recorder.head, why) {
            (Some(_), _) => Ok(Ended::Cut(why)),
            (None, Truncation::Time) => Err(Failure {
                status: FetchStatus::TIMEOUT,
                reason: "head: timed out".to_owned(),
                retry: false,
            }),
            (None, _) => Err(Failure::again(FetchStatus::CONNECT_LOST, "connection lost within the head")),
        }
    }

    fn scratch(&self) -> Scratch<'_> {
        Scratch {
            world: &self.world,
            folder: &self.scratch_folder,
            memory_bytes_max: self.options.memory_body_bytes_max,
        }
    }

    fn take_buffer(&self) -> Vec<u8> {
        let kept = self.buffers.lock().expect("no panic while held").pop();
        kept.unwrap_or_else(|| vec![0; READ_BYTES])
    }

    fn give_buffer(&self, buffer: Vec<u8>) {
        let mut buffers = self.buffers.lock().expect("no panic while held");
        if buffers.len() < BUFFERS_MAX {
            buffers.push(buffer);
        }
    }
}

fn scratch_failure(error: io::Error) -> Failure {
    Failure::again(FetchStatus::RUNTIME_EXCEPTION, format!("scratch file: {error}"))
}

/// Codes below 100 would be taken for our own and are no HTTP status: RFC 9110, 15 wants them treated like 5xx.
fn status(code: u16) -> FetchStatus {
    const NO_STATUS: i32 = 599;
    FetchStatus(if code < 100 { NO_STATUS } else { i32::from(code) })
}

fn truncation(end: End) -> Option<Truncation> {
    match end.reason {
        Reason::Truncated(Cut::HeadTooLong) => Some(Truncation::LongHeaders),
        Reason::Truncated(_) => Some(Truncation::Disconnect),
        _ => None,
    }
}

/// What is odd about an answer, for crawl.log.
fn annotations(head: &http1::ResponseHead, end: Result<End, Truncation>) -> Vec<String> {
    let mut annotations = Vec::new();
    if head.status < 100 {
        annotations.push(format!("oddStatus:{}", head.status));
    }
    annotations.extend(end.ok().and_then(|end| end.oddity).map(str::to_owned));
    annotations
}
