//! Writes records: the head in a fixed order, the trailer, fields of `warcinfo` and `metadata` blocks.
//!
//! Knows no clock and no file: bytes go into a buffer, the time comes in as text. WARC 1.1, 4 and 5.

use std::fmt::{self, Write as _};

use crate::RecordType;

/// What follows every block: two line ends (WARC 1.1, 4).
pub const TRAILER: &[u8] = b"\r\n\r\n";

/// Media type of `warcinfo` and `metadata` blocks that hold [`push_field`] lines.
pub const WARC_FIELDS: &str = "application/warc-fields";

/// Writes the head of one record into a buffer: type, target and date first, then what the caller adds, then id, content
/// type and length (Heritrix's order). A line end inside a value becomes a blank, so that no value can forge a field.
///
/// ```
/// use warc::{HeadWriter, RecordType, TRAILER};
///
/// let mut record = Vec::new();
/// HeadWriter::begin(&mut record, &RecordType::Resource, Some("dns:example.org"), "2026-01-05T10:00:07Z")
///     .header("WARC-IP-Address", "192.0.2.53")
///     .finish(&[0; 16], Some("text/dns"), 5);
/// record.extend_from_slice(b"hello");
/// record.extend_from_slice(TRAILER);
/// assert!(record.starts_with(b"WARC/1.1\r\nWARC-Type: resource\r\n"));
/// ```
pub struct HeadWriter<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> HeadWriter<'a> {
    /// Begins a WARC/1.1 head. `date` is a W3C date in UTC (WARC 1.1, 5.4), at best from one to nine digits of fraction.
    pub fn begin(
        out: &'a mut Vec<u8>,
        record_type: &RecordType,
        target_uri: Option<&str>,
        date: &str,
    ) -> HeadWriter<'a> {
        out.extend_from_slice(b"WARC/1.1\r\n");
        let mut head = HeadWriter { out };
        head.push("WARC-Type", record_type);
        if let Some(uri) = target_uri {
            head.push("WARC-Target-URI", uri);
        }
        head.push("WARC-Date", date);
        head
    }

    /// Adds a field. The name is ours and must be a token.
    pub fn header(mut self, name: &str, value: impl fmt::Display) -> HeadWriter<'a> {
        self.push(name, value);
        self
    }

    /// Adds a field unless there is no value.
    pub fn header_if(mut self, name: &str, value: Option<impl fmt::Display>) -> HeadWriter<'a> {
        if let Some(value) = value {
            self.push(name, value);
        }
        self
    }

    /// Ends the head. `record_id` are the 16 bytes of a UUID; a content type is left out for empty blocks.
    pub fn finish(mut self, record_id: &[u8; 16], content_type: Option<&str>, content_length: u64) {
        self.push("WARC-Record-ID", RecordId(*record_id));
        if let Some(content_type) = content_type.filter(|_| content_length > 0) {
            self.push("Content-Type", content_type);
        }
        self.push("Content-Length", content_length);
        self.out.extend_from_slice(b"\r\n");
    }

    fn push(&mut self, name: &str, value: impl fmt::Display) {
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b": ");
        write!(OneLine(self.out), "{value}").expect("a buffer in memory takes everything");
        self.out.extend_from_slice(b"\r\n");
    }
}

/// A UUID as `WARC-Record-ID` carries it: `<urn:uuid:…>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordId(pub [u8; 16]);

impl RecordId {
    /// Reads `<urn:uuid:…>`, with or without brackets; `None` for any other URI.
    pub fn parse(text: &str) -> Option<RecordId> {
        let text = text.trim().trim_start_matches('<').trim_end_matches('>');
        let prefix = text.get(..9)?;
        if !prefix.eq_ignore_ascii_case("urn:uuid:") {
            return None;
        }
        let mut bytes = [0u8; 16];
        let mut n_digits = 0;
        for byte in text[9..].bytes().filter(|byte| *byte != b'-') {
            let digit = (byte as char).to_digit(16)? as u8;
            let place = bytes.get_mut(n_digits / 2)?;
            *place = *place << 4 | digit;
            n_digits += 1;
        }
        (n_digits == 32).then_some(RecordId(bytes))
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<urn:uuid:")?;
        for (index, byte) in self.0.iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        f.write_str(">")
    }
}

/// Adds a line `label: value` to a block of `application/warc-fields`; an empty value gives the label alone with its
/// colon. Line ends inside the value become blanks.
pub fn push_field(block: &mut Vec<u8>, label: &str, value: impl fmt::Display) {
    block.extend_from_slice(label.as_bytes());
    block.extend_from_slice(b": ");
    write!(OneLine(block), "{value}").expect("a buffer in memory takes everything");
    if block.ends_with(b": ") {
        block.pop();
    }
    block.extend_from_slice(b"\r\n");
}

/// Passes text on with line ends and NUL as blanks.
struct OneLine<'a>(&'a mut Vec<u8>);

impl fmt::Write for OneLine<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let start = self.0.len();
        self.0.extend_from_slice(text.as_bytes());
        for byte in &mut self.0[start..] {
            if matches!(byte, b'\r' | b'\n' | 0) {
                *byte = b' ';
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_in_order() {
        let mut out = Vec::new();
        HeadWriter::begin(
            &mut out,
            &RecordType::Response,
            Some("http://example.org/"),
            "2026-01-05T10:00:07Z",
        )
        .header("WARC-IP-Address", "192.0.2.1")
        .header_if("WARC-Truncated", None::<&str>)
        .finish(&[0xab; 16], Some("application/http; msgtype=response"), 12);
        let expected = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/\r\n\
            WARC-Date: 2026-01-05T10:00:07Z\r\nWARC-IP-Address: 192.0.2.1\r\n\
            WARC-Record-ID: <urn:uuid:abababab-abab-abab-abab-abababababab>\r\n\
            Content-Type: application/http; msgtype=response\r\nContent-Length: 12\r\n\r\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_value_cannot_forge_a_field() {
        let mut out = Vec::new();
        HeadWriter::begin(&mut out, &RecordType::Metadata, None, "x")
            .header("A", "b\r\nContent-Length: 5\r\n\r\n")
            .finish(&[0; 16], None, 0);
        assert_eq!(out.windows(2).filter(|pair| pair == b"\r\n").count(), 7);
        let mut block = Vec::new();
        push_field(&mut block, "via", "a\nb");
        push_field(&mut block, "seed", "");
        assert_eq!(block, b"via: a b\r\nseed:\r\n");
    }

    #[test]
    fn record_ids_read_back() {
        let id = RecordId(*b"0123456789abcdef");
        assert_eq!(RecordId::parse(&id.to_string()), Some(id));
        assert_eq!(RecordId::parse("urn:uuid:30313233-3435-3637-3839-616263646566"), Some(id));
        for bad in ["", "<urn:x>", "<urn:uuid:>", "<urn:uuid:3031323334353637383961626364656677>"] {
            assert_eq!(RecordId::parse(bad), None, "{bad}");
        }
    }
}
