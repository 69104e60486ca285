//! `bequest warc`: files listed, checked, read.

use std::fs::File;
use std::io::{self, BufRead, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;
use serde_json::{Value, json};
use warc::{Algorithm, Hasher, HttpResponse, Reader, RecordHead, RecordType, Severity};

use crate::exit;

/// List, check and read WARC and ARC files, compressed or not.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    command: WarcCommand,
}

#[derive(Debug, Subcommand)]
enum WarcCommand {
    /// List the records: offset, length, type, status, media type, URL
    Ls {
        /// Print a line of JSON a record, with the digest of its payload
        #[arg(long)]
        json: bool,
        /// WARC or ARC files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Check structure, lengths and digests; a line a problem, exit code 4 if there is an error
    Check {
        /// Print a line of JSON a problem
        #[arg(long)]
        json: bool,
        /// Say nothing of warnings
        #[arg(long)]
        quiet: bool,
        /// WARC or ARC files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Write records to standard output, decompressed
    Cat {
        /// Only the record that begins at this byte of the file
        #[arg(long, value_name = "BYTES")]
        offset: Option<u64>,
        /// Only the payload: no record head, no HTTP head, no chunks
        #[arg(long)]
        payload: bool,
        /// WARC or ARC files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or nobody takes the output.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut out = BufWriter::new(io::stdout().lock());
    let code = match args.command {
        WarcCommand::Ls { json, files } => each(&files, |path| list(path, json, &mut out))?,
        WarcCommand::Check { json, quiet, files } => each(&files, |path| check(path, json, quiet, &mut out))?,
        WarcCommand::Cat { offset, payload, files } => {
            each(&files, |path| cat(path, offset, payload, &mut out))?
        }
    };
    out.flush()?;
    Ok(code)
}

/// Success if all files were in order.
fn each(files: &[PathBuf], mut work: impl FnMut(&Path) -> anyhow::Result<bool>) -> anyhow::Result<ExitCode> {
    let mut all_in_order = true;
    for path in files {
        all_in_order &= work(path).with_context(|| format!("read {}", path.display()))?;
    }
    Ok(if all_in_order { ExitCode::SUCCESS } else { exit::DAMAGE.into() })
}

fn list(path: &Path, as_json: bool, out: &mut impl Write) -> anyhow::Result<bool> {
    let mut reader = Reader::new(File::open(path)?);
    while let Some(head) = reader.next_record()? {
        let (message, payload_sha1) = read_record(&head, &mut reader, as_json)?;
        let end = reader.end_record()?.expect("a record was begun");
        if as_json {
            let row = json!({
                "offset": end.offset, "length": end.length, "type": head.record_type.as_str(), "uri": head.target_uri(),
                "date": head.date(), "status": message.status, "mime": message.mime, "payload_sha1": payload_sha1,
            });
            writeln!(out, "{row}")?;
        } else {
            let status = message.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
            let mime = message.mime.as_deref().unwrap_or("-");
            let (kind, uri) = (head.record_type.as_str(), head.target_uri().unwrap_or("-".into()));
            writeln!(out, "{:>12} {:>10} {kind:<10} {status:>3} {mime:<24} {uri}", end.offset, end.length)?;
        }
    }
    let mut in_order = true;
    for problem in reader.take_problems() {
        in_order &= problem.severity < Severity::Error;
        eprintln!("{}: {problem}", path.display());
    }
    Ok(in_order)
}

/// Status and media type of what a record holds.
#[derive(Default)]
struct Message {
    status: Option<u16>,
    mime: Option<String>,
}

fn read_record(
    head: &RecordHead,
    reader: &mut Reader<File>,
    with_digest: bool,
) -> io::Result<(Message, Option<String>)> {
    let mut hasher = with_digest.then(|| Hasher::new(Algorithm::Sha1));
    let mut message =
        Message { status: None, mime: Some(head.content_type()).filter(|mime| !mime.is_empty()) };
    if head.is_http_response() {
        let mut response = HttpResponse::read(reader.block())?;
        if let Some(http) = response.head().filter(|_| !response.raw_head().is_empty()) {
            message.status = Some(http.status);
            let value = http.header_text("content-type").unwrap_or_default();
            message.mime =
                Some(value.split(';').next().unwrap_or("").trim().to_owned()).filter(|mime| !mime.is_empty());
        }
        while let Some(piece) = response.next_piece()? {
            if let Some(hasher) = &mut hasher {
                hasher.update(piece.payload);
            }
        }
    } else if let Some(hasher) = &mut hasher {
        let mut end = head.is_http_request().then(HeadEnd::default);
        each_piece(reader, |bytes| {
            let n_head = end.as_mut().map_or(0, |end| end.pass(bytes));
            hasher.update(&bytes[n_head..]);
            Ok(())
        })?;
    }
    Ok((message, hasher.map(|hasher| warc::base32(&hasher.finish()))))
}

/// Looks for the blank line that ends the head of a request: what follows is its payload.
#[derive(Default)]
struct HeadEnd {
    is_past: bool,
    /// The last byte but carriage returns was a line end.
    after_line_end: bool,
}

impl HeadEnd {
    /// How many of the next bytes belong to the head.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        for (index, byte) in bytes.iter().enumerate() {
            if self.is_past {
                return index;
            }
            match byte {
                b'\r' => {}
                b'\n' => self.is_past = std::mem::replace(&mut self.after_line_end, true),
                _ => self.after_line_end = false,
            }
        }
        bytes.len()
    }
}

fn each_piece(reader: &mut Reader<File>, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut block = reader.block();
    loop {
        let bytes = block.fill_buf()?;
        if bytes.is_empty() {
            return Ok(());
        }
        each(bytes)?;
        let len = bytes.len();
        block.consume(len);
    }
}

fn check(path: &Path, as_json: bool, quiet: bool, out: &mut impl Write) -> anyhow::Result<bool> {
    let report = warc::check(File::open(path)?, |_, _| {})?;
    for problem in &report.problems {
        let severity = match problem.severity {
            Severity::Warning if quiet => continue,
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        if as_json {
            let row: Value = json!({
                "file": path, "offset": problem.offset, "severity": severity, "message": problem.message,
            });
            writeln!(out, "{row}")?;
        } else {
            writeln!(out, "{}: {problem}", path.display())?;
        }
    }
    if report.n_problems_dropped > 0 && !as_json {
        writeln!(out, "{}: {} more problems", path.display(), report.n_problems_dropped)?;
    }
    // An empty file is no archive of anything.
    let in_order = report.is_ok() && report.n_records > 0;
    if report.n_records == 0 && report.problems.is_empty() && !as_json {
        writeln!(out, "{}: offset 0: error: there is no record", path.display())?;
    }
    if !as_json && !quiet {
        let verdict = if in_order { "in order" } else { "damaged" };
        let (records, digests) = (report.n_records, report.n_digests_right + report.n_digests_of_framing);
        eprintln!("{}: {verdict}: {records} records, {digests} digests right", path.display());
    }
    Ok(in_order)
}

fn cat(path: &Path, offset: Option<u64>, only_payload: bool, out: &mut impl Write) -> anyhow::Result<bool> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset.unwrap_or(0)))?;
    let mut reader = Reader::at(file, offset.unwrap_or(0));
    let mut n_records = 0;
    while let Some(head) = reader.next_record()? {
        if offset.is_some_and(|offset| head.offset != offset) {
            break;
        }
        n_records += 1;
        if only_payload {
            write_payload(&head, &mut reader, out)?;
        } else {
            write_head(&head, out)?;
            io::copy(&mut reader.block(), out)?;
            out.write_all(warc::TRAILER)?;
        }
        if offset.is_some() {
            break;
        }
    }
    if let Some(offset) = offset.filter(|_| n_records == 0) {
        anyhow::bail!(
            "no record begins at offset {offset}; list them with: bequest warc ls {}",
            path.display()
        );
    }
    Ok(n_records > 0)
}

