//! Rows of a block, uncompressed: for each, how many bytes its key shares with the last one, how many follow, the
//! value's length plus one (0: a tombstone), then the rest of the key and the value.

use super::varint;

#[derive(Default)]
pub struct BlockBuilder {
    bytes: Vec<u8>,
    last_key: Vec<u8>,
}

impl BlockBuilder {
    pub fn push(&mut self, key: &[u8], value: Option<&[u8]>) {
        let shared = if self.bytes.is_empty() { 0 } else { super::shared_bytes(&self.last_key, key) };
        varint::push(&mut self.bytes, shared as u64);
        varint::push(&mut self.bytes, (key.len() - shared) as u64);
        varint::push(&mut self.bytes, value.map_or(0, |value| value.len() as u64 + 1));
        self.bytes.extend_from_slice(&key[shared..]);
        self.bytes.extend_from_slice(value.unwrap_or_default());
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(&key[shared..]);
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.last_key.clear();
    }
}

/// A decompressed block.
pub struct Block {
    bytes: Vec<u8>,
}

/// A place in a block and the row that was read there.
#[derive(Default)]
pub struct Row {
    pub key: Vec<u8>,
    /// Where the value lies in the block; `None` for a tombstone.
    value: Option<(usize, usize)>,
    /// Where the next row begins.
    next: usize,
}

impl Block {
    pub fn new(bytes: Vec<u8>) -> Block {
        Block { bytes }
    }

    /// Reads the row at `row.next`; false at the end of the block.
    pub fn step(&self, row: &mut Row) -> Result<bool, ()> {
        let mut rest = &self.bytes[row.next..];
        if rest.is_empty() {
            return Ok(false);
        }
        let mut number = || varint::take(&mut rest).map(|number| number as usize).ok_or(());
        let (shared, key_len, value_len) = (number()?, number()?, number()?);
        if shared > row.key.len() {
            return Err(());
        }
        let (key_rest, rest) = rest.split_at_checked(key_len).ok_or(())?;
        row.key.truncate(shared);
        row.key.extend_from_slice(key_rest);
        let start = self.bytes.len() - rest.len();
        let end =
            start.checked_add(value_len.saturating_sub(1)).filter(|end| *end <= self.bytes.len()).ok_or(())?;
        row.value = (value_len > 0).then_some((start, end));
        row.next = end;
        Ok(true)
    }

    pub fn value(&self, row: &Row) -> Option<&[u8]> {
        row.value.map(|(start, end)| &self.bytes[start..end])
    }

    /// `None`: not here. `Some(None)`: a tombstone.
    pub fn get(&self, key: &[u8]) -> Result<Option<Option<&[u8]>>, ()> {
        let mut row = Row::default();
        while self.step(&mut row)? {
            match (*row.key).cmp(key) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(Some(self.value(&row))),
                std::cmp::Ordering::Greater => break,
            }
        }
        Ok(None)
    }
}
