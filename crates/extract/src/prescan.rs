//! The encoding that a document declares in its first bytes.
//!
//! HTML standard 13.2.3.2 ("prescan a byte stream to determine its encoding") for HTML, XML 1.0 appendix F for XML, CSS
//! Syntax 3.2 for style sheets. A browser that finds no declaration in the first 1024 bytes still obeys a later `meta`
//! when its parser meets it: [`LATE_BYTES_MAX`] stands for that.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use crate::Payload;
use crate::scan::{Scanner, Token, is_space};

/// Bytes of the standard's prescan.
const PRESCAN_BYTES_MAX: usize = 1024;

/// Bytes in which a later `meta` is still obeyed.
const LATE_BYTES_MAX: usize = 64 << 10;

/// Which kind of document it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Html,
    Xml,
    Css,
    Other,
}

impl Kind {
    /// By media type; without a useful one by the first bytes.
    pub(crate) fn of(payload: &Payload) -> Kind {
        let media_type = payload.media_type();
        if media_type.contains("html") || media_type.contains("wml") {
            Kind::Html
        } else if media_type.contains("xml") {
            Kind::Xml
        } else if media_type.contains("css") {
            Kind::Css
        } else if media_type.contains("javascript") || media_type.contains("json") {
            Kind::Other
        } else if crate::html::looks_like_html(payload) {
            Kind::Html
        } else if payload.bytes().starts_with(b"<?xml") {
            Kind::Xml
        } else {
            Kind::Other
        }
    }
}

/// What a document says of its encoding.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    /// As written.
    pub label: String,
    /// `None` if nobody knows that label.
    pub encoding: Option<&'static Encoding>,
}

/// Finds the declaration.
pub(crate) fn declaration(bytes: &[u8], kind: Kind) -> Option<Declaration> {
    match kind {
        Kind::Html => {
            let start = &bytes[..bytes.len().min(PRESCAN_BYTES_MAX)];
            // A label that nobody knows does not end the search, but is worth an annotation.
            let found = meta_in(start, false);
            match &found {
                Some(declaration) if declaration.encoding.is_some() => return found,
                _ => {}
            }
            let late = meta_in(&bytes[..bytes.len().min(LATE_BYTES_MAX)], true);
            late.filter(|late| late.encoding.is_some()).or_else(|| xml_declaration(bytes)).or(found)
        }
        Kind::Xml => xml_declaration(bytes),
        Kind::Css => css_charset(bytes),
        Kind::Other => None,
    }
}

/// The first `meta` that declares an encoding. The standard's prescan looks into scripts too; the parser, which `late`
/// stands for, does not.
fn meta_in(bytes: &[u8], late: bool) -> Option<Declaration> {
    let mut scanner = Scanner::new(bytes).strict();
    if !late {
        scanner = scanner.without_raw_text();
    }
    let mut unknown = None;
    while let Some(token) = scanner.next() {
        let Token::Start { name } = token else { continue };
        if !name.eq_ignore_ascii_case(b"meta") {
            continue;
        }
        if let Some(label) = label_of(&scanner) {
            match for_declared_label(&label) {
                Some(encoding) => return Some(Declaration { label, encoding: Some(encoding) }),
                None => unknown = unknown.or(Some(Declaration { label, encoding: None })),
            }
        }
    }
    unknown
}

/// What the attributes of a `meta` element declare (HTML standard, prescan, step "processing").
fn label_of(scanner: &Scanner) -> Option<String> {
    let charset = scanner.attribute(b"charset").map(trim);
    if let Some(charset) = charset {
        return Some(String::from_utf8_lossy(charset).into_owned());
    }
    let is_pragma = scanner.attribute(b"http-equiv").is_some_and(|v| v.eq_ignore_ascii_case(b"content-type"));
    if is_pragma { charset_of_content(scanner.attribute(b"content")?) } else { None }
}

fn trim(value: &[u8]) -> &[u8] {
    let start = value.iter().position(|byte| !is_space(*byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !is_space(*byte)).map_or(start, |last| last + 1);
    &value[start..end]
}

/// HTML standard, "extracting a character encoding from a meta element".
fn charset_of_content(content: &[u8]) -> Option<String> {
    let mut at = 0;
    loop {
        at += content[at..].windows(7).position(|window| window.eq_ignore_ascii_case(b"charset"))? + 7;
        let rest = trim(&content[at..]);
        let Some(rest) = rest.strip_prefix(b"=") else { continue };
        let rest = trim(rest);
        let value = match rest.first()? {
            quote @ (b'"' | b'\'') => {
                let end = memchr::memchr(*quote, &rest[1..])?;
                &rest[1..1 + end]
            }
            _ => &rest[..rest.iter().position(|b| is_space(*b) || *b == b';').unwrap_or(rest.len())],
        };
        return Some(String::from_utf8_lossy(value).into_owned());
    }
}

/// A document that can be read as ASCII so far is no UTF-16.
fn for_declared_label(label: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label.as_bytes())?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

/// `<?xml … encoding="X" …?>`, in ASCII or (XML 1.0 appendix F) in UTF-16 without byte order mark.
fn xml_declaration(bytes: &[u8]) -> Option<Declaration> {
    for (start, encoding) in [(b"<\0?\0x\0", UTF_16LE), (b"\0<\0?\0x", UTF_16BE)] {
        if bytes.starts_with(start) {
            return Some(Declaration { label: encoding.name().to_owned(), encoding: Some(encoding) });
        }
    }
    let start = &bytes[..bytes.len().min(PRESCAN_BYTES_MAX)];
    if !start.starts_with(b"<?xml") {
        return None;
    }
    let inside = &start[..memchr::memchr(b'>', start)?];
    let at = memchr::memmem::find(inside, b"encoding")?;
    let rest = trim(trim(&inside[at + 8..]).strip_prefix(b"=")?);
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let value = &rest[1..1 + memchr::memchr(quote, &rest[1..])?];
    let label = String::from_utf8_lossy(value).into_owned();
    Some(Declaration { encoding: for_declared_label(&label), label })
}

/// `@charset "X";` as the very first bytes.
fn css_charset(bytes: &[u8]) -> Option<Declaration> {
    let rest = bytes.strip_prefix(b"@charset \"")?;
    let end = memchr::memchr(b'"', &rest[..rest.len().min(PRESCAN_BYTES_MAX)])?;
    let label = String::from_utf8_lossy(&rest[..end]).into_owned();
    Some(Declaration { encoding: for_declared_label(&label), label })
}
