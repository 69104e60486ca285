//! Decompressed bytes, member by member: plain files, gzip (RFC 1952), zstd with dictionary frames (WARC zstd 1.0).
//!
//! A damaged member ends where decoding fails; the next place that looks like a member with a record in it goes on.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder, Operation};

use crate::arc;
use crate::problem::Problems;
use crate::raw::Raw;

/// Decompressed bytes that are kept at a time.
const OUT_BYTES: usize = 64 << 10;

/// Longest optional field of a gzip head.
const GZIP_FIELD_BYTES_MAX: usize = 64 << 10;

/// WARC zstd 1.0: dictionaries to 8 MiB, compressed or not.
const DICTIONARY_BYTES_MAX: usize = 8 << 20;

/// 2^26 = 64 MiB: the standard asks for windows of 8 MiB; ours must stay below 256 MB in all.
const ZSTD_WINDOW_LOG_MAX: u32 = 26;

/// How often a damaged file is searched again from behind; beyond it the search only goes forward.
const SEARCHES_BACK_MAX: u32 = 200;

/// How the bytes of a member are coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Not at all.
    Plain,
    /// Gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

pub(crate) struct Source<R> {
    raw: Raw<R>,
    coding: Coding,
    /// Decompressed bytes; only from `out_place` on they are unread.
    out: Vec<u8>,
    out_place: usize,
    inflate: Option<Box<Inflate>>,
    unzstd: Option<Decoder<'static>>,
    dictionary: Vec<u8>,
    is_in_member: bool,
    /// Where the current or last member begins.
    pub member_start: u64,
    /// Where the last member ended that was read to its end.
    pub member_end: u64,
    /// Decompressed bytes consumed of this member.
    pub member_consumed: u64,
    n_searches_back: u32,
    pub problems: Problems,
}

struct Inflate {
    decompress: Decompress,
    crc: libdeflater::Crc,
    len: u32,
}

impl<R: Read> Source<R> {
    pub(crate) fn new(reader: R, offset: u64) -> Source<R> {
        Source {
            raw: Raw::new(reader, offset),
            coding: Coding::Plain,
            out: Vec::new(),
            out_place: 0,
            inflate: None,
            unzstd: None,
            dictionary: Vec::new(),
            is_in_member: false,
            member_start: offset,
            member_end: offset,
            member_consumed: 0,
            n_searches_back: 0,
            problems: Problems::default(),
        }
    }

    pub(crate) fn coding(&self) -> Coding {
        self.coding
    }

    pub(crate) fn into_inner(self) -> R {
        self.raw.into_inner()
    }

    /// Offset in the file: of the next byte if plain, else of what was decoded so far.
    pub(crate) fn offset(&self) -> u64 {
        self.raw.offset()
    }

    /// Unread bytes of this member: at least `n` (at most 4,096) unless it ends before. Empty at its end.
    pub(crate) fn peek(&mut self, n: usize) -> io::Result<&[u8]> {
        if self.coding == Coding::Plain {
            return if self.is_in_member { self.raw.peek(n) } else { Ok(&[]) };
        }
        while self.out.len() - self.out_place < n && self.is_in_member {
            if self.out_place > 0 {
                self.out.drain(..self.out_place);
                self.out_place = 0;
            }
            match self.coding {
                Coding::Gzip => self.fill_gzip()?,
                _ => self.fill_zstd()?,
            }
        }
        Ok(&self.out[self.out_place..])
    }

    pub(crate) fn consume(&mut self, n: usize) {
        self.member_consumed += n as u64;
        match self.coding {
            Coding::Plain => self.raw.consume(n),
            _ => self.out_place += n,
        }
    }

