//! Heads of ARC records (Internet Archive ARC format, versions 1 and 2).
//!
//! A head is one line: URL, address, 14-digit date, media type, [status, checksum, location, offset, file,] length. Old
//! files hold blanks in the URL and in the media type, so fields are found by their shapes, from the right.

use crate::head::Format;
use crate::{Headers, RecordHead, RecordType};

/// Longest head line.
pub(crate) const LINE_BYTES_MAX: usize = 64 << 10;

/// Whether bytes can be the beginning of an ARC head: a scheme.
pub(crate) fn looks_like_head(bytes: &[u8]) -> bool {
    const SCHEMES: [&[u8]; 8] =
        [b"filedesc:", b"http:", b"https:", b"dns:", b"ftp:", b"whois:", b"mailto:", b"nntp:"];
    SCHEMES
        .iter()
        .any(|scheme| bytes.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

/// Reads a head line (without line end); `None` if it is none.
pub(crate) fn parse(line: &[u8], offset: u64) -> Option<RecordHead> {
    if !looks_like_head(line) {
        return None;
    }
    let line = String::from_utf8_lossy(line);
    let fields: Vec<&str> = line.trim_end().split(' ').collect();
    // The date is the last field of digits with an address before it; the URL is what stands before that.
    let date_index = (2..fields.len().saturating_sub(1))
        .rev()
        .find(|index| is_date(fields[*index]) && is_address(fields[*index - 1]))?;
    let url = fields[..date_index - 1].join(" ");
    let after = &fields[date_index + 1..];
    let length = *after.last()?;
    let media_type = match after.len() {
        1 => String::new(),
        // Version 2: status, checksum, location, offset and file stand between media type and length.
        7.. if after[after.len() - 6].len() == 3
            && is_number(after[after.len() - 6])
            && is_number(after[after.len() - 3]) =>
        {
            after[..after.len() - 6].join(" ")
        }
        n => after[..n - 1].join(" "),
    };
    let record_type = if url.starts_with("filedesc:") { RecordType::ArcHeader } else { RecordType::Response };
    let mut headers = Headers::default();
    headers.push("WARC-Target-URI", url);
    headers.push("WARC-Date", w3c_date(fields[date_index]));
    headers.push("WARC-IP-Address", fields[date_index - 1]);
    if !media_type.is_empty() {
        headers.push("Content-Type", media_type);
    }
    headers.push("Content-Length", length);
    let content_length = length.parse().ok();
    Some(RecordHead { offset, format: Format::Arc, record_type, headers, content_length })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_date(text: &str) -> bool {
    (8..=20).contains(&text.len()) && is_number(text)
}

/// An IPv4 or IPv6 address, or the names that old crawlers wrote in its place.
fn is_address(text: &str) -> bool {
    matches!(text, "-" | "no-ip" | "no_ip" | "unknown")
        || text.parse::<std::net::IpAddr>().is_ok()
        || text.contains('.') && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// `2008-04-30T20:48:25Z` of 14 digits; as written if it has fewer.
fn w3c_date(digits: &str) -> String {
    match digits.len() {
        14.. => format!(
            "{}-{}-{}T{}:{}:{}Z",
            &digits[..4],
            &digits[4..6],
            &digits[6..8],
            &digits[8..10],
            &digits[10..12],
            &digits[12..14]
        ),
        _ => digits.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<(&str, &str, &str, Option<u64>)>) {
        let head = parse(line.as_bytes(), 0);
        let uri = head.as_ref().and_then(|head| head.target_uri());
        let seen = head.as_ref().map(|head| {
            (
                uri.as_deref().unwrap(),
                head.date().unwrap(),
                head.headers.get("Content-Type").unwrap_or(""),
                head.content_length,
            )
        });
        assert_eq!(seen, expected, "{line}");
    }

    /// F101.
    #[test]
    fn lines() {
        let date = "2005-01-02T03:04:05Z";
        check(
            "http://a/ 192.0.2.1 20050102030405 text/html 120",
            Some(("http://a/", date, "text/html", Some(120))),
        );
        check(
            "http://example.org/p?t=a b c 192.0.2.1 20050102030405 text/html 120",
            Some(("http://example.org/p?t=a b c", date, "text/html", Some(120))),
        );
        check(
            "http://a/ 192.0.2.1 20050102030405 text/plain, text/css 120",
            Some(("http://a/", date, "text/plain, text/css", Some(120))),
        );
        check(
            "http://a/ 192.0.2.1 20050102030405 text/html 200 ABC - 17 x.arc 120",
            Some(("http://a/", date, "text/html", Some(120))),
        );
        check("http://a/ 192.0.2.1 20050102030405 120", Some(("http://a/", date, "", Some(120))));
        check(
            "http://a/ 192.0.2.1 20050102030405 text/html -1",
            Some(("http://a/", date, "text/html", None)),
        );
        check("hello", None);
        check("http://a/ b", None);
        check("", None);
    }
}
