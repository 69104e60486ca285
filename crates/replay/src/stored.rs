//! A record as it is stored: its heads, and its payload piece by piece.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::PathBuf;

use http1::ResponseHead;
use std::io::BufRead;
use warc::{HttpResponse, Reader, RecordHead, RecordType};

/// A record in a file.
#[derive(Debug, Clone)]
pub struct StoredRecord {
    path: PathBuf,
    offset: u64,
    /// The record's head.
    pub head: RecordHead,
    /// The response's head; `None` if the record holds no HTTP response.
    pub response: Option<ResponseHead>,
}

impl StoredRecord {
    /// Reads the heads of the record that begins at an offset.
    ///
    /// # Errors
    /// `InvalidData` if no record begins there; as the disk says.
    pub(crate) fn open(path: PathBuf, offset: u64) -> io::Result<StoredRecord> {
        let mut reader = reader_at(&path, offset)?;
        let head = next_record(&mut reader, offset)?;
        let response = match head.is_http_response() {
            true => HttpResponse::read(reader.block())?.head().cloned(),
            false => None,
        };
        Ok(StoredRecord { path, offset, head, response })
    }

    /// True if the payload lies in another record.
    pub fn is_revisit(&self) -> bool {
        self.head.record_type == RecordType::Revisit
    }

    /// Reads the payload: the body after the transfer coding, or the whole block of a record that is no HTTP response.
    /// Gives false if `each` ended it by giving false.
    ///
    /// # Errors
    /// When the file cannot be read, or as `each` says.
    pub fn read_payload(&self, mut each: impl FnMut(&[u8]) -> io::Result<bool>) -> io::Result<bool> {
        let mut reader = reader_at(&self.path, self.offset)?;
        next_record(&mut reader, self.offset)?;
        if self.response.is_some() {
            let mut response = HttpResponse::read(reader.block())?;
            while let Some(piece) = response.next_piece()? {
                if !piece.payload.is_empty() && !each(piece.payload)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let mut block = reader.block();
        loop {
            let bytes = block.fill_buf()?;
            if bytes.is_empty() {
                return Ok(true);
            }
            if !each(bytes)? {
                return Ok(false);
            }
            let len = bytes.len();
            block.consume(len);
        }
    }

    /// The whole payload; `None` if it is longer than `bytes_max`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn payload(&self, bytes_max: usize) -> io::Result<Option<Vec<u8>>> {
        let mut payload = Vec::new();
        let is_all = self.read_payload(|piece| {
            let fits = payload.len() + piece.len() <= bytes_max;
            if fits {
                payload.extend_from_slice(piece);
            }
            Ok(fits)
        })?;
        Ok(is_all.then_some(payload))
    }
}

fn reader_at(path: &PathBuf, offset: u64) -> io::Result<Reader<File>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    Ok(Reader::at(file, offset))
}

/// The record that begins just there: one further on is another capture.
fn next_record(reader: &mut Reader<File>, offset: u64) -> io::Result<RecordHead> {
    match reader.next_record()? {
        Some(head) if head.offset == offset => Ok(head),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, format!("no record begins at offset {offset}"))),
    }
}