    /// Goes to the next member once this one is read to its end; false at the end of the file.
    pub(crate) fn next_member(&mut self) -> io::Result<bool> {
        let mut is_padding = false;
        loop {
            let magic = self.raw.peek(4)?;
            let Some(first) = magic.first() else {
                self.is_in_member = false;
                return Ok(false);
            };
            let begins = match magic {
                [0x1f, 0x8b, ..] => self.begin_gzip()?,
                [0x28, 0xb5, 0x2f, 0xfd, ..] => self.begin_zstd(),
                [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                    self.skip_frame()?;
                    false
                }
                _ if self.coding == Coding::Plain || magic.starts_with(b"WARC") => {
                    self.begin(Coding::Plain);
                    true
                }
                // Zeros or line ends after the last member do no harm.
                _ if matches!(first, 0 | b'\r' | b'\n') => {
                    if !is_padding {
                        let offset = self.raw.offset();
                        self.problems.warning(offset, "padding between compressed members");
                    }
                    is_padding = true;
                    self.raw.consume(1);
                    false
                }
                _ => {
                    let offset = self.raw.offset();
                    self.problems.error(offset, "no compressed member begins here");
                    self.search_member(offset + 1)?;
                    false
                }
            };
            if begins {
                return Ok(true);
            }
        }
    }

    /// Puts the reading place of a plain file to where `find` says a record begins, searching from an offset in reach up to
    /// now; false if there is none.
    pub(crate) fn go_back(&mut self, from: u64, find: impl Fn(&[u8]) -> Option<usize>) -> io::Result<bool> {
        if self.coding != Coding::Plain || self.n_searches_back >= SEARCHES_BACK_MAX {
            return Ok(false);
        }
        // The reading place may lie inside the line that is sought.
        self.raw.peek(4096)?;
        let from = from.max(self.raw.history_start());
        let Some(at) = find(self.raw.since(from)) else { return Ok(false) };
        self.n_searches_back += 1;
        self.raw.go_back(from + at as u64);
        Ok(true)
    }

    /// Reads the dictionary that a zstd file may begin with; empty if there is none.
    pub(crate) fn read_dictionary(&mut self) -> io::Result<Vec<u8>> {
        if self.raw.peek(4)?.starts_with(&[0x5d, 0x2a, 0x4d, 0x18]) {
            self.skip_frame()?;
        }
        Ok(std::mem::take(&mut self.dictionary))
    }

    pub(crate) fn set_dictionary(&mut self, dictionary: Vec<u8>) {
        self.dictionary = dictionary;
    }

    fn begin(&mut self, coding: Coding) {
        self.coding = coding;
        self.is_in_member = true;
        self.member_start = self.raw.offset();
        self.member_consumed = 0;
        self.out.clear();
        self.out_place = 0;
    }

    fn end_member(&mut self) {
        self.is_in_member = false;
        self.member_end = self.raw.offset();
    }

    /// Reads the head of a gzip member; false if it is none (the search went on then).
    fn begin_gzip(&mut self) -> io::Result<bool> {
        let offset = self.raw.offset();
        let head = self.raw.peek(4 * GZIP_FIELD_BYTES_MAX.min(16 << 10))?;
        let Some(len) = gzip_head_len(head) else {
            self.problems.error(offset, "damaged or truncated gzip head");
            self.search_member(offset + 1)?;
            return Ok(false);
        };
        self.begin(Coding::Gzip);
        self.raw.consume(len);
        match &mut self.inflate {
            Some(inflate) => {
                inflate.decompress.reset(false);
                inflate.crc = libdeflater::Crc::new();
                inflate.len = 0;
            }
            None => {
                let decompress = Decompress::new(false);
                self.inflate = Some(Box::new(Inflate { decompress, crc: libdeflater::Crc::new(), len: 0 }));
            }
        }
        Ok(true)
    }

