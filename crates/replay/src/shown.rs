//! A capture made ready for a browser.

use cdxj::CdxLine;
use url::Url;

use crate::replay::Resolved;
use crate::stored::StoredRecord;
use crate::{Charset, Links, Modifier, Place, headers, rewrite_css, rewrite_html};

/// Longest payload that is rewritten, in bytes, before and after decoding; longer ones are only given raw.
pub const REWRITTEN_BYTES_MAX: usize = 64 << 20;

/// What a browser is sent.
#[derive(Debug)]
pub struct Shown {
    /// The archived status.
    pub status: u16,
    /// Headers, names in lower case, values as stored.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: ShownBody,
    /// Which capture it is.
    pub capture: CdxLine,
}

/// A body.
#[derive(Debug)]
pub enum ShownBody {
    /// Decoded, perhaps rewritten.
    Bytes(Vec<u8>),
    /// As stored: to be read piece by piece.
    Stored(StoredRecord),
}

/// Why a capture cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// The file.
    #[error("read capture: {0}")]
    Read(#[from] std::io::Error),
    /// The page.
    #[error("{0}")]
    Rewrite(#[from] crate::RewriteError),
    /// Too long to be rewritten.
    #[error("page is longer than {} MiB and can only be had as stored", REWRITTEN_BYTES_MAX >> 20)]
    TooLong,
}

/// What a payload is, as far as rewriting differs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Html,
    Css,
    Other,
}

pub(crate) fn show(place: &Place, capture: &CdxLine, resolved: &Resolved) -> Result<Shown, ShowError> {
    let holder = resolved.holder();
    let Some(head) = resolved.head() else {
        // DNS and other resources: the block is what was captured.
        let content_type = holder.head.headers.get("Content-Type").unwrap_or("application/octet-stream");
        let headers = vec![("content-type".to_owned(), content_type.as_bytes().to_vec())];
        return Ok(Shown {
            status: 200,
            headers,
            body: ShownBody::Stored(holder.clone()),
            capture: capture.clone(),
        });
    };
    let base =
        Url::parse(&capture.url).unwrap_or_else(|_| Url::parse("http://invalid/").expect("a fixed URL"));
    let digits = if place.digits.is_empty() { &capture.timestamp } else { &place.digits };
    let links = Links::new(&base, digits);
    let mut shown = Shown {
        status: if (200..600).contains(&head.status) { head.status } else { 200 },
        headers: headers::shown_headers(head, &links),
        body: ShownBody::Stored(holder.clone()),
        capture: capture.clone(),
    };
    // The payload's own record says how it is coded.
    let holder_head = holder.response.as_ref().unwrap_or(head);
    let coding = holder_head.header_text("content-encoding").unwrap_or_default();
    let content_type = head.header_text("content-type").or_else(|| holder_head.header_text("content-type"));
    let kind = match place.modifier {
        Modifier::Raw => Kind::Other,
        modifier => kind_of(content_type.as_deref(), modifier, holder)?,
    };
    if kind == Kind::Other {
        let is_plain = coding.is_empty() || coding.eq_ignore_ascii_case("identity");
        if !is_plain {
            shown.headers.push(("content-encoding".to_owned(), coding.into_bytes()));
        }
        return Ok(shown);
    }
    let payload = holder.payload(REWRITTEN_BYTES_MAX)?.ok_or(ShowError::TooLong)?;
    let decoded = http1::coding::decode(&coding, &payload, REWRITTEN_BYTES_MAX).bytes;
    let header_charset = content_type.as_deref().and_then(http1::values::MediaType::parse);
    let charset = Charset::of(header_charset.as_ref().and_then(|media_type| media_type.charset()), &decoded);
    let bytes = match kind {
        Kind::Css => rewrite_css(&decoded, charset.encoding, &links).unwrap_or_else(|| decoded.into_owned()),
        _ => {
            let (page, new_charset) = rewrite_html(&decoded, charset, &links)?;
            if let Some(new_charset) = new_charset {
                set_charset(&mut shown.headers, new_charset);
            }
            page
        }
    };
    shown.body = ShownBody::Bytes(bytes);
    Ok(shown)
}

fn kind_of(content_type: Option<&str>, modifier: Modifier, holder: &StoredRecord) -> Result<Kind, ShowError> {
    let essence = content_type.unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    if matches!(modifier, Modifier::Script | Modifier::Image) {
        return Ok(Kind::Other);
    }
    Ok(match essence.as_str() {
        "text/css" => Kind::Css,
        _ if modifier == Modifier::Style => Kind::Css,
        "text/html" | "application/xhtml+xml" | "application/vnd.wap.xhtml+xml" => Kind::Html,
        // Without a type browsers look at the bytes (WHATWG MIME Sniffing, 7.1).
        "" | "unknown/unknown" | "application/unknown" | "*/*" if begins_as_html(holder)? => Kind::Html,
        _ => Kind::Other,
    })
}

fn begins_as_html(holder: &StoredRecord) -> Result<bool, ShowError> {
    let mut start = Vec::new();
    holder.read_payload(|piece| {
        start.extend_from_slice(&piece[..piece.len().min(1024)]);
        Ok(start.len() < 1024)
    })?;
    let start = start.trim_ascii_start().to_ascii_lowercase();
    const SIGNS: [&[u8]; 9] =
        [b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<script", b"<!--", b"<p", b"<a "];
    Ok(SIGNS.iter().any(|sign| start.starts_with(sign)))
}

fn set_charset(headers: &mut Vec<(String, Vec<u8>)>, charset: &str) {
    let old = headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.clone());
    let essence = old.as_deref().map(String::from_utf8_lossy).unwrap_or("text/html".into());
    let essence = essence.split(';').next().unwrap_or("text/html").to_owned();
    headers.retain(|(name, _)| name != "content-type");
    headers.push(("content-type".to_owned(), format!("{essence}; charset={charset}").into_bytes()));
}
