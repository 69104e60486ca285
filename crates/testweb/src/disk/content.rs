//! The bytes of a file as the pieces they were written in, so that a copy of a whole disk costs no copy of its bytes.

use bytes::Bytes;

/// Bytes of a file. Cheap to clone.
#[derive(Clone, Default)]
pub struct Content {
    /// Each piece with its offset; none is empty, together they leave no gap.
    pieces: Vec<(u64, Bytes)>,
    len: u64,
}

impl Content {
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn append(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            let offset = self.len;
            self.len += bytes.len() as u64;
            self.pieces.push((offset, bytes));
        }
    }

    /// Writes at the end or beyond it (the gap is zeros); what lies behind the offset goes.
    pub fn append_at(&mut self, offset: u64, bytes: Bytes) {
        self.resize(offset);
        self.append(bytes);
    }

    /// Cuts, or grows by zeros.
    pub fn resize(&mut self, len: u64) {
        if len > self.len {
            return self.append(vec![0; (len - self.len) as usize].into());
        }
        while let Some((offset, piece)) = self.pieces.last_mut() {
            if *offset >= len {
                self.pieces.pop();
                continue;
            }
            piece.truncate((len - *offset) as usize);
            break;
        }
        self.len = len;
    }

    /// Fills the buffer; false if the file ends before.
    pub fn read(&self, offset: u64, mut buffer: &mut [u8]) -> bool {
        if offset.checked_add(buffer.len() as u64).is_none_or(|end| end > self.len) {
            return false;
        }
        let mut offset = offset;
        let mut index = self.pieces.partition_point(|(start, _)| *start <= offset).saturating_sub(1);
        while !buffer.is_empty() {
            let (start, piece) = &self.pieces[index];
            let from = (offset - start) as usize;
            let n = buffer.len().min(piece.len() - from);
            buffer[..n].copy_from_slice(&piece[from..from + n]);
            buffer = &mut buffer[n..];
            offset += n as u64;
            index += 1;
        }
        true
    }

    /// The bytes from an offset to the end.
    pub fn tail(&self, offset: u64) -> Vec<u8> {
        let mut bytes = vec![0; self.len.saturating_sub(offset) as usize];
        assert!(self.read(offset.min(self.len), &mut bytes), "the tail lies inside");
        bytes
    }
}