    fn fill_gzip(&mut self) -> io::Result<()> {
        let inflate = self.inflate.as_mut().expect("made when a gzip member begins");
        let input = self.raw.peek(1)?;
        let (before_in, before_out) = (inflate.decompress.total_in(), inflate.decompress.total_out());
        let start = self.out.len();
        self.out.resize(start + OUT_BYTES, 0);
        let status = inflate.decompress.decompress(input, &mut self.out[start..], FlushDecompress::None);
        let n_in = (inflate.decompress.total_in() - before_in) as usize;
        let n_out = (inflate.decompress.total_out() - before_out) as usize;
        let is_starved = input.is_empty() && n_out == 0;
        self.out.truncate(start + n_out);
        inflate.crc.update(&self.out[start..]);
        inflate.len = inflate.len.wrapping_add(n_out as u32);
        self.raw.consume(n_in);
        match status {
            Ok(Status::StreamEnd) => self.end_gzip(),
            Ok(_) if is_starved => {
                self.problems.error(self.member_start, "gzip member truncated");
                self.end_member();
                // Damage can make a member seem to go on over those behind it.
                self.search_member(self.member_start + 1)
            }
            Ok(_) => Ok(()),
            Err(_) => self.break_member("gzip data damaged"),
        }
    }

    fn end_gzip(&mut self) -> io::Result<()> {
        let inflate = self.inflate.as_ref().expect("made when a gzip member begins");
        let (crc, len) = (inflate.crc.sum(), inflate.len);
        let trailer = self.raw.peek(11)?;
        if trailer.len() < 8 {
            let n = trailer.len();
            self.raw.consume(n);
            self.problems.error(self.member_start, "gzip member truncated in its checksum");
        } else {
            let expected = [crc.to_le_bytes(), len.to_le_bytes()].concat();
            if trailer[..8] != expected[..] {
                self.problems.error(self.member_start, "gzip checksum does not match");
                let follows = &trailer[8..];
                let is_followed = follows.is_empty() || follows.starts_with(&[0x1f, 0x8b, 8]);
                self.raw.consume(8);
                self.end_member();
                // By chance damage can end a member later than it did.
                return if is_followed { Ok(()) } else { self.search_member(self.member_start + 1) };
            }
            self.raw.consume(8);
        }
        self.end_member();
        Ok(())
    }

    /// Ends a damaged member and looks for the next one.
    fn break_member(&mut self, what: &str) -> io::Result<()> {
        let offset = self.raw.offset();
        self.problems.error(self.member_start, format!("{what} near offset {offset}"));
        self.end_member();
        self.search_member(self.member_start + 1)
    }

    /// Goes to the first place from an offset on (as far as it is in reach) that looks like a member with a record.
    fn search_member(&mut self, from: u64) -> io::Result<()> {
        let from = from.max(self.raw.history_start());
        if from < self.raw.offset() && self.n_searches_back < SEARCHES_BACK_MAX {
            self.n_searches_back += 1;
            self.raw.go_back(from);
        }
        let mut probe = Decompress::new(false);
        loop {
            let bytes = self.raw.peek(4096)?;
            if bytes.is_empty() {
                return Ok(());
            }
            let keep = if bytes.len() < 4096 { 0 } else { 3 };
            let found = (0..bytes.len() - keep).find(|at| looks_like_member(&bytes[*at..], &mut probe));
            if let Some(at) = found {
                self.raw.consume(at);
                return Ok(());
            }
            let n = bytes.len() - keep;
            self.raw.consume(n);
        }
    }

