//! Makes an exchange's records: all the work that needs a processor but no order.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::world::{Disk, DiskFile};
use model::{Body, CaptureKind, Digest, EarlierCapture, Exchange, Extraction, FetchItem, Spool, WallMs};
use sha1::{Digest as _, Sha1};
use surt::CanonicalUrl;
use warc::{HeadWriter, MemberCompressor, RecordId, RecordType};

use crate::prepared::{Counted, Piece, stream_record};
use crate::records::{self, RecordMaker, RevisitParts};
use crate::{ArchiveOptions, Block, Draft, Prepared, Task};

/// Buffers a thread keeps between records; larger ones are given back.
const SCRATCH_BYTES_KEPT: usize = 1 << 20;

/// Makes an exchange's records. Shared by all workers.
pub struct RecordBuilder {
    options: Arc<ArchiveOptions>,
    outside: Vec<Box<dyn RecordMaker>>,
}

impl RecordBuilder {
    /// A builder with the makers of [`records::ALL`].
    pub fn new(options: Arc<ArchiveOptions>) -> RecordBuilder {
        RecordBuilder { options, outside: Vec::new() }
    }

    /// Adds a maker; its record comes after the others of the group.
    pub fn with(mut self, maker: Box<dyn RecordMaker>) -> RecordBuilder {
        self.outside.push(maker);
        self
    }

    /// Makes the records of one exchange. `new_id` gives a fresh random UUID at each call. With an `earlier` capture of
    /// the same payload the capture becomes a revisit, unless the payload is empty or truncated. `None` if no maker
    /// knows that kind of exchange.
    ///
    /// # Errors
    /// When a body in a scratch file cannot be read, or no scratch file can be written beside it.
    pub fn prepare(
        &self,
        exchange: &Exchange,
        extraction: &Extraction,
        item: &FetchItem,
        mut new_id: impl FnMut() -> [u8; 16],
        earlier: Option<&EarlierCapture>,
    ) -> io::Result<Option<Prepared>> {
        // The empty payload is everybody's twin, and what is cut off is not known to be the same.
        let may_repeat =
            exchange.url.is_http() && !exchange.payload.is_empty() && exchange.truncated.is_none();
        let earlier = earlier.filter(|_| may_repeat);
        let task = Task { exchange, extraction, item, earlier, options: &self.options };
        let makers = records::ALL.into_iter().chain(self.outside.iter().map(|maker| &**maker));
        let (mut pieces, mut kind, mut first_id) = (Vec::with_capacity(3), CaptureKind::Response, [0; 16]);
        for maker in makers {
            let Some(draft) = maker.draft(&task) else { continue };
            let record_id = new_id();
            let concurrent_to = (!pieces.is_empty()).then_some(first_id);
            if pieces.is_empty() {
                first_id = record_id;
                kind = capture_kind(&draft.record_type);
            }
            let facts = HeadFacts { url: &exchange.url, date: exchange.started, record_id, concurrent_to };
            pieces.push(self.piece(&draft, &facts)?);
        }
        if pieces.is_empty() {
            return Ok(None);
        }
        let is_twin_possible = may_repeat && kind == CaptureKind::Response;
        Ok(Some(Prepared {
            kind,
            url: exchange.url.clone(),
            record_id: first_id,
            date: exchange.started,
            mime: exchange.media_type().filter(|mime| !mime.is_empty()).unwrap_or_else(|| "unk".to_owned()),
            payload_digest: exchange.payload_digest,
            pieces,
            revisit: is_twin_possible.then(|| RevisitParts::new(exchange)),
            gzip_level: self.options.gzip_level,
            placed: None,
        }))
    }

    fn piece(&self, draft: &Draft, facts: &HeadFacts<'_>) -> io::Result<Piece> {
        let gzip_level = match self.options.gzip_level {
            Some(_) if draft.is_incompressible && self.options.store_incompressible => Some(0),
            other => other,
        };
        let Body::Spool(spool) = &draft.block.body else {
            return Ok(piece_in_memory(draft, facts, gzip_level));
        };
        let mut head = Vec::new();
        write_head(&mut head, draft, facts)?;
        // What only has to be copied is copied when it is written; what gets a file of its own is compressed into it.
        if gzip_level.unwrap_or(0) == 0 || draft.block.len() >= self.options.own_file_bytes_min {
            return Ok(Piece::Deferred { head, block: draft.block.clone(), gzip_level });
        }
        let (path, mut file) = create_beside(&*spool.disk, &spool.path)?;
        let mut counted = Counted { sink: |bytes: &[u8]| file.append(bytes), len: 0, crc32c: 0 };
        let mut buffered = io::BufWriter::with_capacity(256 << 10, &mut counted);
        let written =
            stream_record(&head, &draft.block, gzip_level, &mut buffered).and_then(|()| buffered.flush());
        drop(buffered);
        let (len, crc32c) = (counted.len, counted.crc32c);
        // Made before the result is looked at: dropping it removes the file.
        let spool = Spool { path, offset: 0, len, disk: spool.disk.clone(), owns_file: true };
        let body = Body::Spool(Arc::new(spool));
        written?;
        Ok(Piece::Spooled { body, crc32c })
    }
}

