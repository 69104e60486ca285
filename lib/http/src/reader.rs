//! Reads one response out of the bytes of a connection.
//!
//! A state machine without I/O: [`ResponseReader::feed`] for bytes, [`ResponseReader::finish_eof`] for their end.
//! Follows RFC 9112 part 6 for where a message ends and Chromium's `HttpStreamParser` where servers do not.

use crate::chunked::{ChunkError, Chunks};
use crate::parse::{self, Start};
use crate::{ResponseHead, Version};

/// What must be known of the request to read its response.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestInfo {
    /// The method was HEAD: no body comes, whatever the head says.
    pub method_head: bool,
}

/// Limits of a reader.
#[derive(Debug, Clone, Copy)]
pub struct ReaderLimits {
    /// Bytes of all heads together, 1xx heads included. What was read till then is taken for the head, and the response
    /// ends as [`Cut::HeadTooLong`].
    pub head_bytes_max: usize,
    /// Bytes of a chunk-size or trailer line; longer ones are no framing.
    pub chunk_line_bytes_max: usize,
    /// Bytes of all trailer lines together; beyond it the response ends as [`Cut::BadChunk`].
    pub trailer_bytes_max: usize,
}

impl Default for ReaderLimits {
    fn default() -> ReaderLimits {
        // Chromium: kMaxHeaderBufSize 256 KiB, HttpChunkedDecoder::kMaxLineBufLen 16 KiB.
        ReaderLimits {
            head_bytes_max: 256 << 10,
            chunk_line_bytes_max: 16 << 10,
            trailer_bytes_max: 64 << 10,
        }
    }
}

/// Takes what a reader finds. All slices are parts of the bytes fed (a head that came in pieces: of a copy).
///
/// The raw message is `informational` heads, `head` and `body` pieces in the order of the calls, without gap.
pub trait Sink {
    /// A 1xx head that was passed over.
    fn informational(&mut self, raw: &[u8], head: ResponseHead) {
        let _ = (raw, head);
    }
    /// The final head. `raw` is empty for HTTP/0.9, which has none.
    fn head(&mut self, raw: &[u8], head: ResponseHead, framing: Framing);
    /// Bytes after the head, as received.
    fn body(&mut self, raw: &[u8]);
    /// Bytes of the payload: called only under [`Framing::Chunked`], after the raw bytes they came in. Under all other
    /// framings what `body` gets is the payload.
    fn payload(&mut self, bytes: &[u8]);
}

/// How the end of the body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// There is no body.
    NoBody,
    /// That many bytes.
    ContentLength(u64),
    /// Chunks.
    Chunked,
    /// All until the connection closes.
    UntilClose,
}

/// Why a response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// No body belongs to it.
    NoBody,
    /// As many bytes as Content-Length says.
    ContentLength,
    /// The last chunk.
    Chunked,
    /// The connection closed, as it had to.
    Close,
    /// Too early.
    Truncated(Cut),
}

/// Where a response was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Before anything came that could be read as a status line: there is no head.
    Nothing,
    /// In the head; what came of it was read.
    Head,
    /// The head is longer than the limit; what came of it was read.
    HeadTooLong,
    /// Bytes are missing of what Content-Length says.
    ContentLength {
        /// How many.
        missing_bytes: u64,
    },
    /// Before the last chunk.
    Chunked,
    /// A chunk's framing cannot be read. Raw bytes were kept until the close; the payload ends before that chunk, or is
    /// all of the raw bytes if already the first one could not be read.
    BadChunk,
}

/// The end of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// Why it ended.
    pub reason: Reason,
    /// The connection may carry another request.
    pub keep_alive: bool,
    /// What was wrong with the framing, though a reading was found: for logs.
    pub oddity: Option<&'static str>,
}

impl End {
    /// True if nothing is missing.
    pub fn is_whole(&self) -> bool {
        !matches!(self.reason, Reason::Truncated(_))
    }
}

/// What [`ResponseReader::feed`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that belong to the response; less than fed only at its end: the rest is surplus.
    pub consumed: usize,
    /// Set when the response has ended.
    pub end: Option<End>,
}

/// Reads one response.
pub struct ResponseReader {
    request: RequestInfo,
    limits: ReaderLimits,
    state: State,
    /// Bytes of the current head that came before the last feed.
    head_bytes: Vec<u8>,
    /// How far `head_bytes` was searched for the blank line.
    searched: usize,
    /// Bytes of 1xx heads.
    informational_bytes: usize,
    /// The head allows another request on the connection.
    persistent: bool,
    oddity: Option<&'static str>,
    end: Option<End>,
}

