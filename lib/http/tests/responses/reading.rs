//! A response read in one go or in pieces, with everything the sink was told.

use bequest_http::{End, Framing, ReaderLimits, RequestInfo, ResponseHead, ResponseReader, Sink};

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) raw: Vec<u8>,
    pub(crate) head_len: usize,
    pub(crate) informational: Vec<u16>,
    pub(crate) head: Option<ResponseHead>,
    pub(crate) framing: Option<Framing>,
    pub(crate) body: Vec<u8>,
    pub(crate) payload: Vec<u8>,
    pub(crate) end: Option<End>,
    pub(crate) consumed: usize,
}

impl Sink for Reading {
    fn informational(&mut self, raw: &[u8], head: ResponseHead) {
        self.raw.extend_from_slice(raw);
        self.informational.push(head.status);
    }

    fn head(&mut self, raw: &[u8], head: ResponseHead, framing: Framing) {
        assert!(self.head.is_none(), "one final head");
        self.raw.extend_from_slice(raw);
        self.head_len = self.raw.len();
        self.head = Some(head);
        self.framing = Some(framing);
    }

    fn body(&mut self, raw: &[u8]) {
        assert!(self.head.is_some(), "the body comes after the head");
        self.raw.extend_from_slice(raw);
        self.body.extend_from_slice(raw);
        if self.framing != Some(Framing::Chunked) {
            self.payload.extend_from_slice(raw);
        }
    }

    fn payload(&mut self, bytes: &[u8]) {
        assert_eq!(self.framing, Some(Framing::Chunked));
        self.payload.extend_from_slice(bytes);
    }
}

/// Reads `bytes` in pieces that end at these places, then the end of the connection.
pub(crate) fn read_pieces(bytes: &[u8], ends: &[usize], limits: ReaderLimits) -> Reading {
    let mut reading = Reading::default();
    let mut reader = ResponseReader::new(RequestInfo::default(), limits);
    let mut from = 0;
    for end in ends.iter().copied().chain([bytes.len()]) {
        let end = end.clamp(from, bytes.len());
        let progress = reader.feed(&bytes[from..end], &mut reading);
        reading.consumed += progress.consumed;
        if progress.consumed < end - from {
            assert!(progress.end.is_some(), "bytes are left only at the end");
            break;
        }
        from = end;
    }
    reading.end = Some(reader.finish_eof(&mut reading));
    reading
}

pub(crate) fn read(bytes: &[u8]) -> Reading {
    read_pieces(bytes, &[], ReaderLimits::default())
}
