//! Reads records one after the other out of any stream, in bounded memory.
//!
//! Lenient: what is damaged is named with its offset, and reading goes on at the next place where a record begins.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use memchr::memchr;

use crate::head::Format;
use crate::problem::Problem;
use crate::source::{Coding, Source};
use crate::{Headers, RecordHead, RecordType, arc};

/// Longest head of a record, bytes. A longer one is no head.
pub const HEAD_BYTES_MAX: usize = 1 << 20;

/// Reads records one after the other.
///
/// ```
/// use std::io::Read;
///
/// let file = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n";
/// let mut reader = warc::Reader::new(&file[..]);
/// while let Some(head) = reader.next_record().expect("memory can be read") {
///     let mut block = String::new();
///     reader.block().read_to_string(&mut block).expect("memory can be read");
///     assert_eq!((head.offset, head.record_type.as_str(), block.as_str()), (0, "metadata", "hello"));
/// }
/// assert!(reader.take_problems().is_empty());
/// ```
pub struct Reader<R> {
    source: Source<R>,
    /// What the first record was: an ARC head line inside a WARC is no record.
    is_arc: Option<bool>,
    current: Option<Current>,
    /// Start of the member in which the last record began.
    last_member: Option<u64>,
    is_sharing_noted: bool,
}

/// The record that is being read.
struct Current {
    offset: u64,
    is_arc: bool,
    is_alone: bool,
    left: Left,
    block_start: u64,
    block_bytes: u64,
    is_cut: bool,
}

/// How much of the block is left.
#[derive(Clone, Copy)]
enum Left {
    Bytes(u64),
    /// Up to the next record; whether a line begins here.
    UntilRecord {
        at_line_start: bool,
    },
}

/// How a record ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordEnd {
    /// Where it begins.
    pub offset: u64,
    /// Bytes in the file: of the whole member if compressed, else of head and block without the line ends after them (as
    /// indexes count it).
    pub length: u64,
    /// Bytes of the block.
    pub block_bytes: u64,
    /// The block is as long as its head says.
    pub is_whole: bool,
    /// Its member holds no record before it, so that it can be read at its offset.
    pub is_alone: bool,
}

impl<R: Read> Reader<R> {
    /// A reader from the beginning of a file.
    pub fn new(reader: R) -> Reader<R> {
        Reader::at(reader, 0)
    }

    /// A reader of a stream that stands at an offset of its file, where a record begins.
    pub fn at(reader: R, offset: u64) -> Reader<R> {
        Reader {
            source: Source::new(reader, offset),
            is_arc: None,
            current: None,
            last_member: None,
            is_sharing_noted: false,
        }
    }

    /// The next record; passes over what was not read of the one before. `None` at the end of the file.
    ///
    /// # Errors
    /// Only when the stream cannot be read; what is wrong in it is a problem, not an error.
    pub fn next_record(&mut self) -> io::Result<Option<RecordHead>> {
        self.end_record()?;
        while self.find_record()? {
            let offset = self.record_offset();
            match self.read_head(offset)? {
                Ok(head) => {
                    self.begin_record(&head);
                    return Ok(Some(head));
                }
                Err(message) => {
                    self.source.problems.error(offset, message);
                    self.search_record()?;
                }
            }
        }
        Ok(None)
    }

