//! Chunk framing (RFC 9112, 7.1), read as Chromium's `HttpChunkedDecoder` does: lines may end with a bare LF, blanks may
//! follow the size, extensions and trailers are skipped.

use memchr::memchr;

use crate::ReaderLimits;

/// Finds chunk data between framing.
pub(crate) struct Chunks {
    limits: ReaderLimits,
    state: State,
    /// Bytes of an unfinished line, line end included.
    line: Vec<u8>,
    /// No chunk was seen yet.
    first: bool,
    trailer_bytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Size,
    Data { left: u64 },
    DataEnd,
    Trailer,
    Done,
}

/// What was found at the front of the bytes.
pub(crate) struct Step {
    /// Bytes used.
    pub(crate) raw_len: usize,
    /// Which of them are data.
    pub(crate) data: Option<(usize, usize)>,
    /// These bytes are no chunk framing.
    pub(crate) error: Option<ChunkError>,
}

/// Where framing failed.
pub(crate) enum ChunkError {
    /// The very first line is no chunk size; [`Chunks::line`] holds it.
    FirstLine,
    /// After at least one chunk.
    Later,
}

impl Chunks {
    pub(crate) fn new(limits: ReaderLimits) -> Chunks {
        Chunks { limits, state: State::Size, line: Vec::new(), first: true, trailer_bytes: 0 }
    }

    /// The bytes of the line that is being read or was refused.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// The chunk of size 0 was seen: no data will follow.
    pub(crate) fn seen_last(&self) -> bool {
        matches!(self.state, State::Trailer | State::Done)
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// At the end of the connection: what came of the first line is no chunk size.
    pub(crate) fn is_surely_unchunked(&self) -> bool {
        self.first && !self.line.is_empty() && size(&self.line).is_none()
    }

    /// Reads one piece of data or one line. `bytes` is not empty.
    pub(crate) fn step(&mut self, bytes: &[u8]) -> Step {
        if let State::Data { left } = self.state {
            let n = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let left = left - n as u64;
            self.state = if left == 0 { State::DataEnd } else { State::Data { left } };
            return Step { raw_len: n, data: Some((0, n)), error: None };
        }
        let line_end = memchr(b'\n', bytes);
        let raw_len = line_end.map_or(bytes.len(), |index| index + 1);
        let max = self.limits.chunk_line_bytes_max;
        if line_end.is_none() {
            self.line.extend_from_slice(bytes);
            let error = (self.line.len() > max).then(|| self.error());
            return Step { raw_len, data: None, error };
        }
        // The usual line lies whole in the bytes; only the first one must be kept for the case that it is refused.
        let ok = if self.line.is_empty() && !self.first {
            raw_len <= max && self.take_line(&bytes[..raw_len])
        } else {
            self.line.extend_from_slice(&bytes[..raw_len]);
            let line = std::mem::take(&mut self.line);
            let ok = line.len() <= max && self.take_line(&line);
            if !ok {
                self.line = line;
            }
            ok
        };
        Step { raw_len, data: None, error: (!ok).then(|| self.error()) }
    }

    fn error(&self) -> ChunkError {
        if self.first { ChunkError::FirstLine } else { ChunkError::Later }
    }

    /// A whole line, its line end included. False if it is none of this place.
    fn take_line(&mut self, line: &[u8]) -> bool {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        match self.state {
            State::Size => {
                let Some(size) = size(text) else { return false };
                self.first = false;
                self.state = if size == 0 { State::Trailer } else { State::Data { left: size } };
                true
            }
            State::DataEnd => {
                self.state = State::Size;
                text.is_empty()
            }
            State::Trailer => {
                self.trailer_bytes += line.len();
                if text.is_empty() {
                    self.state = State::Done;
                }
                self.trailer_bytes <= self.limits.trailer_bytes_max
            }
            State::Data { .. } | State::Done => unreachable!("no lines in these states"),
        }
    }
}

/// The size in a chunk-size line: hexadecimal digits, then blanks, then perhaps extensions. `None` for anything else and
/// for sizes over 2^63.
fn size(line: &[u8]) -> Option<u64> {
    let end = memchr(b';', line).unwrap_or(line.len());
    let digits = line[..end].trim_ascii_end();
    if digits.is_empty() {
        return None;
    }
    let mut size: u64 = 0;
    for byte in digits {
        let digit = (*byte as char).to_digit(16)?;
        if size >> 59 != 0 {
            return None;
        }
        size = size << 4 | u64::from(digit);
    }
    Some(size)
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes() {
        let check = |line: &str, expected| assert_eq!(size(line.as_bytes()), expected, "{line:?}");
        check("5", Some(5));
        check("5  ", Some(5));
        check("1C;ext=\"a;b\"", Some(28));
        check("0000000000000000000a", Some(10));
        check("7fffffffffffffff", Some(i64::MAX as u64));
        check("8000000000000000", None);
        check("12345678123456789", None);
        check("", None);
        check(";x", None);
        check(" 5", None);
        check("0x5", None);
        check("+5", None);
        check("-1", None);
        check("2 erfrferferf", None);
        check("zz", None);
    }
}
