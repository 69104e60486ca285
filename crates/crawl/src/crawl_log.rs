//! crawl.log: one line a finished URL, in Heritrix 3's format to the byte (reference: Heritrix `UriProcessingFormatter`).
//!
//! The line is a pure function of a [`Done`] entry, so that a resume can write the log again.

use std::fmt::Write;

use model::entry::Done;
use model::{FetchStatus, HopPath, WallMs};

/// Writes the line of a finished item, line end included.
pub fn line(done: &Done) -> String {
    let log = &done.log;
    let mut line = String::with_capacity(256);
    let size = log.size.map_or("-".to_owned(), |size| size.to_string());
    write!(line, "{} {:>5} {:>10} {} ", log.logged_at.iso_ms(), log.status.0, size, done.url)
        .expect("into a String");
    push_or_dash(&mut line, &log.hop_path.to_string());
    push_or_dash(&mut line, log.via.as_deref().unwrap_or(""));
    write!(line, "{} #{:03} ", log.mime, log.worker).expect("into a String");
    match log.started {
        Some((started, duration_ms)) => write!(line, "{}+{} ", started.digits17(), duration_ms),
        None => write!(line, "- "),
    }
    .expect("into a String");
    match &log.digest {
        Some(digest) => write!(line, "{digest} "),
        None => write!(line, "- "),
    }
    .expect("into a String");
    push_or_dash(&mut line, log.source_tag.as_deref().unwrap_or(""));
    line.push_str(if log.annotations.is_empty() { "-" } else { "" });
    line.push_str(&log.annotations.join(","));
    line.push('\n');
    line
}

/// The media type as crawl.log shows it: cut at the first `;`, `,` or blank; `no-type` if nothing is left.
pub fn mime_of(content_type: Option<&str>) -> String {
    let Some(content_type) = content_type else { return "no-type".to_owned() };
    let trimmed = content_type.trim_start();
    let end = trimmed.find([';', ',', ' ', '\t']).unwrap_or(trimmed.len());
    let mime: String =
        trimmed[..end].chars().filter(|letter| !letter.is_whitespace() && !letter.is_control()).collect();
    if mime.is_empty() { "no-type".to_owned() } else { mime }
}

/// A line read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlLogLine {
    /// Time of logging.
    pub logged_at: WallMs,
    /// Fetch status.
    pub status: FetchStatus,
    /// Size; `None` for `-`.
    pub size: Option<u64>,
    /// The URL.
    pub url: String,
    /// Path from the seed.
    pub hop_path: HopPath,
    /// Where it was found; `None` for `-`.
    pub via: Option<String>,
    /// Media type.
    pub mime: String,
    /// Worker number.
    pub worker: u16,
    /// Start (17 digits) and milliseconds.
    pub started: Option<(WallMs, u64)>,
    /// Digest with its label.
    pub digest: Option<String>,
    /// Seed text.
    pub source_tag: Option<String>,
    /// Annotations.
    pub annotations: Vec<String>,
    /// The thirteenth field: a JSON object, when it was logged.
    pub extra_info: Option<String>,
}

