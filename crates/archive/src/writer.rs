//! Appends prepared records to WARC files: rules 1 to 8 of the durability contract, for one owner.
//!
//! The owner's order: [`WarcWriter::append`] for each capture of a group, [`WarcWriter::sync_touched`], then its own
//! commit point, then [`WarcWriter::committed`]. A file is called `NAME.open` until every byte of it is committed.

use std::io;
use std::sync::Arc;

use model::planted::{Bug, is_planted};
use model::world::{Chance, Clock, Disk, DiskFile};
use model::{Capture, RecordPlace};

use crate::own_file::NewFile;
use crate::prepared::Piece;
use crate::{ArchiveOptions, OwnFiles, Prepared, WarcNames};

/// Bytes that are collected before they are written, so that small records do not cost a system call each.
const BUFFER_BYTES_MAX: usize = 1 << 20;

/// Appends prepared records to WARC files. After any error it is dead and refuses everything: what the disk holds is then
/// unknown, and going on is the procedure of a resume.
pub struct WarcWriter {
    files: OwnFiles,
    current: Option<OpenFile>,
    /// Bytes of the current file that are not written yet.
    buffer: Vec<u8>,
    /// Files that take no more records but are not wholly committed.
    full: Vec<OpenFile>,
    /// A new name is not durable yet.
    is_dir_touched: bool,
    is_dead: bool,
}

/// What an append gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// For journal, index and logs.
    pub capture: Capture,
    /// The file's first record, if this capture is the first one in it.
    pub warcinfo: Option<RecordPlace>,
}

struct OpenFile {
    name: Arc<str>,
    /// `None` once no more is written to it: closed, or written by [`OwnFiles`].
    file: Option<Box<dyn DiskFile>>,
    /// What is buffered counts.
    len: u64,
    synced_len: u64,
    committed_len: u64,
}

impl WarcWriter {
    /// A writer that creates its first file with the first record.
    pub fn new(
        options: Arc<ArchiveOptions>,
        names: WarcNames,
        disk: Arc<dyn Disk>,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
    ) -> WarcWriter {
        WarcWriter {
            files: OwnFiles { options, names, disk, clock, chance },
            current: None,
            buffer: Vec::new(),
            full: Vec::new(),
            is_dir_touched: false,
            is_dead: false,
        }
    }

    /// What workers write large captures with.
    pub fn own_files(&self) -> OwnFiles {
        self.files.clone()
    }

    /// Appends the records of one capture, all to the same file. A file that is too long already is left for a new one
    /// first. Nothing is durable before [`WarcWriter::sync_touched`].
    ///
    /// # Errors
    /// When the disk fails or is full; the writer is dead then.
    pub fn append(&mut self, prepared: Prepared) -> io::Result<Appended> {
        self.guarded(|writer| writer.append_records(prepared))
    }

    /// Makes everything appended durable: each file touched since the last call, and names of new files.
    ///
    /// # Errors
    /// When the disk fails; the writer is dead then.
    pub fn sync_touched(&mut self) -> io::Result<()> {
        self.guarded(|writer| {
            writer.flush()?;
            for open in writer.full.iter_mut().chain(&mut writer.current) {
                if open.synced_len < open.len {
                    let file = open.file.as_mut().expect("a file is closed only when synced");
                    if !is_planted(Bug::WarcNotSynced) {
                        file.sync()?;
                    }
                    open.synced_len = open.len;
                }
            }
            for open in &mut writer.full {
                open.file = None;
            }
            if std::mem::take(&mut writer.is_dir_touched) {
                writer.files.disk.sync_dir(&writer.files.options.warcs_dir)?;
            }
            Ok(())
        })
    }

    /// To be called after the commit point: what [`WarcWriter::sync_touched`] made durable is committed now. Full files
    /// that are wholly committed lose their `.open`; their names come back.
    ///
    /// # Errors
    /// When the disk fails; the writer is dead then.
    pub fn committed(&mut self) -> io::Result<Vec<Arc<str>>> {
        self.guarded(|writer| {
            for open in writer.full.iter_mut().chain(&mut writer.current) {
                open.committed_len = open.synced_len;
            }
            writer.rename_committed()
        })
    }

    /// Leaves the current file, so that the next capture begins a new one: for stops and checkpoints. A file loses its
    /// `.open` now or, if bytes of it are not committed yet, at the next [`WarcWriter::committed`].
    ///
    /// # Errors
    /// When the disk fails; the writer is dead then.
    pub fn close(&mut self) -> io::Result<Vec<Arc<str>>> {
        self.guarded(|writer| {
            writer.retire()?;
            writer.rename_committed()
        })
    }

