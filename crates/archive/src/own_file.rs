//! Captures too large for a group: each is written into a WARC file of its own by whoever fetched it, and joins the
//! group when it is synced, so that nobody waits.

use std::io;
use std::sync::Arc;

use model::RecordPlace;
use model::world::{Chance, Clock, Disk, DiskFile};

use crate::prepared::{Piece, Placed};
use crate::{ArchiveOptions, Prepared, WarcNames, warcinfo};

/// Writes large captures into files of their own. Shared by all workers. Cheap to clone.
#[derive(Clone)]
pub struct OwnFiles {
    pub(crate) options: Arc<ArchiveOptions>,
    pub(crate) names: WarcNames,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
}

impl OwnFiles {
    /// True if a capture should go through [`OwnFiles::write`] before it joins a group.
    pub fn wants(&self, prepared: &Prepared) -> bool {
        prepared.placed.is_none() && prepared.file_bytes() >= self.options.own_file_bytes_min
    }

    /// Writes the records into a new file and makes file and name durable. What comes back is appended like any other
    /// and costs nothing then. Blocks for as long as the disk needs.
    ///
    /// # Errors
    /// When the disk fails or is full. The file is then left as it is: a resume deletes it.
    pub fn write(&self, mut prepared: Prepared) -> io::Result<Prepared> {
        let mut file = self.create()?;
        let warcinfo = file.warcinfo.clone();
        let mut records = Vec::with_capacity(prepared.pieces.len());
        for piece in &prepared.pieces {
            records.push(write_piece(&file.name, &mut *file.file, piece)?);
        }
        file.file.sync()?;
        self.disk.sync_dir(&self.options.warcs_dir)?;
        // The bodies' scratch files go here.
        prepared.pieces.clear();
        prepared.placed = Some(Placed { warcinfo, records });
        Ok(prepared)
    }

    /// Creates the next file and writes its warcinfo.
    pub(crate) fn create(&self) -> io::Result<NewFile> {
        let now = self.clock.wall();
        let (name, mut file) = self.create_named(now)?;
        let piece = warcinfo::piece(&self.options, &name, self.chance.uuid(), now);
        let warcinfo = write_piece(&name, &mut *file, &piece)?;
        Ok(NewFile { name, file, warcinfo })
    }

    /// Creates `NAME.open`; a name that is taken in either form gives way to the next serial number.
    fn create_named(&self, now: model::WallMs) -> io::Result<(Arc<str>, Box<dyn DiskFile>)> {
        // A template without serial number and time would otherwise try for ever.
        const NAMES_TRIED_MAX: u32 = 100_000;
        for _ in 0..NAMES_TRIED_MAX {
            let name = self.names.next(now);
            if self.disk.len_of(&self.options.warcs_dir.join(&name))?.is_some() {
                continue;
            }
            match self.disk.create_new(&self.options.warcs_dir.join(format!("{name}.open"))) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => return Ok((name.into(), other?)),
            }
        }
        let message = format!("no free WARC name in {}", self.options.warcs_dir.display());
        Err(io::Error::new(io::ErrorKind::AlreadyExists, message))
    }
}

/// A file that was just created: its warcinfo is written, neither file nor name is synced.
pub(crate) struct NewFile {
    pub name: Arc<str>,
    pub file: Box<dyn DiskFile>,
    pub warcinfo: RecordPlace,
}

fn write_piece(name: &Arc<str>, file: &mut dyn DiskFile, piece: &Piece) -> io::Result<RecordPlace> {
    let offset = file.len();
    // The stream hands out small pieces.
    let mut buffer = Vec::with_capacity(256 << 10);
    let (length, crc32c) = piece.write(|bytes| {
        buffer.extend_from_slice(bytes);
        if buffer.len() >= 256 << 10 {
            file.append(&buffer)?;
            buffer.clear();
        }
        Ok(())
    })?;
    file.append(&buffer)?;
    Ok(RecordPlace { file: name.clone(), offset, length, crc32c })
}
