//! Keeps what comes over a connection: heads and bodies byte by byte, digests on the way, large bodies in scratch files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use http1::{Framing, ResponseHead, Sink};
use model::world::{Disk, DiskFile, World};
use model::{Body, Digest, Spool};
use sha1::{Digest as _, Sha1};

/// What is gathered in memory before it is appended to a scratch file, bytes.
const APPEND_BYTES: usize = 1 << 20;

/// What is reserved for a body at most before any of it came, bytes.
const RESERVE_BYTES_MAX: u64 = 1 << 20;

/// Records one response.
pub(crate) struct Recorder {
    /// Heads as received.
    pub(crate) head_bytes: Vec<u8>,
    /// The final head.
    pub(crate) head: Option<ResponseHead>,
    /// A byte of the body did not fit under the limit any more.
    pub(crate) over_limit: bool,
    body_bytes_max: u64,
    raw: Store,
    /// Under chunks only; otherwise `raw` is the payload.
    payload: Option<Store>,
    block_sha1: Sha1,
    payload_sha1: Sha1,
    /// Bytes that the last call of `body` kept.
    kept_last: usize,
}

/// A whole recording.
pub(crate) struct Recording {
    pub(crate) head_bytes: Bytes,
    pub(crate) head: Option<ResponseHead>,
    pub(crate) raw_body: Body,
    pub(crate) payload: Body,
    pub(crate) block_digest: Digest,
    pub(crate) payload_digest: Digest,
}

impl Recorder {
    pub(crate) fn new(body_bytes_max: u64) -> Recorder {
        Recorder {
            head_bytes: Vec::new(),
            head: None,
            over_limit: false,
            body_bytes_max,
            raw: Store::default(),
            payload: None,
            block_sha1: Sha1::new(),
            payload_sha1: Sha1::new(),
            kept_last: 0,
        }
    }

    /// Moves what is too much for memory to scratch files. To be called after each piece.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub(crate) async fn settle(&mut self, place: &Scratch<'_>) -> io::Result<()> {
        self.raw.settle(place, false).await?;
        match &mut self.payload {
            Some(payload) => payload.settle(place, false).await,
            None => Ok(()),
        }
    }

    /// The end: nothing more comes.
    ///
    /// # Errors
    /// As [`Recorder::settle`].
    pub(crate) async fn finish(self, place: &Scratch<'_>) -> io::Result<Recording> {
        let raw_body = self.raw.finish(place).await?;
        let (payload, payload_sha1) = match self.payload {
            Some(payload) => (payload.finish(place).await?, self.payload_sha1),
            None => (raw_body.clone(), self.payload_sha1),
        };
        Ok(Recording {
            head_bytes: self.head_bytes.into(),
            head: self.head,
            raw_body,
            payload,
            block_digest: Digest(self.block_sha1.finalize().into()),
            payload_digest: Digest(payload_sha1.finalize().into()),
        })
    }
}

impl Sink for Recorder {
    fn informational(&mut self, raw: &[u8], _head: ResponseHead) {
        self.head_bytes.extend_from_slice(raw);
    }

    fn head(&mut self, raw: &[u8], head: ResponseHead, framing: Framing) {
        self.head_bytes.extend_from_slice(raw);
        self.block_sha1.update(&self.head_bytes);
        self.head = Some(head);
        match framing {
            Framing::ContentLength(length) => {
                self.raw.memory.reserve_exact(length.min(RESERVE_BYTES_MAX) as usize)
            }
            Framing::Chunked => self.payload = Some(Store::default()),
            Framing::NoBody | Framing::UntilClose => {}
        }
    }

    fn body(&mut self, raw: &[u8]) {
        let left = self.body_bytes_max - self.raw.len;
        let kept = &raw[..raw.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        self.over_limit |= kept.len() < raw.len();
        self.kept_last = kept.len();
        self.block_sha1.update(kept);
        self.raw.push(kept);
        if self.payload.is_none() {
            self.payload_sha1.update(kept);
        }
    }

    fn payload(&mut self, bytes: &[u8]) {
        // Under the limit only what was kept of the raw bytes counts; data comes in the very pieces of `body`.
        let kept = if self.over_limit { &bytes[..bytes.len().min(self.kept_last)] } else { bytes };
        if let Some(payload) = &mut self.payload {
            self.payload_sha1.update(kept);
            payload.push(kept);
        }
    }
}

/// Where scratch files lie.
pub(crate) struct Scratch<'a> {
    pub(crate) world: &'a World,
    pub(crate) folder: &'a Path,
    /// Bodies up to that many bytes stay in memory.
    pub(crate) memory_bytes_max: usize,
}

/// Bytes, in memory at first.
#[derive(Default)]
struct Store {
    memory: Vec<u8>,
    spool: Option<SpoolFile>,
    len: u64,
}

impl Store {
    fn push(&mut self, bytes: &[u8]) {
        self.memory.extend_from_slice(bytes);
        self.len += bytes.len() as u64;
    }

    async fn settle(&mut self, place: &Scratch<'_>, all: bool) -> io::Result<()> {
        if self.spool.is_none() {
            if self.memory.len() <= place.memory_bytes_max {
                return Ok(());
            }
            self.spool = Some(SpoolFile::create(place).await?);
        }
        if self.memory.len() < APPEND_BYTES && !all {
            return Ok(());
        }
        let spool = self.spool.as_mut().expect("made above");
        let bytes = std::mem::take(&mut self.memory);
        self.memory = spool.append(place.world, bytes).await?;
        Ok(())
    }

    async fn finish(mut self, place: &Scratch<'_>) -> io::Result<Body> {
        if self.spool.is_none() {
            return Ok(Body::Memory(self.memory.into()));
        }
        self.settle(place, true).await?;
        let spool = self.spool.take().expect("looked at above");
        Ok(Body::Spool(Arc::new(spool.into_spool(self.len))))
    }
}

/// A scratch file that is being written; removed if dropped before its end.
struct SpoolFile {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    /// `None` while an append runs, or after one failed.
    file: Option<Box<dyn DiskFile>>,
    is_handed_over: bool,
}

impl SpoolFile {
    async fn create(place: &Scratch<'_>) -> io::Result<SpoolFile> {
        let path = place.folder.join(format!("body-{:016x}", place.world.chance.bits()));
        let disk = place.world.disk.clone();
        let (folder, job_path) = (place.folder.to_owned(), path.clone());
        let file = model::world::run(&place.world.work, move || match disk.create_new(&job_path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                disk.create_dir_all(&folder)?;
                disk.create_new(&job_path)
            }
            other => other,
        })
        .await?;
        Ok(SpoolFile { path, disk: place.world.disk.clone(), file: Some(file), is_handed_over: false })
    }

    /// Gives the emptied buffer back.
    async fn append(&mut self, world: &World, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut file = self.file.take().ok_or_else(|| io::Error::other("an earlier append failed"))?;
        let (file, bytes, outcome) = model::world::run(&world.work, move || {
            let outcome = file.append(&bytes);
            bytes.clear();
            (file, bytes, outcome)
        })
        .await;
        outcome?;
        self.file = Some(file);
        Ok(bytes)
    }

    fn into_spool(mut self, len: u64) -> Spool {
        self.is_handed_over = true;
        Spool { path: self.path.clone(), offset: 0, len, disk: self.disk.clone(), owns_file: true }
    }
}

impl Drop for SpoolFile {
    fn drop(&mut self) {
        if !self.is_handed_over {
            self.file = None;
            // A leftover is harmless: scratch is emptied when the job starts.
            let _ = self.disk.remove_file(&self.path);
        }
    }
}