/// Reads a line of crawl.log, ours or Heritrix's: fields split on runs of blanks, at most twelve, since an annotation may
/// hold a blank; a JSON object at the end is the extra info.
///
/// # Errors
/// Names the field that does not read.
pub fn parse(line: &str) -> Result<CrawlLogLine, String> {
    let mut rest = line.trim_end_matches(['\n', '\r']);
    let mut field = |name: &str| -> Result<&str, String> {
        rest = rest.trim_start_matches(' ');
        let end = rest.find(' ').unwrap_or(rest.len());
        let (value, tail) = rest.split_at(end);
        rest = tail;
        if value.is_empty() { Err(format!("no {name} field")) } else { Ok(value) }
    };
    let logged_at = field("time").and_then(iso_time)?;
    let status = number::<i32>("status", field("status")?)?;
    let size = dash(field("size")?).map(|size| number("size", size)).transpose()?;
    let url = field("URL")?.to_owned();
    let path_text = field("hop path")?;
    let hop_path =
        HopPath::parse(path_text).ok_or_else(|| format!("hop path {path_text:?} has unknown letters"))?;
    let via = dash(field("via")?).map(str::to_owned);
    let mime = field("MIME")?.to_owned();
    let worker_text = field("worker")?;
    let worker = number("worker", worker_text.strip_prefix('#').ok_or("worker without #")?)?;
    let started = dash(field("start time")?).map(start_time).transpose()?;
    let digest = dash(field("digest")?).map(str::to_owned);
    let source_tag = dash(field("source tag")?).map(str::to_owned);
    let (annotations, extra_info) = annotations(rest.trim_start_matches(' '));
    let status = FetchStatus(status);
    Ok(CrawlLogLine {
        logged_at,
        status,
        size,
        url,
        hop_path,
        via,
        mime,
        worker,
        started,
        digest,
        source_tag,
        annotations,
        extra_info,
    })
}

fn push_or_dash(line: &mut String, text: &str) {
    line.push_str(if text.is_empty() { "-" } else { text });
    line.push(' ');
}

fn dash(text: &str) -> Option<&str> {
    (text != "-").then_some(text)
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} {text:?} is no number"))
}

fn iso_time(text: &str) -> Result<WallMs, String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    WallMs::from_digits(&digits).ok_or_else(|| format!("time {text:?} does not read"))
}

fn start_time(text: &str) -> Result<(WallMs, u64), String> {
    let (start, duration) = text.split_once('+').ok_or("start time without duration")?;
    let start = WallMs::from_digits(start).ok_or_else(|| format!("start time {start:?} does not read"))?;
    Ok((start, number("duration", duration)?))
}

/// Splits `a,b {json}` into its two parts.
fn annotations(text: &str) -> (Vec<String>, Option<String>) {
    let (list, extra) = match text.find('{') {
        Some(at) if text.ends_with('}') && (at == 0 || text.as_bytes()[at - 1] == b' ') => {
            (text[..at].trim_end(), Some(text[at..].to_owned()))
        }
        _ => (text, None),
    };
    let annotations = match list {
        "" | "-" => Vec::new(),
        list => list.split(',').map(str::to_owned).collect(),
    };
    (annotations, extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_recorded_forms() {
        let line = "2026-11-30T19:24:12.063Z   200      12732 http://127.0.0.21:8080/index.html - - text/html #007 \
                    20261130192411758+4 sha1:YOCNWKBT4WETEENS42UHQDDMSIO2NLAX - usingCharsetInHTML:UTF-8,2t\n";
        let read = parse(line).unwrap();
        assert_eq!((read.status.0, read.size, read.worker), (200, Some(12732), 7));
        assert_eq!(read.annotations, ["usingCharsetInHTML:UTF-8", "2t"]);
        assert_eq!(read.via, None);
        let line = "2026-01-05T10:00:17.100Z -9998          - http://example.org/x L http://example.org/ unknown #002 - - - - {}";
        let read = parse(line).unwrap();
        assert_eq!((read.status.0, read.size, read.extra_info.as_deref()), (-9998, None, Some("{}")));
        let spaced =
            "2026-01-05T10:00:17.100Z -5004 - http://e.org/ - - unknown #002 - - - Runtime exceeded 4000ms";
        assert_eq!(parse(spaced).unwrap().annotations, ["Runtime exceeded 4000ms"]);
    }

    #[test]
    fn names_the_bad_field() {
        assert_eq!(parse("").unwrap_err(), "no time field");
        assert!(parse("2026-01-05T10:00:17.100Z abc").unwrap_err().starts_with("status"));
    }

    #[test]
    fn mime_forms() {
        for (input, expected) in [
            (Some("text/html; charset=utf-8"), "text/html"),
            (Some("text/html,x"), "text/html"),
            (Some(" text/css x"), "text/css"),
            (Some(";"), "no-type"),
            (None, "no-type"),
        ] {
            assert_eq!(mime_of(input), expected);
        }
    }
}
