//! Look-ups in a sorted file by binary search over its bytes, and merging and sorting of such files.
//!
//! The order is that of bytes (`LC_ALL=C`); any other hides lines from the search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};

use crate::LINE_BYTES_MAX;

/// A file of lines in the order of their bytes.
pub struct SortedFile<R> {
    file: BufReader<R>,
    len: u64,
}

impl<R: Read + Seek> SortedFile<R> {
    /// Takes a file.
    ///
    /// # Errors
    /// When its length cannot be found.
    pub fn new(mut file: R) -> io::Result<SortedFile<R>> {
        let len = file.seek(SeekFrom::End(0))?;
        Ok(SortedFile { file: BufReader::with_capacity(16 << 10, file), len })
    }

    /// Lines that begin with a prefix, in order. Costs about log2(size / 16 KiB) reads and then one after the other.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn lines_with_prefix(&mut self, prefix: &[u8]) -> io::Result<PrefixLines<'_, R>> {
        self.seek_to(prefix)?;
        Ok(PrefixLines { file: &mut self.file, prefix: prefix.to_vec() })
    }

    /// Puts the file to the first line that is not less than the bytes.
    fn seek_to(&mut self, wanted: &[u8]) -> io::Result<()> {
        // The line sought begins in `low..=high`; `low` always begins a line.
        let (mut low, mut high) = (0, self.len);
        let mut line = Vec::new();
        while low < high {
            let middle = low + (high - low) / 2;
            let start = self.line_start_from(middle, low)?;
            if start >= high {
                // No line begins between middle and high.
                high = middle;
                continue;
            }
            self.file.seek(SeekFrom::Start(start))?;
            let n = read_line(&mut self.file, &mut line)?;
            if line.as_slice() < wanted {
                low = start + n;
            } else {
                high = middle;
            }
        }
        // What is left may be inside a line that is too small: its start is `low`.
        self.file.seek(SeekFrom::Start(low))?;
        Ok(())
    }

    /// First line start at or after an offset, given one before it.
    fn line_start_from(&mut self, offset: u64, low: u64) -> io::Result<u64> {
        if offset == low {
            return Ok(low);
        }
        self.file.seek(SeekFrom::Start(offset - 1))?;
        let mut at = offset - 1;
        loop {
            let bytes = self.file.fill_buf()?;
            if bytes.is_empty() {
                return Ok(at);
            }
            let (n, found) = match bytes.iter().position(|byte| *byte == b'\n') {
                Some(place) => (place + 1, true),
                None => (bytes.len(), false),
            };
            self.file.consume(n);
            at += n as u64;
            if found {
                return Ok(at);
            }
        }
    }
}

/// Lines that begin with a prefix, without line ends.
pub struct PrefixLines<'a, R> {
    file: &'a mut BufReader<R>,
    prefix: Vec<u8>,
}

impl<R: Read> Iterator for PrefixLines<'_, R> {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        let mut line = Vec::new();
        match read_line(self.file, &mut line) {
            Err(error) => Some(Err(error)),
            Ok(0) => None,
            Ok(_) if !line.starts_with(&self.prefix) => None,
            Ok(_) => Some(Ok(String::from_utf8_lossy(&line).into_owned())),
        }
    }
}

