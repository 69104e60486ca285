//! The bytes of a file with their offsets, and a bounded way back.

use std::io::{self, ErrorKind, Read};

/// Size of the window.
const WINDOW_BYTES: usize = 256 << 10;

/// Bytes behind the reading place that stay reachable.
const HISTORY_BYTES: usize = 96 << 10;

/// A window on the bytes of a file.
pub(crate) struct Raw<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Reading place in the buffer.
    place: usize,
    /// Offset of the buffer's first byte in the file.
    base: u64,
    is_at_end: bool,
}

impl<R: Read> Raw<R> {
    /// `offset` is where the reader stands in its file.
    pub(crate) fn new(reader: R, offset: u64) -> Raw<R> {
        Raw { reader, buffer: Vec::new(), place: 0, base: offset, is_at_end: false }
    }

    /// Offset of the reading place in the file.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.place as u64
    }

    /// All that is buffered from the reading place on: at least `n` bytes (at most 64 KiB) unless the file ends before.
    pub(crate) fn peek(&mut self, n: usize) -> io::Result<&[u8]> {
        while self.buffer.len() - self.place < n && !self.is_at_end {
            self.read_more()?;
        }
        Ok(&self.buffer[self.place..])
    }

    pub(crate) fn consume(&mut self, n: usize) {
        self.place += n;
        debug_assert!(self.place <= self.buffer.len());
    }

    /// Lowest offset that [`Raw::go_back`] reaches.
    pub(crate) fn history_start(&self) -> u64 {
        self.base
    }

    /// All that is buffered from an offset in reach on.
    pub(crate) fn since(&self, from: u64) -> &[u8] {
        &self.buffer[(from - self.base) as usize..]
    }

    /// Puts the reading place to an offset in the buffer.
    pub(crate) fn go_back(&mut self, offset: u64) {
        self.place = (offset - self.base) as usize;
    }

    /// Gives the reader back.
    pub(crate) fn into_inner(self) -> R {
        self.reader
    }

    fn read_more(&mut self) -> io::Result<()> {
        if self.buffer.len() >= WINDOW_BYTES {
            let drop = self.place.saturating_sub(HISTORY_BYTES);
            self.buffer.drain(..drop);
            self.place -= drop;
            self.base += drop as u64;
        }
        let len = self.buffer.len();
        let room = WINDOW_BYTES.saturating_sub(len).max(4096);
        self.buffer.resize(len + room, 0);
        let n = loop {
            match self.reader.read(&mut self.buffer[len..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.buffer.truncate(len);
                    return Err(error);
                }
                Ok(n) => break n,
            }
        };
        self.buffer.truncate(len + n);
        self.is_at_end = n == 0;
        Ok(())
    }
}