    fn begin_zstd(&mut self) -> bool {
        let decoder = Decoder::with_dictionary(&self.dictionary).and_then(|mut decoder| {
            decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX))?;
            Ok(decoder)
        });
        self.begin(Coding::Zstd);
        self.unzstd = decoder.ok();
        true
    }

    fn fill_zstd(&mut self) -> io::Result<()> {
        let Some(decoder) = &mut self.unzstd else {
            return self.break_member("zstd dictionary unusable");
        };
        let input = self.raw.peek(1)?;
        let start = self.out.len();
        self.out.resize(start + OUT_BYTES, 0);
        let result = decoder.run_on_buffers(input, &mut self.out[start..]);
        let (n_in, n_out, status) = match result {
            Ok(status) => (status.bytes_read, status.bytes_written, Ok(status.remaining)),
            Err(error) => (0, 0, Err(error)),
        };
        let is_starved = input.is_empty() && n_out == 0;
        self.out.truncate(start + n_out);
        self.raw.consume(n_in);
        match status {
            Ok(0) => {
                self.end_member();
                Ok(())
            }
            Ok(_) if is_starved => {
                self.problems.error(self.member_start, "zstd frame truncated");
                self.end_member();
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(error) => {
                let what = format!("zstd data damaged ({error})");
                self.raw.consume(usize::from(self.raw.offset() == self.member_start));
                self.break_member(&what)
            }
        }
    }

    /// Passes over a skippable frame; one that holds a dictionary is kept.
    fn skip_frame(&mut self) -> io::Result<()> {
        let offset = self.raw.offset();
        let head = self.raw.peek(8)?;
        if head.len() < 8 {
            let n = head.len();
            self.raw.consume(n);
            self.problems.error(offset, "skippable frame truncated");
            return Ok(());
        }
        let is_dictionary = head[0] == 0x5d;
        let mut left = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        self.raw.consume(8);
        let mut content = Vec::new();
        let keep = is_dictionary && left <= DICTIONARY_BYTES_MAX;
        while left > 0 {
            let bytes = self.raw.peek(1)?;
            if bytes.is_empty() {
                self.problems.error(offset, "skippable frame truncated");
                return Ok(());
            }
            let n = bytes.len().min(left);
            if keep {
                content.extend_from_slice(&bytes[..n]);
            }
            self.raw.consume(n);
            left -= n;
        }
        if is_dictionary {
            match unpack_dictionary(content).filter(|_| keep) {
                Some(dictionary) => self.dictionary = dictionary,
                None => self.problems.error(offset, "dictionary damaged or over 8 MiB"),
            }
        }
        Ok(())
    }
}

/// A dictionary may itself be a zstd frame.
fn unpack_dictionary(content: Vec<u8>) -> Option<Vec<u8>> {
    if !content.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return Some(content);
    }
    let mut dictionary = Vec::new();
    let mut decoder = zstd::stream::read::Decoder::new(content.as_slice()).ok()?;
    decoder.window_log_max(ZSTD_WINDOW_LOG_MAX).ok()?;
    let n = decoder.take(DICTIONARY_BYTES_MAX as u64 + 1).read_to_end(&mut dictionary).ok()?;
    (n <= DICTIONARY_BYTES_MAX).then_some(dictionary)
}

/// Length of a gzip head (RFC 1952, 2.3); `None` if it is none or not whole.
fn gzip_head_len(bytes: &[u8]) -> Option<usize> {
    let [0x1f, 0x8b, 8, flags, ..] = bytes else { return None };
    if flags & 0xe0 != 0 {
        return None;
    }
    let mut len = 10;
    if flags & 4 != 0 {
        let extra = bytes.get(len..len + 2)?;
        len += 2 + usize::from(u16::from_le_bytes([extra[0], extra[1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let text = bytes.get(len..)?;
            len += 1 + text.iter().take(GZIP_FIELD_BYTES_MAX).position(|byte| *byte == 0)?;
        }
    }
    if flags & 2 != 0 {
        len += 2;
    }
    (len <= bytes.len()).then_some(len)
}

/// Whether a member with the beginning of a record seems to begin here.
fn looks_like_member(bytes: &[u8], probe: &mut Decompress) -> bool {
    match bytes {
        [0x28, 0xb5, 0x2f, 0xfd, ..] => return true,
        [0x1f, 0x8b, ..] => {}
        _ => return bytes.starts_with(b"WARC/1."),
    }
    let Some(len) = gzip_head_len(bytes) else { return false };
    let mut start = [0; 48];
    probe.reset(false);
    if probe.decompress(&bytes[len..], &mut start, FlushDecompress::None).is_err() {
        return false;
    }
    let n = probe.total_out() as usize;
    start[..n].starts_with(b"WARC/") || arc::looks_like_head(&start[..n])
}
