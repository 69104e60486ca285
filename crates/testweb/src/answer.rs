//! An answer: what a server says and how badly it says it.

use std::fmt::Write as _;

use bytes::Bytes;

/// How the end of a body is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Framing {
    /// `Content-Length`.
    Length,
    /// `Transfer-Encoding: chunked`.
    Chunked,
    /// The connection closes.
    Close,
}

/// Where the server gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cut {
    /// Before the first byte of an answer.
    BeforeHead,
    /// After about half of the body.
    MidBody,
    /// It never answers and never closes.
    Never,
}

/// How an answer goes over the wire, in virtual or real milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Delivery {
    /// From the request's last byte to the answer's first, milliseconds.
    pub think_ms: u64,
    /// Number of pieces the answer is sent in; 0 and 1 mean all at once.
    pub pieces: u32,
    /// Between two pieces, milliseconds.
    pub pause_ms: u64,
    /// Set if the answer does not come whole.
    pub cut: Option<Cut>,
    /// A cut ends with a reset instead of a plain close.
    pub reset: bool,
}

/// What a server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Headers but those of framing.
    pub headers: Vec<(&'static str, String)>,
    /// The payload as sent, after any content coding.
    pub body: Bytes,
    /// How its end is marked.
    pub framing: Framing,
    /// How it is sent.
    pub delivery: Delivery,
}

impl Answer {
    /// An answer with a body and its media type, sent whole and at once.
    pub fn new(status: u16, media_type: &str, body: impl Into<Bytes>) -> Answer {
        Answer {
            status,
            headers: vec![("Content-Type", media_type.to_owned())],
            body: body.into(),
            framing: Framing::Length,
            delivery: Delivery::default(),
        }
    }

    /// The answer with one more header.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }

    /// True for statuses that never have a body (RFC 9112, 6.3).
    pub fn is_bodiless(&self) -> bool {
        matches!(self.status, 100..=199 | 204 | 304)
    }

    /// The bytes of the whole answer, and where its body begins.
    pub fn to_wire(&self, is_head: bool) -> (Vec<u8>, usize) {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let has_body = !self.is_bodiless();
        match self.framing {
            _ if !has_body => {}
            Framing::Length => {
                let _ = write!(head, "Content-Length: {}\r\n", self.body.len());
            }
            Framing::Chunked => head.push_str("Transfer-Encoding: chunked\r\n"),
            Framing::Close => head.push_str("Connection: close\r\n"),
        }
        head.push_str("\r\n");
        let mut wire = head.into_bytes();
        let body_offset = wire.len();
        if !has_body || is_head {
            return (wire, body_offset);
        }
        match self.framing {
            Framing::Chunked => push_chunks(&mut wire, &self.body),
            Framing::Length | Framing::Close => wire.extend_from_slice(&self.body),
        }
        (wire, body_offset)
    }
}

/// Chunks of uneven sizes, so that no reader can rely on one.
fn push_chunks(wire: &mut Vec<u8>, body: &[u8]) {
    let (mut rest, mut size) = (body, 700);
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.len().min(size));
        wire.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        wire.extend_from_slice(chunk);
        wire.extend_from_slice(b"\r\n");
        (rest, size) = (after, size * 3 / 2 + 1);
    }
    wire.extend_from_slice(b"0\r\n\r\n");
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        421 => "Misdirected Request",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Odd",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: Answer, expected: &str) {
        assert_eq!(String::from_utf8(answer.to_wire(false).0).unwrap(), expected);
    }

    #[test]
    fn wire() {
        check(
            Answer::new(200, "text/plain", "abc").with("X-A", "1"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: 1\r\nContent-Length: 3\r\n\r\nabc",
        );
        check(
            Answer { framing: Framing::Chunked, ..Answer::new(200, "text/plain", "abc") },
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        );
        check(
            Answer::new(204, "text/plain", "abc"),
            "HTTP/1.1 204 No Content\r\nContent-Type: text/plain\r\n\r\n",
        );
        assert_eq!(Answer::new(200, "text/plain", "abc").to_wire(true).0.len(), 64);
    }
}