/// Merges sorted inputs into one sorted output, equal lines once. Gives the number of lines written.
///
/// # Errors
/// `InvalidData` if an input is not in the order of bytes; when an input or the output fails.
pub fn merge(mut inputs: Vec<impl BufRead>, out: &mut impl Write) -> io::Result<u64> {
    let mut heads = BinaryHeap::new();
    for (index, input) in inputs.iter_mut().enumerate() {
        let mut line = Vec::new();
        if read_line(input, &mut line)? > 0 {
            heads.push(Reverse((line, index)));
        }
    }
    let (mut last, mut n_lines) = (None::<Vec<u8>>, 0);
    while let Some(Reverse((line, index))) = heads.pop() {
        let mut next = Vec::new();
        if read_line(&mut inputs[index], &mut next)? > 0 {
            if next < line {
                let message =
                    format!("input {index} is not sorted by bytes at: {}", String::from_utf8_lossy(&next));
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            heads.push(Reverse((next, index)));
        }
        if last.as_ref() != Some(&line) {
            out.write_all(&line)?;
            out.write_all(b"\n")?;
            n_lines += 1;
            last = Some(line);
        }
    }
    Ok(n_lines)
}

/// Sorts lines by their bytes, equal ones once, in bounded memory: runs of at most `run_bytes_max` bytes are sorted and
/// put into scratch files, then merged. Gives the number of lines written.
///
/// # Errors
/// When input, output or a scratch file fails.
pub fn sort<F: Read + Write + Seek>(
    mut input: impl BufRead,
    out: &mut impl Write,
    run_bytes_max: usize,
    mut new_scratch: impl FnMut() -> io::Result<F>,
) -> io::Result<u64> {
    let mut runs = Vec::new();
    loop {
        let (lines, is_last) = read_run(&mut input, run_bytes_max)?;
        if is_last && runs.is_empty() {
            return merge(vec![lines.as_slice()], out);
        }
        let mut scratch = new_scratch()?;
        scratch.write_all(&lines)?;
        scratch.seek(SeekFrom::Start(0))?;
        runs.push(BufReader::with_capacity(64 << 10, scratch));
        if is_last {
            return merge(runs, out);
        }
    }
}

/// Reads and sorts one run; true if it is the last.
fn read_run(input: &mut impl BufRead, run_bytes_max: usize) -> io::Result<(Vec<u8>, bool)> {
    let (mut lines, mut n_bytes, mut is_last) = (Vec::new(), 0, false);
    while n_bytes < run_bytes_max {
        let mut line = Vec::new();
        if read_line(input, &mut line)? == 0 {
            is_last = true;
            break;
        }
        n_bytes += line.len() + size_of::<Vec<u8>>();
        lines.push(line);
    }
    lines.sort_unstable();
    let mut bytes = lines.join(&b'\n');
    if !lines.is_empty() {
        bytes.push(b'\n');
    }
    Ok((bytes, is_last))
}

/// Reads a line into a buffer, without its line end; gives the bytes passed over, 0 at the end. Of a line that is longer
/// than [`LINE_BYTES_MAX`] the rest is left out.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<u64> {
    line.clear();
    let mut n_bytes = 0;
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        let found = bytes.iter().position(|byte| *byte == b'\n');
        let content = &bytes[..found.unwrap_or(bytes.len())];
        line.extend_from_slice(&content[..content.len().min(LINE_BYTES_MAX - line.len())]);
        let n = found.map_or(bytes.len(), |at| at + 1);
        input.consume(n);
        n_bytes += n as u64;
        if found.is_some() {
            break;
        }
    }
    Ok(n_bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Every line of a file of many sizes is found, and what is not there is not (F103).
    #[test]
    fn every_line_is_found() {
        let mut lines: Vec<String> = (0..3000)
            .map(|n: u32| format!("k{:05}{}", n * 7 % 30_000, "x".repeat((n % 97) as usize)))
            .collect();
        lines.sort();
        let text = lines.join("\n") + "\n";
        let mut file = SortedFile::new(Cursor::new(text.as_bytes())).unwrap();
        for line in &lines {
            let found: Vec<String> =
                file.lines_with_prefix(line.as_bytes()).unwrap().map(Result::unwrap).collect();
            let expected: Vec<&String> =
                lines.iter().filter(|other| other.starts_with(line.as_str())).collect();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        }
        for absent in ["", "a", "k00001", "z"] {
            let n = file.lines_with_prefix(absent.as_bytes()).unwrap().count();
            assert_eq!(n, lines.iter().filter(|line| line.starts_with(absent)).count(), "{absent}");
        }
        assert_eq!(
            SortedFile::new(Cursor::new(&b""[..])).unwrap().lines_with_prefix(b"a").unwrap().count(),
            0
        );
        let mut one = SortedFile::new(Cursor::new(&b"abc"[..])).unwrap();
        assert_eq!(one.lines_with_prefix(b"ab").unwrap().count(), 1);
    }

    #[test]
    fn sorting_and_merging() {
        let lines: Vec<String> =
            (0..2000u32).map(|n| format!("{:04}", n.wrapping_mul(2_654_435_761) % 1500)).collect();
        let mut expected: Vec<&String> = lines.iter().collect();
        expected.sort();
        expected.dedup();
        let expected: String = expected.iter().map(|line| format!("{line}\n")).collect();
        for run_bytes_max in [100, 10_000, 1 << 20] {
            let mut out = Vec::new();
            let input = lines.join("\n");
            sort(input.as_bytes(), &mut out, run_bytes_max, || Ok(Cursor::new(Vec::new()))).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{run_bytes_max}");
        }
        let unsorted = merge(vec![&b"b\na\n"[..]], &mut Vec::new());
        assert_eq!(unsorted.unwrap_err().kind(), io::ErrorKind::InvalidData);
        // A locale would put the dash elsewhere.
        let mut out = Vec::new();
        merge(vec![&b"org,example)/a\norg,example)/b\n"[..], &b"org,example)/a-b\n"[..]], &mut out).unwrap();
        assert_eq!(out, b"org,example)/a\norg,example)/a-b\norg,example)/b\n");
    }
}