/// The head as it was read: its fields in their order.
fn write_head(head: &RecordHead, out: &mut impl Write) -> io::Result<()> {
    let version = match &head.format {
        warc::Format::Warc(version) => version.as_str(),
        warc::Format::Arc => "1.0",
    };
    write!(out, "WARC/{version}\r\n")?;
    for (name, value) in head.headers.iter() {
        write!(out, "{name}: {value}\r\n")?;
    }
    out.write_all(b"\r\n")
}

fn write_payload(head: &RecordHead, reader: &mut Reader<File>, out: &mut impl Write) -> io::Result<()> {
    if matches!(head.record_type, RecordType::Response | RecordType::Revisit) && head.is_http_response() {
        let mut response = HttpResponse::read(reader.block())?;
        while let Some(piece) = response.next_piece()? {
            out.write_all(piece.payload)?;
        }
        return Ok(());
    }
    io::copy(&mut reader.block(), out).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_requests() {
        let check = |pieces: &[&str], expected: usize| {
            let mut end = HeadEnd::default();
            let n_head: usize = pieces.iter().map(|piece| end.pass(piece.as_bytes())).sum();
            assert_eq!(n_head, expected, "{pieces:?}");
        };
        check(&["GET / HTTP/1.1\r\nA: b\r\n\r\nbody"], 24);
        check(&["GET /\n\nbody", "\r\n\r\n"], 7);
        check(&["GET /\r\n\r", "\nbody"], 9);
        check(&["GET /\r\n"], 7);
    }
}
