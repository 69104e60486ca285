//! A journal file: its name, its head, and its frames front to back.

use std::path::{Path, PathBuf};

use model::world::Disk;

use super::EachEntry;
use super::frame::{self, FRAME_HEAD_BYTES, FrameHead};
use crate::stream::{Reader, u32_at, u64_at};
use crate::{Error, Result};

/// The newest format that is read, and the one that is written.
const VERSION: u32 = 1;

const MAGIC: [u8; 8] = *b"BQJRNL\r\n";

/// magic, version u32, crc u32 of the rest, salt u64, first sequence number u64.
pub const HEAD_BYTES: usize = 32;

const SUFFIX: &str = ".journal";

/// A file of the journal folder.
#[derive(Debug, Clone)]
pub struct JournalFile {
    pub first_sequence: u64,
    pub path: PathBuf,
}

/// The name of the file that begins with a sequence number: 20 digits, so that names sort like numbers.
pub fn name(first_sequence: u64) -> String {
    format!("{first_sequence:020}{SUFFIX}")
}

/// The journal's files in order.
pub fn list(disk: &dyn Disk, folder: &Path) -> Result<Vec<JournalFile>> {
    let mut files = Vec::new();
    for name in disk.list(folder)? {
        let number = name
            .strip_suffix(SUFFIX)
            .filter(|digits| digits.len() == 20)
            .and_then(|digits| digits.parse().ok());
        if let Some(first_sequence) = number {
            files.push(JournalFile { first_sequence, path: folder.join(name) });
        }
    }
    Ok(files)
}

/// The files from the one on that holds the entry after `after`.
pub fn list_after(disk: &dyn Disk, folder: &Path, after: u64) -> Result<Vec<JournalFile>> {
    let mut files = list(disk, folder)?;
    let n_done = files.iter().skip(1).take_while(|file| file.first_sequence <= after + 1).count();
    files.drain(..n_done);
    if let Some(first) = files.first().filter(|first| first.first_sequence > after + 1) {
        let what = format!("the journal begins with it, but the entries from {} on are needed", after + 1);
        return Err(Error::corrupt(&first.path, 0, what));
    }
    Ok(files)
}

/// The first bytes of a file.
pub fn head(salt: u64, first_sequence: u64) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[0..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[16..24].copy_from_slice(&salt.to_le_bytes());
    head[24..32].copy_from_slice(&first_sequence.to_le_bytes());
    let crc = crc32c::crc32c(&head[16..]);
    head[12..16].copy_from_slice(&crc.to_le_bytes());
    head
}

/// Reads the frames of a file front to back, each checked.
pub struct FrameReader {
    reader: Reader,
    path: PathBuf,
    salt: u64,
    /// The sequence number that the next frame must begin with.
    next_sequence: u64,
}

/// What stands at the reader's place.
pub enum Step {
    /// A whole frame.
    Frame(FrameHead),
    /// Nothing: the file ends cleanly.
    End,
    /// A bad tail, with no good frame behind it: what an interrupted append leaves.
    BadTail,
}

impl FrameReader {
    /// Opens a file; `None` if it has no whole head, as an interrupted start leaves it.
    pub fn open(disk: &dyn Disk, file: &JournalFile) -> Result<Option<FrameReader>> {
        let mut reader = Reader::open(disk, &file.path)?;
        let len = reader.len();
        let head = reader.peek((len as usize).min(HEAD_BYTES))?;
        if head.len() == HEAD_BYTES && head[..8] == MAGIC && u32_at(head, 8) > VERSION {
            let version = u32_at(head, 8);
            return Err(Error::Newer { file: file.path.clone(), version, known: VERSION });
        }
        let is_good = head.len() == HEAD_BYTES && *head == self::head(u64_at(head, 16), file.first_sequence);
        if !is_good {
            // The head is durable before the first frame is written.
            let is_unstarted = len <= HEAD_BYTES as u64;
            let error = || Error::corrupt(&file.path, 0, "its head is broken, yet something follows it");
            return if is_unstarted { Ok(None) } else { Err(error()) };
        }
        let salt = u64_at(head, 16);
        reader.skip(HEAD_BYTES);
        Ok(Some(FrameReader { reader, path: file.path.clone(), salt, next_sequence: file.first_sequence }))
    }