enum State {
    Head,
    Length {
        left: u64,
    },
    Chunks(Chunks),
    /// Chunk framing was lost: raw bytes until close.
    Unframed,
    /// There never was a chunk: all is payload until close.
    Unchunked,
    UntilClose,
    Ended,
}

impl ResponseReader {
    /// A reader for the response to a request.
    pub fn new(request: RequestInfo, limits: ReaderLimits) -> ResponseReader {
        ResponseReader {
            request,
            limits,
            state: State::Head,
            head_bytes: Vec::new(),
            searched: 0,
            informational_bytes: 0,
            persistent: false,
            oddity: None,
            end: None,
        }
    }

    /// True until the final head was read.
    pub fn in_head(&self) -> bool {
        matches!(self.state, State::Head)
    }

    /// Takes bytes as they came from the connection, in pieces of any size. After the end it consumes nothing.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Progress {
        let mut consumed = 0;
        while self.end.is_none() {
            let rest = &bytes[consumed..];
            if rest.is_empty() {
                break;
            }
            consumed += match &mut self.state {
                State::Head => self.feed_head(rest, sink),
                State::Length { left } => {
                    let n = rest.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    *left -= n as u64;
                    let done = *left == 0;
                    sink.body(&rest[..n]);
                    if done {
                        self.finish(Reason::ContentLength);
                    }
                    n
                }
                State::Chunks(_) => self.feed_chunks(rest, sink),
                State::Unframed | State::UntilClose => {
                    sink.body(rest);
                    rest.len()
                }
                State::Unchunked => {
                    sink.body(rest);
                    sink.payload(rest);
                    rest.len()
                }
                State::Ended => unreachable!("the end is set"),
            };
        }
        if self.end.is_some() && consumed < bytes.len() {
            // What follows an answer that nobody asked for is no answer to the next request.
            self.persistent = false;
            if let Some(end) = &mut self.end {
                end.keep_alive = false;
            }
        }
        Progress { consumed, end: self.end }
    }

    /// The connection ended. Gives the same end again when the response was over before.
    pub fn finish_eof(&mut self, sink: &mut impl Sink) -> End {
        if self.end.is_none() {
            self.persistent = false;
            match &self.state {
                State::Head => self.cut_head(Cut::Head, sink),
                State::Chunks(chunks) if chunks.is_surely_unchunked() => {
                    self.oddity = Some("badChunk");
                    sink.payload(chunks.line());
                    self.finish(Reason::Truncated(Cut::BadChunk));
                }
                State::Length { left } => {
                    let cut = Cut::ContentLength { missing_bytes: *left };
                    self.finish(Reason::Truncated(cut));
                }
                // All data is there once the last chunk was announced; only trailers may be missing.
                State::Chunks(chunks) if chunks.seen_last() => self.finish(Reason::Chunked),
                State::Chunks(_) => self.finish(Reason::Truncated(Cut::Chunked)),
                State::Unframed | State::Unchunked => self.finish(Reason::Truncated(Cut::BadChunk)),
                State::UntilClose => self.finish(Reason::Close),
                State::Ended => unreachable!("the end is set"),
            }
        }
        self.end.expect("set above")
    }

    fn finish(&mut self, reason: Reason) {
        self.state = State::Ended;
        let whole = !matches!(reason, Reason::Truncated(_) | Reason::Close);
        let keep_alive = whole && self.persistent && self.oddity.is_none();
        self.end = Some(End { reason, keep_alive, oddity: self.oddity });
    }

    /// Gives how many of `bytes` belong to the head.
    fn feed_head(&mut self, bytes: &[u8], sink: &mut impl Sink) -> usize {
        let before = self.head_bytes.len();
        let room = self.limits.head_bytes_max.saturating_sub(self.informational_bytes + before);
        let (bytes, is_over) = (&bytes[..bytes.len().min(room)], bytes.len() > room);
        // The common case: the whole head in one piece, which is then read in place.
        if before == 0 {
            match self.find_head(bytes) {
                Found::Head(len) => {
                    self.take_head(&bytes[..len], sink);
                    return len;
                }
                Found::NoHead => {
                    self.begin_http09(bytes, sink);
                    return bytes.len();
                }
                Found::More => {}
            }
        }
        let mut head_bytes = std::mem::take(&mut self.head_bytes);
        head_bytes.extend_from_slice(bytes);
        match self.find_head(&head_bytes) {
            Found::Head(len) => {
                self.take_head(&head_bytes[..len], sink);
                len - before
            }
            Found::NoHead => {
                self.begin_http09(&head_bytes, sink);
                bytes.len()
            }
            Found::More => {
                self.head_bytes = head_bytes;
                if is_over {
                    self.cut_head(Cut::HeadTooLong, sink);
                }
                bytes.len()
            }
        }
    }

    fn find_head(&mut self, bytes: &[u8]) -> Found {
        if self.searched == 0 {
            match parse::start(bytes) {
                Start::StatusLine => {}
                Start::Unknown => return Found::More,
                Start::Other => return Found::NoHead,
            }
        }
        let found = parse::head_len(bytes, self.searched);
        // A blank line may begin in what was seen: two bytes of it can be in the earlier piece.
        self.searched = bytes.len().saturating_sub(3).max(1);
        found.map_or(Found::More, Found::Head)
    }

    /// A head is complete.
    fn take_head(&mut self, raw: &[u8], sink: &mut impl Sink) {
        self.searched = 0;
        let head = parse::head(raw);
        // RFC 9110, 15.2: any number of them. 101 answers no question of ours and is final.
        if (100..200).contains(&head.status) && head.status != 101 {
            self.informational_bytes += raw.len();
            sink.informational(raw, head);
            return;
        }
        self.begin_body(raw, head, sink);
    }

    fn begin_body(&mut self, raw: &[u8], head: ResponseHead, sink: &mut impl Sink) {
        let (framing, oddity) = parse::framing(&head, self.request);
        self.persistent = parse::is_persistent(&head) && head.status != 101;
        self.oddity = oddity;
        sink.head(raw, head, framing);
        match framing {
            Framing::NoBody => self.finish(Reason::NoBody),
            Framing::ContentLength(0) => self.finish(Reason::ContentLength),
            Framing::ContentLength(left) => self.state = State::Length { left },
            Framing::Chunked => self.state = State::Chunks(Chunks::new(self.limits)),
            Framing::UntilClose => self.state = State::UntilClose,
        }
    }

    fn begin_http09(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let head =
            ResponseHead { version: Version::Http09, status: 200, reason: Vec::new(), headers: Vec::new() };
        self.oddity = Some("http09");
        sink.head(b"", head, Framing::UntilClose);
        sink.body(bytes);
        self.state = State::UntilClose;
    }

    /// The head ends too early: what came of it is read all the same, as Chromium does for http.
    fn cut_head(&mut self, cut: Cut, sink: &mut impl Sink) {
        let raw = std::mem::take(&mut self.head_bytes);
        if raw.is_empty() {
            return self.finish(Reason::Truncated(Cut::Nothing));
        }
        match parse::start(&raw) {
            Start::StatusLine => {}
            Start::Other => {
                self.begin_http09(&raw, sink);
                return self.finish(Reason::Close);
            }
            Start::Unknown if parse::may_become_status_line(&raw) => {
                // Kept, so that the caller can say what came.
                self.head_bytes = raw;
                return self.finish(Reason::Truncated(Cut::Nothing));
            }
            Start::Unknown => {
                self.begin_http09(&raw, sink);
                return self.finish(Reason::Close);
            }
        }
        if !parse::has_status(&raw) {
            self.head_bytes = raw;
            return self.finish(Reason::Truncated(Cut::Nothing));
        }
        sink.head(&raw, parse::head(&raw), Framing::NoBody);
        self.finish(Reason::Truncated(cut));
    }

    fn feed_chunks(&mut self, bytes: &[u8], sink: &mut impl Sink) -> usize {
        let State::Chunks(chunks) = &mut self.state else { unreachable!("called in this state") };
        let mut consumed = 0;
        loop {
            let step = chunks.step(&bytes[consumed..]);
            let piece = &bytes[consumed..consumed + step.raw_len];
            if !piece.is_empty() {
                sink.body(piece);
            }
            if let Some((from, to)) = step.data {
                sink.payload(&piece[from..to]);
            }
            consumed += step.raw_len;
            match step.error {
                Some(ChunkError::FirstLine) => {
                    // Some servers announce chunks and send none: then the body is what it is.
                    self.oddity = Some("badChunk");
                    sink.payload(chunks.line());
                    self.state = State::Unchunked;
                    return consumed;
                }
                Some(ChunkError::Later) => {
                    self.oddity = Some("badChunk");
                    self.state = State::Unframed;
                    return consumed;
                }
                None => {}
            }
            if chunks.is_done() {
                self.finish(Reason::Chunked);
                return consumed;
            }
            if consumed == bytes.len() {
                return consumed;
            }
        }
    }
}

enum Found {
    Head(usize),
    NoHead,
    More,
}