/// A scratch file of a new name beside another.
fn create_beside(disk: &dyn Disk, path: &Path) -> io::Result<(PathBuf, Box<dyn DiskFile>)> {
    let mut number = 0u32;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".member{number}"));
        let beside = PathBuf::from(name);
        match disk.create_new(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            other => return Ok((beside, other?)),
        }
    }
}

/// What a head needs beyond its draft.
pub(crate) struct HeadFacts<'a> {
    pub url: &'a CanonicalUrl,
    pub date: WallMs,
    pub record_id: [u8; 16],
    pub concurrent_to: Option<[u8; 16]>,
}

/// Buffers of one thread.
struct Scratch {
    record: Vec<u8>,
    member: Vec<u8>,
    compressor: MemberCompressor,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch { record: Vec::new(), member: Vec::new(), compressor: MemberCompressor::new() })
    };
}

/// Makes a record whose block lies in memory.
pub(crate) fn piece_in_memory(draft: &Draft, facts: &HeadFacts<'_>, gzip_level: Option<u8>) -> Piece {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.record.clear();
        write_head(&mut scratch.record, draft, facts).expect("bytes in memory can be read");
        scratch.record.extend_from_slice(&draft.block.head);
        if let Body::Memory(bytes) = &draft.block.body {
            scratch.record.extend_from_slice(bytes);
        }
        scratch.record.extend_from_slice(warc::TRAILER);
        let piece = in_member(scratch, gzip_level);
        scratch.record.shrink_to(SCRATCH_BYTES_KEPT);
        scratch.member.shrink_to(SCRATCH_BYTES_KEPT);
        piece
    })
}

fn in_member(scratch: &mut Scratch, gzip_level: Option<u8>) -> Piece {
    let Some(level) = gzip_level else {
        return Piece::ready(scratch.record.clone());
    };
    scratch.member.clear();
    scratch.compressor.append_member(level, &scratch.record, &mut scratch.member);
    Piece::ready(scratch.member.clone())
}

/// A record in memory of one block, for warcinfo.
pub(crate) fn record_in_memory(
    gzip_level: Option<u8>,
    write_head: impl FnOnce(&mut Vec<u8>),
    block: &[u8],
) -> Piece {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.record.clear();
        write_head(&mut scratch.record);
        scratch.record.extend_from_slice(block);
        scratch.record.extend_from_slice(warc::TRAILER);
        in_member(scratch, gzip_level)
    })
}

fn write_head(out: &mut Vec<u8>, draft: &Draft, facts: &HeadFacts<'_>) -> io::Result<()> {
    let digest = match draft.block_digest {
        Some(digest) => digest,
        None => block_digest(&draft.block)?,
    };
    let mut head =
        HeadWriter::begin(out, &draft.record_type, Some(facts.url.as_str()), &facts.date.iso_seconds());
    if let Some(id) = facts.concurrent_to {
        head = head.header("WARC-Concurrent-To", RecordId(id));
    }
    for (name, value) in &draft.headers {
        head = head.header(name, value);
    }
    head.header("WARC-Block-Digest", digest).finish(
        &facts.record_id,
        Some(&draft.content_type),
        draft.block.len(),
    );
    Ok(())
}

pub(crate) fn block_digest(block: &Block) -> io::Result<Digest> {
    let mut sha1 = Sha1::new();
    sha1.update(&block.head);
    block.body.for_each_chunk(|bytes| {
        sha1.update(bytes);
        Ok(())
    })?;
    Ok(Digest(sha1.finalize().into()))
}

fn capture_kind(record_type: &RecordType) -> CaptureKind {
    match record_type {
        RecordType::Response => CaptureKind::Response,
        RecordType::Revisit => CaptureKind::Revisit,
        _ => CaptureKind::Resource,
    }
}
