//! Reads a head leniently, as Chromium's `HttpResponseHeaders` and `HttpStreamParser` do, and says what follows it.

use memchr::memchr2;

use crate::reader::{Framing, RequestInfo};
use crate::{Header, ResponseHead, Version};

/// Bytes that may precede a status line (Chromium `kStatusLineSlop`): often the line end of an earlier message.
const JUNK_BYTES_MAX: usize = 4;

/// Longest of the words a status line begins with.
const WORD_BYTES: usize = 4;

/// What the first bytes of a response are.
pub(crate) enum Start {
    StatusLine,
    /// Too few bytes to say.
    Unknown,
    /// No status line: HTTP/0.9, or no HTTP at all.
    Other,
}

/// Looks at the first bytes of a response.
pub(crate) fn start(bytes: &[u8]) -> Start {
    if status_line_offset(bytes).is_some() {
        Start::StatusLine
    } else if bytes.len() < JUNK_BYTES_MAX + WORD_BYTES {
        Start::Unknown
    } else {
        Start::Other
    }
}

/// Whether bytes too few to decide on may still be the front of a status line, so that they are a cut head and no body.
pub(crate) fn may_become_status_line(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    ["http/", "icy ", "ice/"].iter().any(|word| {
        let n = text.len().min(word.len());
        text[..n].eq_ignore_ascii_case(&word.as_bytes()[..n])
    })
}

fn status_line_offset(bytes: &[u8]) -> Option<usize> {
    let at = |offset: usize, word: &[u8]| {
        bytes.get(offset..offset + word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word))
    };
    // `ICY` is SHOUTcast's and `ICE` Icecast's way of saying HTTP/1.0. Chromium takes the former for HTTP/0.9; as its
    // heads have the form of HTTP heads, we read them.
    (0..=JUNK_BYTES_MAX).find(|offset| at(*offset, b"http") || at(*offset, b"icy ") || at(*offset, b"ice/"))
}

/// Length of the head with the blank line that ends it: LF, then CR or not, then LF. `from` bytes were searched before.
/// Blank lines in the junk before the status line do not count.
pub(crate) fn head_len(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from.max(status_line_offset(bytes).unwrap_or(0));
    while let Some(found) = memchr::memchr(b'\n', &bytes[at..]) {
        let next = at + found + 1;
        match &bytes[next..] {
            [b'\n', ..] => return Some(next + 1),
            [b'\r', b'\n', ..] => return Some(next + 2),
            _ => at = next,
        }
    }
    None
}

/// Whether a cut head got as far as a digit of the status code.
pub(crate) fn has_status(raw: &[u8]) -> bool {
    let raw = &raw[status_line_offset(raw).unwrap_or(0)..];
    let blank = memchr2(b' ', b'\t', raw);
    blank.is_some_and(|index| raw[index..].trim_ascii_start().first().is_some_and(u8::is_ascii_digit))
}

/// Reads a head. Lines end at CR, LF or both; what cannot be read is left out (it stays in the raw bytes).
pub(crate) fn head(raw: &[u8]) -> ResponseHead {
    let raw = &raw[status_line_offset(raw).unwrap_or(0)..];
    let mut lines = Lines { rest: raw };
    let (version, status, reason) = status_line(lines.next().unwrap_or_default());
    let mut head = ResponseHead { version, status, reason, headers: Vec::with_capacity(16) };
    // A folded line belongs to the line before it, also if that one was left out.
    let mut folds_into_header = false;
    let mut is_first = true;
    for line in lines {
        let is_folded = matches!(line[0], b' ' | b'\t') && !is_first;
        is_first = false;
        if is_folded {
            if let (true, Some(header)) = (folds_into_header, head.headers.last_mut()) {
                header.value.push(b' ');
                header.value.extend_from_slice(trim(line));
            }
            continue;
        }
        let header = memchr::memchr(b':', line).and_then(|colon| {
            let name = trim(&line[..colon]);
            (!name.is_empty())
                .then(|| Header { name: name.to_vec(), value: trim(&line[colon + 1..]).to_vec() })
        });
        folds_into_header = header.is_some();
        head.headers.extend(header);
    }
    head
}

/// Not empty lines.
struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];
    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let end = memchr2(b'\r', b'\n', self.rest).unwrap_or(self.rest.len());
            let line = &self.rest[..end];
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            if !line.is_empty() {
                return Some(line);
            }
        }
    }
}