    /// The block of the current record, decompressed, from where it was read up to.
    pub fn block(&mut self) -> Block<'_, R> {
        Block { reader: self }
    }

    /// Passes over the rest of the current record and says how it ended. `None` if there is none.
    ///
    /// # Errors
    /// When the stream cannot be read.
    pub fn end_record(&mut self) -> io::Result<Option<RecordEnd>> {
        if self.current.is_none() {
            return Ok(None);
        }
        loop {
            let n = self.fill_block()?.len();
            if n == 0 {
                break;
            }
            self.consume_block(n);
        }
        let current = self.current.take().expect("checked above");
        let end = self.read_trailer(&current)?;
        Ok(Some(end))
    }

    /// What was wrong so far; empties the list.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        self.source.problems.take()
    }

    /// Problems that were only counted.
    pub fn n_problems_dropped(&self) -> u64 {
        self.source.problems.n_dropped
    }

    /// How the member at hand is coded.
    pub fn coding(&self) -> Coding {
        self.source.coding()
    }

    /// Offset up to which the file was read: all records that ended lie before it.
    pub fn offset(&self) -> u64 {
        self.source.offset()
    }

    /// Gives the stream back, wherever it stands.
    pub fn into_inner(self) -> R {
        self.source.into_inner()
    }

    fn record_offset(&self) -> u64 {
        match self.source.coding() {
            Coding::Plain => self.source.offset(),
            _ => self.source.member_start,
        }
    }

    fn begin_record(&mut self, head: &RecordHead) {
        let is_plain = self.source.coding() == Coding::Plain;
        let member = self.source.member_start;
        let is_alone = is_plain || self.last_member != Some(member);
        if !is_alone && !self.is_sharing_noted {
            self.is_sharing_noted = true;
            self.source.problems.warning(member, "several records in one compressed member");
        }
        self.last_member = (!is_plain).then_some(member);
        let is_arc = head.format == Format::Arc;
        self.is_arc.get_or_insert(is_arc);
        self.current = Some(Current {
            offset: head.offset,
            is_arc,
            is_alone,
            left: match head.content_length {
                Some(length) => Left::Bytes(length),
                None => Left::UntilRecord { at_line_start: true },
            },
            block_start: self.source.offset(),
            block_bytes: 0,
            is_cut: false,
        });
    }

    /// Goes to where a record begins; false at the end of the file.
    fn find_record(&mut self) -> io::Result<bool> {
        loop {
            match self.source.peek(1)?.first().copied() {
                None => {
                    if !self.source.next_member()? {
                        return Ok(false);
                    }
                }
                Some(b'\r' | b'\n') => self.source.consume(1),
                Some(_) if self.begins_record()? => return Ok(true),
                Some(_) => {
                    let offset = self.source.offset();
                    self.source.problems.error(offset, "no record begins here");
                    self.search_record()?;
                }
            }
        }
    }

    /// Goes on to the next line of this member that begins a record, or to its end. Leaves the line at hand in any case.
    fn search_record(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.source.peek(1)?;
            if bytes.is_empty() {
                return Ok(());
            }
            match memchr(b'\n', bytes) {
                Some(at) => self.source.consume(at + 1),
                None => {
                    let n = bytes.len();
                    self.source.consume(n);
                    continue;
                }
            }
            if self.begins_record()? {
                return Ok(());
            }
        }
    }

    fn begins_record(&mut self) -> io::Result<bool> {
        let is_arc = self.is_arc;
        let bytes = self.source.peek(10)?;
        if is_arc != Some(true) && bytes.starts_with(b"WARC/") {
            return Ok(true);
        }
        if is_arc == Some(false) || !arc::looks_like_head(bytes) {
            return Ok(false);
        }
        let bytes = self.source.peek(arc::LINE_BYTES_MAX)?;
        let line = &bytes[..memchr(b'\n', bytes).unwrap_or(bytes.len())];
        Ok(arc::parse(line, 0).is_some())
    }

    /// Reads a head. The inner error says why it is none.
    fn read_head(&mut self, offset: u64) -> io::Result<Result<RecordHead, String>> {
        let mut line = Vec::new();
        self.read_line(&mut line, HEAD_BYTES_MAX)?;
        if !line.starts_with(b"WARC/") {
            return Ok(arc::parse(trim_line_end(&line), offset).ok_or_else(|| "damaged ARC head".to_owned()));
        }
        let version = text(trim_line_end(&line)["WARC/".len()..].trim_ascii());
        let mut left = HEAD_BYTES_MAX - line.len().min(HEAD_BYTES_MAX);
        let mut has_bare_lf = !line.ends_with(b"\r\n");
        let mut headers = Headers::default();
        loop {
            line.clear();
            self.read_line(&mut line, left)?;
            left -= line.len().min(left);
            if !line.ends_with(b"\n") {
                if left == 0 {
                    return Ok(Err("head longer than 1 MiB".to_owned()));
                }
                if headers.get("WARC-Type").is_none() {
                    return Ok(Err("head truncated".to_owned()));
                }
                // What is known of the record is worth showing.
                self.source.problems.error(offset, "record truncated in its head");
                break;
            }
            has_bare_lf |= !line.ends_with(b"\r\n");
            let content = trim_line_end(&line);
            if content.is_empty() {
                break;
            }
            if matches!(content[0], b' ' | b'\t') {
                if !headers.fold(&text(content.trim_ascii())) {
                    self.source.problems.error(offset, "head begins with a folded line");
                }
                continue;
            }
            match memchr(b':', content) {
                Some(at) => {
                    headers.push(text(content[..at].trim_ascii()), text(content[at + 1..].trim_ascii()));
                }
                None => self.source.problems.error(offset, "head line without colon"),
            }
        }
        if has_bare_lf {
            self.source.problems.error(offset, "head has lines that end with LF alone");
        }
        let content_length = match headers.get("Content-Length") {
            None => {
                self.source.problems.error(offset, "no Content-Length: block taken up to the next record");
                None
            }
            Some(value) => {
                let length = value.parse().ok().filter(|_| value.bytes().all(|byte| byte.is_ascii_digit()));
                if length.is_none() {
                    self.source
                        .problems
                        .error(offset, "Content-Length is no number: block taken up to the next record");
                }
                length
            }
        };
        let record_type = match headers.get("WARC-Type") {
            Some(value) => RecordType::parse(value),
            None => RecordType::Other(String::new()),
        };
        Ok(Ok(RecordHead { offset, format: Format::Warc(version), record_type, headers, content_length }))
    }

    /// Appends bytes up to and with the next LF, at most `max`, not beyond the member.
    fn read_line(&mut self, line: &mut Vec<u8>, max: usize) -> io::Result<()> {
        let mut left = max;
        while left > 0 {
            let bytes = self.source.peek(1)?;
            if bytes.is_empty() {
                break;
            }
            let found = memchr(b'\n', bytes);
            let n = found.map_or(bytes.len(), |at| at + 1).min(left);
            line.extend_from_slice(&bytes[..n]);
            self.source.consume(n);
            left -= n;
            if line.ends_with(b"\n") {
                break;
            }
        }
        Ok(())
    }

    fn fill_block(&mut self) -> io::Result<&[u8]> {
        let n = match self.current.as_ref().map(|current| current.left) {
            None | Some(Left::Bytes(0)) => 0,
            Some(Left::Bytes(left)) => {
                let n = self.fill_from_members()?;
                usize::try_from(left).unwrap_or(usize::MAX).min(n)
            }
            Some(Left::UntilRecord { at_line_start }) => {
                if at_line_start && self.begins_record()? {
                    0
                } else {
                    let bytes = self.source.peek(1)?;
                    memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1)
                }
            }
        };
        // Nothing new is decoded by asking for what is there.
        Ok(if n == 0 { &[] } else { &self.source.peek(1)?[..n] })
    }

    /// Unread bytes of the block's members; 0 if the block is cut.
    fn fill_from_members(&mut self) -> io::Result<usize> {
        loop {
            // A cut block stays cut: what can be read now belongs to the next record.
            if self.current.as_ref().is_none_or(|current| current.is_cut) {
                return Ok(0);
            }
            let n = self.source.peek(1)?.len();
            if n > 0 {
                return Ok(n);
            }
            let is_plain = self.source.coding() == Coding::Plain;
            let current = self.current.as_ref().expect("checked above");
            let offset = current.offset;
            let block_bytes = current.block_bytes;
            // A record in several members is against the rule, but can be read; where another record begins, it is cut.
            if is_plain || !self.source.next_member()? || self.begins_record()? {
                self.source
                    .problems
                    .error(offset, format!("record truncated: its block ends after {block_bytes} bytes"));
                self.current.as_mut().expect("as above").is_cut = true;
                return Ok(0);
            }
            self.source.problems.warning(offset, "record goes on in another compressed member");
        }
    }

    fn consume_block(&mut self, n: usize) {
        let Some(current) = &mut self.current else { return };
        current.block_bytes += n as u64;
        match &mut current.left {
            Left::Bytes(left) => *left -= n as u64,
            Left::UntilRecord { at_line_start } => {
                let bytes = self.source.peek(1).unwrap_or(&[]);
                *at_line_start = bytes.get(n.wrapping_sub(1)) == Some(&b'\n');
            }
        }
        self.source.consume(n);
    }

    /// Passes over the line ends after a block and finds out whether the next record follows.
    fn read_trailer(&mut self, current: &Current) -> io::Result<RecordEnd> {
        let is_plain = self.source.coding() == Coding::Plain;
        let block_end = self.source.offset();
        let mut end = RecordEnd {
            offset: current.offset,
            length: block_end - current.offset.min(block_end),
            block_bytes: current.block_bytes,
            is_whole: !current.is_cut && matches!(current.left, Left::Bytes(_)),
            is_alone: current.is_alone,
        };
        if current.is_cut {
            if !is_plain {
                end.length = self.source.member_end.saturating_sub(current.offset);
            }
            // A length that is far too large swallows the records behind it.
            self.go_back_to_record(current)?;
            return Ok(end);
        }
        let mut line_ends = Vec::new();
        while let Some(byte @ (b'\r' | b'\n')) = self.source.peek(1)?.first().copied() {
            if line_ends.len() < 8 {
                line_ends.push(byte);
            }
            self.source.consume(1);
        }
        let is_last = self.source.peek(1)?.is_empty();
        if !is_plain {
            let member_end = if is_last { self.source.member_end } else { self.source.offset() };
            end.length = member_end.saturating_sub(current.offset);
        }
        if matches!(current.left, Left::UntilRecord { .. }) || is_last && current.is_arc {
            return Ok(end);
        }
        let follows = is_last || self.begins_record()?;
        if !current.is_arc && line_ends != crate::TRAILER {
            self.source.problems.error(current.offset, "block is not followed by exactly two line ends");
        }
        if !follows {
            self.source.problems.error(
                current.offset,
                format!("no record follows at offset {}: Content-Length is wrong", self.source.offset()),
            );
            if !self.go_back_to_record(current)? {
                self.search_record()?;
            }
        }
        Ok(end)
    }

    /// Goes back to a record that the block swallowed, if it is in reach.
    fn go_back_to_record(&mut self, current: &Current) -> io::Result<bool> {
        if current.is_arc {
            return Ok(false);
        }
        self.source.go_back(current.block_start, |bytes| {
            memchr::memmem::find_iter(bytes, b"\nWARC/1.").map(|at| at + 1).find(|at| {
                memchr(b'\n', &bytes[*at..]).is_some_and(|end| bytes[*at + end + 1..].starts_with(b"WARC-"))
            })
        })
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Opens the record at an offset (of its gzip member or zstd frame): random access for replay. `None` if no record
    /// begins there.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open_record(mut file: R, offset: u64) -> io::Result<Option<(RecordHead, Reader<R>)>> {
        file.seek(SeekFrom::Start(0))?;
        let mut first = Source::new(file, 0);
        // The dictionary of a zstd file stands at its beginning.
        let dictionary = if offset > 0 { first.read_dictionary()? } else { Vec::new() };
        let mut file = first.into_inner();
        file.seek(SeekFrom::Start(offset))?;
        let mut reader = Reader::at(file, offset);
        reader.source.set_dictionary(dictionary);
        Ok(reader.next_record()?.filter(|head| head.offset == offset).map(|head| (head, reader)))
    }
}

/// The block of a record, decompressed.
pub struct Block<'a, R> {
    reader: &'a mut Reader<R>,
}

impl<R: Read> Read for Block<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.reader.fill_block()?;
        let n = bytes.len().min(buffer.len());
        buffer[..n].copy_from_slice(&bytes[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl<R: Read> BufRead for Block<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_block()
    }

    fn consume(&mut self, n: usize) {
        self.reader.consume_block(n);
    }
}

fn trim_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// UTF-8, else Latin-1.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| *byte as char).collect(),
    }
}