    /// Where the next frame begins.
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// The sequence number after the last good frame.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// Looks at the next frame without taking it.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if a good frame follows a bad one, or a good one is out of sequence.
    pub fn look(&mut self) -> Result<Step> {
        if self.reader.remaining() == 0 {
            return Ok(Step::End);
        }
        match self.frame_at_place()? {
            Some(head) if head.first_sequence == self.next_sequence => Ok(Step::Frame(head)),
            Some(head) => {
                let what =
                    format!("entry {} stands where {} should", head.first_sequence, self.next_sequence);
                Err(Error::corrupt(&self.path, self.offset(), what))
            }
            None => self.check_tail(),
        }
    }

    fn frame_at_place(&mut self) -> Result<Option<FrameHead>> {
        if self.reader.remaining() < FRAME_HEAD_BYTES as u64 {
            return Ok(None);
        }
        let salt = self.salt;
        let Some(head) = FrameHead::read(salt, self.reader.peek(FRAME_HEAD_BYTES)?) else { return Ok(None) };
        if self.reader.remaining() < head.frame_len() as u64 {
            return Ok(None);
        }
        let frame = self.reader.peek(head.frame_len())?;
        Ok(head.is_whole(salt, frame).then_some(head))
    }

    /// The bytes of the frame that was looked at.
    pub fn frame(&mut self, head: &FrameHead) -> Result<&[u8]> {
        Ok(self.reader.peek(head.frame_len())?)
    }

    /// Steps over the frame that was looked at.
    pub fn skip(&mut self, head: &FrameHead) {
        self.reader.skip(head.frame_len());
        self.next_sequence = head.end_sequence();
    }

    /// One frame is outstanding at a time, so a crash never leaves a good frame behind a bad one.
    fn check_tail(&mut self) -> Result<Step> {
        let bad_offset = self.offset();
        let first_byte = frame::marker(self.salt).to_le_bytes()[0];
        while self.reader.remaining() > FRAME_HEAD_BYTES as u64 {
            self.reader.skip(1);
            let ahead = (self.reader.remaining() as usize).min(4096);
            let bytes = self.reader.peek(ahead)?;
            let to_candidate = bytes.iter().position(|byte| *byte == first_byte).unwrap_or(ahead - 1);
            self.reader.skip(to_candidate);
            if self.frame_at_place()?.is_some() {
                let what = format!("a good frame follows at offset {}", self.offset());
                return Err(Error::corrupt(&self.path, bad_offset, what));
            }
        }
        self.reader.seek(bad_offset);
        Ok(Step::BadTail)
    }
}

/// Reads all entries after a sequence number in order, writing nothing: for other processes than the one that appends.
/// Gives the sequence number of the last good entry. A frame that is being written now is not seen.
///
/// # Errors
/// [`Error::Corrupt`] naming file and offset; or as `each` says.
pub fn read_frames(disk: &dyn Disk, folder: &Path, after: u64, each: &mut EachEntry<'_>) -> Result<u64> {
    let files = list_after(disk, folder, after)?;
    let mut next_sequence = files.first().map_or(after + 1, |file| file.first_sequence);
    for (index, file) in files.iter().enumerate() {
        if file.first_sequence != next_sequence {
            let what =
                format!("it begins with entry {}, but {next_sequence} is the next", file.first_sequence);
            return Err(Error::corrupt(&file.path, 0, what));
        }
        let is_last = index + 1 == files.len();
        let Some(mut frames) = FrameReader::open(disk, file)? else {
            if is_last {
                break;
            }
            return Err(Error::corrupt(&file.path, 0, "its head is broken, yet another file follows"));
        };
        while let Step::Frame(head) = frames.look()? {
            if head.end_sequence() > after + 1 {
                let offset = frames.offset();
                let mut later =
                    |sequence, entry| if sequence > after { each(sequence, entry) } else { Ok(()) };
                frame::decode(&head, frames.frame(&head)?, &mut later)
                    .map_err(|what| Error::corrupt(&file.path, offset, what))??;
            }
            frames.skip(&head);
        }
        next_sequence = frames.next_sequence();
    }
    Ok((next_sequence - 1).max(after))
}
