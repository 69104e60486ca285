//! The finished records of one exchange, before they have a place in a file.

use std::io;

use model::{Body, CaptureKind, Digest, EarlierCapture, RecordPlace, WallMs};
use surt::CanonicalUrl;
use warc::MemberStream;

use crate::Block;
use crate::records::RevisitParts;

/// The finished records of one exchange: heads, digests, gzip members. Only their place is open.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) kind: CaptureKind,
    pub(crate) url: CanonicalUrl,
    pub(crate) record_id: [u8; 16],
    pub(crate) date: WallMs,
    pub(crate) mime: String,
    pub(crate) payload_digest: Digest,
    /// Capture first, then what is concurrent to it.
    pub(crate) pieces: Vec<Piece>,
    /// Set if the first piece can still become a revisit.
    pub(crate) revisit: Option<RevisitParts>,
    pub(crate) gzip_level: Option<u8>,
    /// Set if the records lie in a file of their own already.
    pub(crate) placed: Option<Placed>,
}

/// Where records lie that were written outside the group.
#[derive(Debug)]
pub(crate) struct Placed {
    pub warcinfo: RecordPlace,
    pub records: Vec<RecordPlace>,
}

/// The bytes of one record as they will stand in the file.
#[derive(Debug)]
pub(crate) enum Piece {
    /// In memory.
    Ready { bytes: Vec<u8>, crc32c: u32 },
    /// In a scratch file.
    Spooled { body: Body, crc32c: u32 },
    /// Too large to be compressed beforehand: made while it is written.
    Deferred { head: Vec<u8>, block: Block, gzip_level: Option<u8> },
}

impl Prepared {
    /// Response, revisit or resource.
    pub fn kind(&self) -> CaptureKind {
        self.kind
    }

    /// What was captured.
    pub fn url(&self) -> &CanonicalUrl {
        &self.url
    }

    /// Of the payload.
    pub fn payload_digest(&self) -> Digest {
        self.payload_digest
    }

    /// As a later revisit would refer to it.
    pub fn as_earlier(&self) -> EarlierCapture {
        EarlierCapture { url: self.url.clone(), date: self.date, record_id: self.record_id }
    }

    /// True for a whole HTTP response with a payload: it may become a revisit, and later captures may refer to it.
    pub fn may_be_revisit(&self) -> bool {
        self.revisit.is_some() && self.placed.is_none()
    }

    /// Makes the capture a revisit of an earlier one, its other records kept: for a twin that turned up after this was
    /// prepared. Cheap (a few kilobytes are compressed). Unchanged unless [`Prepared::may_be_revisit`].
    pub fn into_revisit(mut self, earlier: &EarlierCapture) -> Prepared {
        if self.placed.is_some() {
            return self;
        }
        if let Some(parts) = self.revisit.take() {
            let draft = parts.draft(earlier);
            let head = crate::builder::HeadFacts {
                url: &self.url,
                date: self.date,
                record_id: self.record_id,
                concurrent_to: None,
            };
            self.pieces[0] = crate::builder::piece_in_memory(&draft, &head, self.gzip_level);
            self.kind = CaptureKind::Revisit;
        }
        self
    }

    /// Bytes it will take in the file; an upper estimate for what is not compressed yet.
    pub fn file_bytes(&self) -> u64 {
        self.pieces.iter().map(Piece::file_bytes).sum()
    }
}

impl Piece {
    pub(crate) fn ready(bytes: Vec<u8>) -> Piece {
        let crc32c = crc32c::crc32c(&bytes);
        Piece::Ready { bytes, crc32c }
    }

    pub(crate) fn file_bytes(&self) -> u64 {
        match self {
            Piece::Ready { bytes, .. } => bytes.len() as u64,
            Piece::Spooled { body, .. } => body.len(),
            Piece::Deferred { head, block, .. } => head.len() as u64 + block.len() + 1024,
        }
    }

    /// Passes the bytes on in their order; gives their number and CRC-32C.
    pub(crate) fn write(&self, mut sink: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<(u64, u32)> {
        match self {
            Piece::Ready { bytes, crc32c } => {
                sink(bytes)?;
                Ok((bytes.len() as u64, *crc32c))
            }
            Piece::Spooled { body, crc32c } => {
                // The scratch file was not synced and may have rotted: what is written must be what was made.
                let mut seen = 0;
                body.for_each_chunk(|bytes| {
                    seen = crc32c::crc32c_append(seen, bytes);
                    sink(bytes)
                })?;
                if seen != *crc32c {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "scratch file changed since it was written",
                    ));
                }
                Ok((body.len(), *crc32c))
            }
            Piece::Deferred { head, block, gzip_level } => {
                let mut counted = Counted { sink, len: 0, crc32c: 0 };
                stream_record(head, block, *gzip_level, &mut counted)?;
                Ok((counted.len, counted.crc32c))
            }
        }
    }
}

/// Writes a whole record piece by piece, as one gzip member if a level is given.
pub(crate) fn stream_record(
    head: &[u8],
    block: &Block,
    gzip_level: Option<u8>,
    out: &mut impl io::Write,
) -> io::Result<()> {
    match gzip_level {
        Some(level) => {
            let mut member = MemberStream::new(out, level);
            write_parts(head, block, &mut member)?;
            member.finish()?;
            Ok(())
        }
        None => write_parts(head, block, out),
    }
}

fn write_parts(head: &[u8], block: &Block, out: &mut impl io::Write) -> io::Result<()> {
    out.write_all(head)?;
    out.write_all(&block.head)?;
    block.body.for_each_chunk(|bytes| out.write_all(bytes))?;
    out.write_all(warc::TRAILER)
}

/// Counts and checks what passes through.
pub(crate) struct Counted<F> {
    pub sink: F,
    pub len: u64,
    pub crc32c: u32,
}

impl<F: FnMut(&[u8]) -> io::Result<()>> io::Write for Counted<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.sink)(bytes)?;
        self.len += bytes.len() as u64;
        self.crc32c = crc32c::crc32c_append(self.crc32c, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