fn trim(bytes: &[u8]) -> &[u8] {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let from = bytes.iter().position(|byte| !blank(byte)).unwrap_or(bytes.len());
    let to = bytes.iter().rposition(|byte| !blank(byte)).map_or(from, |index| index + 1);
    &bytes[from..to]
}

/// Version, status code and reason phrase. As in Chromium a line without a code says 200; a code over 65,535 reads as
/// that.
fn status_line(line: &[u8]) -> (Version, u16, Vec<u8>) {
    let word_end = memchr2(b' ', b'\t', line).unwrap_or(line.len());
    let version = version(&line[..word_end]);
    let rest = trim(&line[word_end..]);
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return (version, 200, rest.to_vec());
    }
    let status = rest[..digits]
        .iter()
        .fold(0u16, |status, byte| status.saturating_mul(10).saturating_add(u16::from(byte - b'0')));
    (version, status, trim(&rest[digits..]).to_vec())
}

/// `HTTP/1.1` and all that claims to be later are 1.1, all else is 1.0.
fn version(word: &[u8]) -> Version {
    let Some((b'/', number)) =
        word.get(4..).and_then(<[u8]>::split_first).map(|(slash, rest)| (*slash, rest))
    else {
        return Version::Http10;
    };
    if !word[..4].eq_ignore_ascii_case(b"http") {
        return Version::Http10;
    }
    match number {
        [major, b'.', minor, ..] if major.is_ascii_digit() && minor.is_ascii_digit() => {
            if (major, minor) >= (&b'1', &b'1') { Version::Http11 } else { Version::Http10 }
        }
        // `HTTP/2 200`, in text.
        [b'2'..=b'9'] => Version::Http11,
        _ => Version::Http10,
    }
}

/// How the body's end is found (RFC 9112, 6.3), and what is odd about it.
pub(crate) fn framing(head: &ResponseHead, request: RequestInfo) -> (Framing, Option<&'static str>) {
    if request.method_head || matches!(head.status, 204 | 304) || (100..200).contains(&head.status) {
        return (Framing::NoBody, None);
    }
    // As Chromium: chunks are for HTTP/1.1, wherever `chunked` stands in the list.
    let is_chunked = head.version == Version::Http11
        && head.headers_named("transfer-encoding").any(|value| {
            value.split(|byte| *byte == b',').any(|coding| trim(coding).eq_ignore_ascii_case(b"chunked"))
        });
    if is_chunked {
        return (Framing::Chunked, None);
    }
    match content_length(head) {
        ContentLength::Known(length) => (Framing::ContentLength(length), None),
        // RFC 9110, 15.3.6 forbids content, and Chromium reads none; RFC 9112 frames it like any other. Only where
        // nothing tells of a body would waiting for the close be waiting for nothing.
        ContentLength::Missing if head.status == 205 && is_persistent(head) => (Framing::NoBody, None),
        ContentLength::Missing => (Framing::UntilClose, None),
        ContentLength::Unusable => (Framing::UntilClose, Some("contentLength")),
    }
}

enum ContentLength {
    Missing,
    Known(u64),
    /// No number, or several that differ.
    Unusable,
}

fn content_length(head: &ResponseHead) -> ContentLength {
    let mut known = None;
    for value in head.headers_named("content-length") {
        // Seen in the wild (heritrix3 pull request 91): a NUL and junk after the number.
        let value = value.split(|byte| *byte == 0).next().unwrap_or_default();
        for part in value.split(|byte| *byte == b',') {
            let Some(length) = number(trim(part)) else { return ContentLength::Unusable };
            if known.is_some_and(|known| known != length) {
                return ContentLength::Unusable;
            }
            known = Some(length);
        }
    }
    known.map_or(ContentLength::Missing, ContentLength::Known)
}

fn number(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"+").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Chromium counts in i64.
    std::str::from_utf8(digits).ok()?.parse::<i64>().ok()?.try_into().ok()
}

/// Whether the head allows another request on the connection (RFC 9112, 9.3).
pub(crate) fn is_persistent(head: &ResponseHead) -> bool {
    let says = |word: &str| {
        ["connection", "proxy-connection"].into_iter().any(|name| {
            head.headers_named(name).any(|value| {
                value.split(|byte| *byte == b',').any(|part| trim(part).eq_ignore_ascii_case(word.as_bytes()))
            })
        })
    };
    match head.version {
        Version::Http11 => !says("close"),
        Version::Http10 => says("keep-alive") && !says("close"),
        Version::Http09 => false,
    }
}
