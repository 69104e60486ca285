//! A frame: entries, encoded by postcard and compressed by LZ4, behind a head with a salted checksum.
//!
//! Head, little-endian: marker u32 (made of the salt), body length u32, length before compression u32, number of entries
//! u32, first sequence number u64, CRC-32C u32 of salt, head and body.

use model::entry::{Admit, Entry};
use serde::{Deserialize, Serialize};

use super::EachEntry;
use super::admit_row::AdmitRow;
use crate::stream::{u32_at, u64_at};
use crate::{Error, Result};

/// Most bytes of a frame's entries before compression. A group of finished items must stay below.
pub const FRAME_BYTES_MAX: usize = 256 << 20;

/// Bytes before the body.
pub const FRAME_HEAD_BYTES: usize = 28;

/// The buffers of the encoder shrink back to this after a large frame, bytes.
const BUFFER_BYTES_KEPT: usize = 8 << 20;

/// An entry as it is encoded. The order of the variants is part of the format.
#[derive(Serialize)]
enum RowOut<'a> {
    Admit(AdmitRow<'a>),
    Whole(&'a Entry),
}

/// The same, read back.
#[derive(Deserialize)]
enum RowIn<'a> {
    #[serde(borrow)]
    Admit(AdmitRow<'a>),
    Whole(Entry),
}

/// Makes frames; keeps its buffers from one to the next.
pub struct Encoder {
    salt: u64,
    raw: Vec<u8>,
    frame: Vec<u8>,
}

impl Encoder {
    pub fn new(salt: u64) -> Encoder {
        Encoder { salt, raw: Vec::new(), frame: Vec::new() }
    }

    pub fn set_salt(&mut self, salt: u64) {
        self.salt = salt;
    }

    /// A whole frame.
    pub fn encode(&mut self, first_sequence: u64, entries: &[Entry]) -> Result<&[u8]> {
        let mut raw = std::mem::take(&mut self.raw);
        raw.clear();
        let mut last: Option<&Admit> = None;
        for entry in entries {
            let row = match entry {
                Entry::Admit(admit) => {
                    let row = RowOut::Admit(AdmitRow::new(admit, last));
                    last = Some(admit);
                    row
                }
                other => RowOut::Whole(other),
            };
            raw = postcard::to_extend(&row, raw).expect("entries are plain data");
            if raw.len() > FRAME_BYTES_MAX {
                let what = format!(
                    "a journal frame of {} entries takes over {FRAME_BYTES_MAX} bytes",
                    entries.len()
                );
                return Err(Error::Limit { what });
            }
        }
        let frame = &mut self.frame;
        frame.clear();
        frame.resize(FRAME_HEAD_BYTES + lz4_flex::block::get_maximum_output_size(raw.len()), 0);
        let body_len = lz4_flex::block::compress_into(&raw, &mut frame[FRAME_HEAD_BYTES..])
            .expect("the output has the size that the compressor asks for");
        frame.truncate(FRAME_HEAD_BYTES + body_len);
        frame[0..4].copy_from_slice(&marker(self.salt).to_le_bytes());
        frame[4..8].copy_from_slice(&(body_len as u32).to_le_bytes());
        frame[8..12].copy_from_slice(&(raw.len() as u32).to_le_bytes());
        frame[12..16].copy_from_slice(&(entries.len() as u32).to_le_bytes());
        frame[16..24].copy_from_slice(&first_sequence.to_le_bytes());
        let crc = frame_crc(self.salt, frame);
        frame[24..28].copy_from_slice(&crc.to_le_bytes());
        if raw.capacity() <= BUFFER_BYTES_KEPT {
            self.raw = raw;
        }
        self.frame.shrink_to(BUFFER_BYTES_KEPT.max(self.frame.len()));
        Ok(&self.frame)
    }
}

/// The four bytes that a frame of a file with that salt begins with.
pub fn marker(salt: u64) -> u32 {
    (salt ^ salt >> 32) as u32 ^ 0x4652_414d
}

fn frame_crc(salt: u64, frame: &[u8]) -> u32 {
    let crc = crc32c::crc32c(&salt.to_le_bytes());
    let crc = crc32c::crc32c_append(crc, &frame[..24]);
    crc32c::crc32c_append(crc, &frame[FRAME_HEAD_BYTES..])
}

/// The head of a frame.
#[derive(Debug, Clone, Copy)]
pub struct FrameHead {
    pub body_len: usize,
    raw_len: usize,
    pub n_entries: u32,
    pub first_sequence: u64,
}

impl FrameHead {
    /// Reads [`FRAME_HEAD_BYTES`]; `None` if no frame of that salt begins so.
    pub fn read(salt: u64, bytes: &[u8]) -> Option<FrameHead> {
        let head = FrameHead {
            body_len: u32_at(bytes, 4) as usize,
            raw_len: u32_at(bytes, 8) as usize,
            n_entries: u32_at(bytes, 12),
            first_sequence: u64_at(bytes, 16),
        };
        let is_sane = u32_at(bytes, 0) == marker(salt)
            && head.raw_len <= FRAME_BYTES_MAX
            && head.body_len <= lz4_flex::block::get_maximum_output_size(FRAME_BYTES_MAX)
            && head.n_entries > 0
            && head.first_sequence.checked_add(u64::from(head.n_entries)).is_some();
        is_sane.then_some(head)
    }

    /// Head and body together.
    pub fn frame_len(&self) -> usize {
        FRAME_HEAD_BYTES + self.body_len
    }

    /// The sequence number after its last entry.
    pub fn end_sequence(&self) -> u64 {
        self.first_sequence + u64::from(self.n_entries)
    }

    /// Whether the checksum of the whole frame is right.
    pub fn is_whole(&self, salt: u64, frame: &[u8]) -> bool {
        u32_at(frame, 24) == frame_crc(salt, frame)
    }
}

/// Calls `each` with every entry of a frame whose checksum is right. The outer error says what is wrong with the frame.
pub fn decode(
    head: &FrameHead,
    frame: &[u8],
    each: &mut EachEntry<'_>,
) -> std::result::Result<Result<()>, String> {
    let raw = lz4_flex::block::decompress(&frame[FRAME_HEAD_BYTES..], head.raw_len)
        .map_err(|error| format!("its entries cannot be decompressed: {error}"))?;
    let mut rest = &raw[..];
    let mut last: Option<Box<Admit>> = None;
    for sequence in head.first_sequence..head.end_sequence() {
        let (row, after) = postcard::take_from_bytes::<RowIn>(rest)
            .map_err(|error| format!("entry {sequence} cannot be decoded: {error}"))?;
        rest = after;
        let entry = match row {
            RowIn::Whole(entry) => entry,
            RowIn::Admit(row) => {
                let admit =
                    row.admit(last.as_deref()).ok_or_else(|| format!("entry {sequence} is no admit"))?;
                last = Some(Box::new(admit.clone()));
                Entry::Admit(Box::new(admit))
            }
        };
        if let Err(error) = each(sequence, entry) {
            return Ok(Err(error));
        }
    }
    if rest.is_empty() { Ok(Ok(())) } else { Err("bytes are left behind its last entry".to_owned()) }
}
