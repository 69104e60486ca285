//! Look-ups in a CDXJ file that a crawl appends to, where lines stand in the order of commits.
//!
//! Remembers for each line 16 bytes (a hash of its key, where it begins), and reads at each look-up only what was added.

use std::collections::hash_map::DefaultHasher;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use cdxj::{CdxLine, LINE_BYTES_MAX};

/// A growing CDXJ file.
pub(crate) struct LiveFile {
    path: PathBuf,
    /// Bytes that were read: always the end of a line.
    read_through: u64,
    /// Hash of the key and offset of each line, sorted.
    lines: Vec<(u64, u64)>,
    /// End of the committed records by file, as far as lines name them.
    ends: std::collections::BTreeMap<String, u64>,
}

impl LiveFile {
    pub fn new(path: PathBuf) -> LiveFile {
        LiveFile { path, read_through: 0, lines: Vec::new(), ends: Default::default() }
    }

    /// Lines whose key is `key`, in the order of the file.
    pub fn lookup(&mut self, key: &str) -> io::Result<Vec<CdxLine>> {
        let Some(mut file) = self.refresh()? else { return Ok(Vec::new()) };
        let hash = hash_of(key);
        let first = self.lines.partition_point(|(held, _)| *held < hash);
        let mut found = Vec::new();
        let mut line = Vec::new();
        for (_, offset) in self.lines[first..].iter().take_while(|(held, _)| *held == hash) {
            file.seek(SeekFrom::Start(*offset))?;
            read_line(&mut file, &mut line)?;
            let parsed = std::str::from_utf8(&line).ok().and_then(CdxLine::parse);
            found.extend(parsed.filter(|line| line.key == key));
        }
        Ok(found)
    }

    /// The newest lines, at most `n_max`, newest first.
    pub fn newest(&mut self, n_max: usize) -> io::Result<Vec<CdxLine>> {
        let Some(mut file) = self.refresh()? else { return Ok(Vec::new()) };
        let mut offsets: Vec<u64> = self.lines.iter().map(|(_, offset)| *offset).collect();
        offsets.sort_unstable();
        let mut line = Vec::new();
        let mut found = Vec::new();
        for offset in offsets.into_iter().rev().take(n_max) {
            file.seek(SeekFrom::Start(offset))?;
            read_line(&mut file, &mut line)?;
            found.extend(std::str::from_utf8(&line).ok().and_then(CdxLine::parse));
        }
        Ok(found)
    }

    /// Lines in the file.
    pub fn n_lines(&mut self) -> io::Result<u64> {
        self.refresh()?;
        Ok(self.lines.len() as u64)
    }

    /// The byte up to which records of a WARC file are committed for certain; `None` if no line names it.
    pub fn committed_through(&mut self, warc: &str) -> io::Result<Option<u64>> {
        self.refresh()?;
        Ok(self.ends.get(warc).copied())
    }

    /// Reads what was added; `None` if there is no file.
    fn refresh(&mut self) -> io::Result<Option<BufReader<File>>> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() < self.read_through {
            // A resume cuts the file and writes it again.
            (self.read_through, self.lines) = (0, Vec::new());
            self.ends.clear();
        }
        let mut file = BufReader::with_capacity(64 << 10, file);
        file.seek(SeekFrom::Start(self.read_through))?;
        let mut line = Vec::new();
        let n_before = self.lines.len();
        loop {
            let len = read_line(&mut file, &mut line)?;
            if !line.ends_with(b"\n") {
                // The last line is not all there yet.
                break;
            }
            if let Some(parsed) = std::str::from_utf8(&line).ok().and_then(CdxLine::parse) {
                self.lines.push((hash_of(&parsed.key), self.read_through));
                let end = parsed.offset + parsed.length.unwrap_or(0);
                let held = self.ends.entry(parsed.filename).or_default();
                *held = end.max(*held);
            }
            self.read_through += len;
        }
        if self.lines.len() > n_before {
            self.lines.sort_unstable();
        }
        Ok(Some(file))
    }
}

fn hash_of(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Reads a line with its end; of one that is too long the rest is passed over. Gives the bytes read.
fn read_line(file: &mut BufReader<File>, line: &mut Vec<u8>) -> io::Result<u64> {
    line.clear();
    let limit = LINE_BYTES_MAX as u64 + 1;
    let mut n_bytes = file.by_ref().take(limit).read_until(b'\n', line)? as u64;
    if n_bytes == limit && !line.ends_with(b"\n") {
        n_bytes += file.skip_until(b'\n')? as u64;
        line.clear();
        line.push(b'\n');
    }
    Ok(n_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn line(url: &str, offset: u64) -> String {
        let mut text = String::new();
        let line = CdxLine {
            key: CdxLine::key_of(url),
            timestamp: "20260105100007".into(),
            url: url.into(),
            offset,
            length: Some(5),
            filename: "a.warc.gz".into(),
            ..CdxLine::default()
        };
        line.write_cdxj(&mut text);
        text
    }

    #[test]
    fn grows_and_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("current.cdxj");
        let mut live = LiveFile::new(path.clone());
        let key = CdxLine::key_of("http://a.example/");
        assert!(live.lookup(&key).unwrap().is_empty());

        let mut file = File::create(&path).unwrap();
        let mut append = |text: &str| file.write_all(text.as_bytes()).unwrap();
        append(&line("http://a.example/", 1));
        append(&line("http://b.example/", 2));
        let late = line("http://a.example/", 30);
        append(&late[..20]);
        assert_eq!(live.lookup(&key).unwrap().len(), 1);
        append(&late[20..]);
        let offsets = |lines: Vec<CdxLine>| lines.iter().map(|line| line.offset).collect::<Vec<_>>();
        assert_eq!(offsets(live.lookup(&key).unwrap()), [1, 30]);
        assert_eq!(offsets(live.newest(2).unwrap()), [30, 2]);
        assert_eq!(live.committed_through("a.warc.gz").unwrap(), Some(35));
        assert_eq!(live.committed_through("b.warc.gz").unwrap(), None);

        std::fs::write(&path, line("http://b.example/", 2)).unwrap();
        assert!(live.lookup(&key).unwrap().is_empty());
        assert_eq!(live.n_lines().unwrap(), 1);
    }

    #[test]
    fn odd_lines_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("current.cdxj");
        let long = "x".repeat(LINE_BYTES_MAX + 100);
        std::fs::write(&path, format!("\n{long}\nnonsense\n{}", line("http://a.example/", 1))).unwrap();
        let mut live = LiveFile::new(path);
        assert_eq!(live.lookup(&CdxLine::key_of("http://a.example/")).unwrap().len(), 1);
    }
}
