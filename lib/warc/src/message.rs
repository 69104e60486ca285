//! The HTTP message inside a record: head, body, and the payload without transfer coding.

use std::io::{self, BufRead};

use http1::{Cut, Framing, ReaderLimits, Reason, RequestInfo, ResponseHead, ResponseReader, Sink};

/// Reads an HTTP response out of a block piece by piece.
///
/// The whole block belongs to the message, also what lies behind the end that its Content-Length names: some writers
/// stored bodies decoded under the old head.
pub struct HttpResponse<B> {
    block: B,
    reader: ResponseReader,
    found: Found,
    is_at_end: bool,
    is_head_cut: bool,
}

/// Bytes found by the last feed.
#[derive(Default)]
struct Found {
    raw_head: Vec<u8>,
    head: Option<ResponseHead>,
    framing: Option<Framing>,
    body: Vec<u8>,
    payload: Vec<u8>,
    /// The piece that was handed out last.
    body_out: Vec<u8>,
    payload_out: Vec<u8>,
}

/// A piece of a message's body; both are empty at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// As stored: with chunk framing.
    pub body: &'a [u8],
    /// Without chunk framing. The same as `body` if there is none.
    pub payload: &'a [u8],
}

impl<B: BufRead> HttpResponse<B> {
    /// Reads the head.
    ///
    /// # Errors
    /// When the block cannot be read.
    pub fn read(block: B) -> io::Result<HttpResponse<B>> {
        let limits = ReaderLimits { head_bytes_max: 1 << 20, ..ReaderLimits::default() };
        let reader = ResponseReader::new(RequestInfo { method_head: false }, limits);
        let mut response =
            HttpResponse { block, reader, found: Found::default(), is_at_end: false, is_head_cut: false };
        while response.found.head.is_none() && !response.is_at_end {
            response.feed()?;
        }
        Ok(response)
    }

    /// What was read out of the head; `None` if there is nothing that can be one.
    pub fn head(&self) -> Option<&ResponseHead> {
        self.found.head.as_ref()
    }

    /// The head's bytes, those of 1xx heads before it included.
    pub fn raw_head(&self) -> &[u8] {
        &self.found.raw_head
    }

    /// The block ends inside the head.
    pub fn is_head_cut(&self) -> bool {
        self.is_head_cut
    }

    /// The body is in chunks by its head.
    pub fn is_chunked(&self) -> bool {
        self.found.framing == Some(Framing::Chunked)
    }

    /// The next piece of the body.
    ///
    /// # Errors
    /// When the block cannot be read.
    pub fn next_piece(&mut self) -> io::Result<Option<Piece<'_>>> {
        // The first piece was found with the head.
        while self.found.body.is_empty() && !self.is_at_end {
            self.feed()?;
        }
        if self.found.body.is_empty() && self.found.payload.is_empty() {
            return Ok(None);
        }
        self.found.body_out = std::mem::take(&mut self.found.body);
        self.found.payload_out = std::mem::take(&mut self.found.payload);
        let payload = if self.is_chunked() { &self.found.payload_out } else { &self.found.body_out };
        Ok(Some(Piece { body: &self.found.body_out, payload }))
    }

    fn feed(&mut self) -> io::Result<()> {
        let bytes = self.block.fill_buf()?;
        if bytes.is_empty() {
            let end = self.reader.finish_eof(&mut self.found);
            self.is_head_cut =
                matches!(end.reason, Reason::Truncated(Cut::Head | Cut::HeadTooLong | Cut::Nothing));
            self.is_at_end = true;
            return Ok(());
        }
        let progress = self.reader.feed(bytes, &mut self.found);
        self.found.body.extend_from_slice(&bytes[progress.consumed..]);
        let n = bytes.len();
        self.block.consume(n);
        Ok(())
    }
}

impl Sink for Found {
    fn informational(&mut self, raw: &[u8], _head: ResponseHead) {
        self.raw_head.extend_from_slice(raw);
    }

    fn head(&mut self, raw: &[u8], head: ResponseHead, framing: Framing) {
        self.raw_head.extend_from_slice(raw);
        self.head = Some(head);
        self.framing = Some(framing);
    }

    fn body(&mut self, raw: &[u8]) {
        self.body.extend_from_slice(raw);
    }

    fn payload(&mut self, bytes: &[u8]) {
        self.payload.extend_from_slice(bytes);
    }
}