    /// For the manifest: each file that still is `.open`, and how much of it is committed.
    pub fn committed_lengths(&self) -> Vec<(Arc<str>, u64)> {
        self.full.iter().chain(&self.current).map(|open| (open.name.clone(), open.committed_len)).collect()
    }

    /// For the manifest: the serial number of the next file.
    pub fn next_serial(&self) -> u64 {
        self.files.names.next_serial()
    }

    /// True after an error.
    pub fn is_dead(&self) -> bool {
        self.is_dead
    }

    fn guarded<T>(&mut self, deed: impl FnOnce(&mut WarcWriter) -> io::Result<T>) -> io::Result<T> {
        if self.is_dead {
            return Err(io::Error::other("the WARC writer stopped at an earlier error"));
        }
        let result = deed(self);
        self.is_dead = result.is_err();
        result
    }

    fn append_records(&mut self, mut prepared: Prepared) -> io::Result<Appended> {
        let (warcinfo, mut places) = match prepared.placed.take() {
            Some(placed) => {
                let last = placed.records.last().unwrap_or(&placed.warcinfo);
                let len = last.offset + last.length;
                let name = placed.warcinfo.file.clone();
                self.full.push(OpenFile { name, file: None, len, synced_len: len, committed_len: 0 });
                (Some(placed.warcinfo), placed.records)
            }
            None => {
                let warcinfo = self.make_room()?;
                let mut places = Vec::with_capacity(prepared.pieces.len());
                for piece in &prepared.pieces {
                    places.push(self.append_piece(piece)?);
                }
                (warcinfo, places)
            }
        };
        let concurrent = places.split_off(1);
        let capture = Capture {
            kind: prepared.kind,
            place: places.pop().expect("a prepared exchange has a record"),
            payload_digest: prepared.payload_digest,
            record_id: prepared.record_id,
            date: prepared.date,
            mime: prepared.mime,
            concurrent,
        };
        Ok(Appended { capture, warcinfo })
    }

    /// Sees to it that there is a current file that may take a group; gives the warcinfo if it is new.
    fn make_room(&mut self) -> io::Result<Option<RecordPlace>> {
        if self.current.as_ref().is_some_and(|open| open.len > self.files.options.file_bytes_max) {
            self.retire()?;
        }
        if self.current.is_some() {
            return Ok(None);
        }
        let NewFile { name, file, warcinfo } = self.files.create()?;
        self.is_dir_touched = true;
        self.current =
            Some(OpenFile { name, len: file.len(), file: Some(file), synced_len: 0, committed_len: 0 });
        Ok(Some(warcinfo))
    }

    fn append_piece(&mut self, piece: &Piece) -> io::Result<RecordPlace> {
        let open = self.current.as_mut().expect("room was made");
        let file = open.file.as_mut().expect("the current file is open");
        let buffer = &mut self.buffer;
        let (length, crc32c) = piece.write(|bytes| {
            buffer.extend_from_slice(bytes);
            if buffer.len() >= BUFFER_BYTES_MAX {
                file.append(buffer)?;
                buffer.clear();
                buffer.shrink_to(2 * BUFFER_BYTES_MAX);
            }
            Ok(())
        })?;
        let offset = open.len;
        open.len += length;
        Ok(RecordPlace { file: open.name.clone(), offset, length, crc32c })
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(open) = &mut self.current {
            let file = open.file.as_mut().expect("the current file is open");
            if !self.buffer.is_empty() {
                file.append(&self.buffer)?;
                self.buffer.clear();
            }
            assert_eq!(file.len(), open.len, "length of {}", open.name);
        }
        Ok(())
    }

    fn retire(&mut self) -> io::Result<()> {
        self.flush()?;
        self.full.extend(self.current.take());
        Ok(())
    }

    fn rename_committed(&mut self) -> io::Result<Vec<Arc<str>>> {
        let (done, left) =
            std::mem::take(&mut self.full).into_iter().partition(|open| open.committed_len == open.len);
        self.full = left;
        let done: Vec<OpenFile> = done;
        let dir = &self.files.options.warcs_dir;
        for open in &done {
            self.files.disk.rename(&dir.join(format!("{}.open", open.name)), &dir.join(&*open.name))?;
        }
        if !done.is_empty() {
            self.files.disk.sync_dir(dir)?;
        }
        Ok(done.into_iter().map(|open| open.name).collect())
    }
}
