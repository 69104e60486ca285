//! One capture in an index: CDXJ 0.1 (key, time, JSON) and CDX with eleven fields (`N b a m s k r M S V g`).

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// First line of a CDX file with eleven fields; its first character is the delimiter.
pub const CDX11_HEADER: &str = " CDX N b a m s k r M S V g";

/// Longest line that is read.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// One capture in an index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CdxLine {
    /// SURT key of the URL.
    pub key: String,
    /// 14 digits (or 17), UTC.
    pub timestamp: String,
    /// The URL.
    pub url: String,
    /// Media type; `warc/revisit` for revisits.
    pub mime: Option<String>,
    /// HTTP status; `None` for what is no HTTP response.
    pub status: Option<u16>,
    /// Payload digest, with or without label.
    pub digest: Option<String>,
    /// Bytes of the record in its file.
    pub length: Option<u64>,
    /// First byte of the record in its file.
    pub offset: u64,
    /// Name of the file.
    pub filename: String,
    /// Fields that are not named here, in their order.
    pub more: Vec<(String, Value)>,
}

impl CdxLine {
    /// Makes the key of the URL.
    pub fn key_of(url: &str) -> String {
        surt::cdx_key(url)
    }

    /// Appends the line as CDXJ with its line end: all values as strings, as pywb writes them.
    pub fn write_cdxj(&self, out: &mut String) {
        push_word(out, &self.key);
        out.push(' ');
        push_word(out, &self.timestamp);
        out.push_str(" {\"url\": ");
        push_json(out, &without_blanks(&self.url));
        let status = self.status.map(|status| status.to_string());
        let length = self.length.map(|length| length.to_string());
        let fields = [
            ("mime", self.mime.as_deref()),
            ("status", status.as_deref()),
            ("digest", self.digest.as_deref()),
            ("length", length.as_deref()),
            ("offset", Some(self.offset.to_string().as_str())),
            ("filename", Some(self.filename.as_str())),
        ]
        .map(|(name, value)| (name, value.map(str::to_owned)));
        for (name, value) in fields {
            if let Some(value) = value {
                let _ = write!(out, ", \"{name}\": ");
                push_json(out, &value);
            }
        }
        for (name, value) in &self.more {
            out.push_str(", ");
            push_json(out, name);
            let _ = write!(out, ": {value}");
        }
        out.push_str("}\n");
    }

    /// Appends the line as CDX with eleven fields and its line end. What is missing is `-`; the digest loses the label
    /// `sha1:`.
    pub fn write_cdx11(&self, out: &mut String) {
        let or_dash =
            |text: Option<String>| text.filter(|text| !text.is_empty()).unwrap_or_else(|| "-".to_owned());
        let digest =
            self.digest.as_ref().map(|digest| digest.strip_prefix("sha1:").unwrap_or(digest).to_owned());
        let words = [
            self.key.clone(),
            self.timestamp.clone(),
            self.url.clone(),
            or_dash(self.mime.clone()),
            or_dash(self.status.map(|status| status.to_string())),
            or_dash(digest),
            or_dash(self.text("redirect")),
            or_dash(self.text("robotflags")),
            or_dash(self.length.map(|length| length.to_string())),
            self.offset.to_string(),
            or_dash(Some(self.filename.clone())),
        ];
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                out.push(' ');
            }
            push_word(out, word);
        }
        out.push('\n');
    }

    /// A further field that is a string.
    pub fn text(&self, name: &str) -> Option<String> {
        let (_, value) = self.more.iter().find(|(field, _)| field == name)?;
        value.as_str().map(str::to_owned)
    }

    /// Reads a line of CDXJ, or of CDX with nine or eleven fields; `None` for headers and for what is neither. Numbers are
    /// taken as strings or as numbers; a missing key is made of the URL.
    pub fn parse(line: &str) -> Option<CdxLine> {
        if line.len() > LINE_BYTES_MAX || line.starts_with(" CDX ") || line.starts_with('!') {
            return None;
        }
        let line = line.trim_end_matches(['\n', '\r']);
        let (key, rest) = line.split_once(' ')?;
        let (timestamp, rest) = rest.split_once(' ')?;
        let is_time =
            matches!(timestamp.len(), 4..=17) && timestamp.bytes().all(|byte| byte.is_ascii_digit());
        if !is_time {
            return None;
        }
        let mut parsed = match rest.trim_start().starts_with('{') {
            true => parse_json(rest.trim_start())?,
            false => parse_words(rest)?,
        };
        parsed.key = if key.is_empty() { CdxLine::key_of(&parsed.url) } else { key.to_owned() };
        parsed.timestamp = timestamp.to_owned();
        Some(parsed)
    }
}

fn parse_json(text: &str) -> Option<CdxLine> {
    let Value::Object(fields) = serde_json::from_str::<Value>(text).ok()? else { return None };
    let text = |fields: &Map<String, Value>, name: &str| match fields.get(name) {
        Some(Value::String(text)) if !text.is_empty() && text != "-" => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    const NAMED: [&str; 7] = ["url", "mime", "status", "digest", "length", "offset", "filename"];
    Some(CdxLine {
        key: String::new(),
        timestamp: String::new(),
        url: text(&fields, "url")?,
        mime: text(&fields, "mime"),
        status: text(&fields, "status").and_then(|text| text.parse().ok()),
        digest: text(&fields, "digest"),
        length: text(&fields, "length").and_then(|text| text.parse().ok()),
        offset: text(&fields, "offset")?.parse().ok()?,
        filename: text(&fields, "filename")?,
        more: fields.into_iter().filter(|(name, _)| !NAMED.contains(&name.as_str())).collect(),
    })
}

fn parse_words(rest: &str) -> Option<CdxLine> {
    let words: Vec<&str> = rest.split(' ').collect();
    // Blanks in the URL were written by some tools: the other fields are counted from the right.
    let (n_after_url, has_length) = match words.len() {
        0..7 => return None,
        7 => (6, false),
        _ => (8, true),
    };
    let at = words.len().checked_sub(n_after_url)?;
    let value = |index: usize| Some(words[at + index].to_owned()).filter(|word| word != "-");
    let mut more = Vec::new();
    if let Some(redirect) = value(3) {
        more.push(("redirect".to_owned(), Value::String(redirect)));
    }
    if let Some(flags) = value(4).filter(|_| has_length) {
        more.push(("robotflags".to_owned(), Value::String(flags)));
    }
    let last = n_after_url - 1;
    Some(CdxLine {
        key: String::new(),
        timestamp: String::new(),
        url: words[..at].join(" "),
        mime: value(0),
        status: value(1).and_then(|word| word.parse().ok()),
        digest: value(2),
        length: value(5).filter(|_| has_length).and_then(|word| word.parse().ok()),
        offset: value(last - 1)?.parse().ok()?,
        filename: value(last)?,
        more,
    })
}

/// A word may hold no blank.
fn push_word(out: &mut String, word: &str) {
    out.push_str(&without_blanks(word));
}

/// Blanks and control characters percent-encoded: a line has its fields by blanks.
fn without_blanks(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return text.into();
    }
    let mut clean = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(clean, "%{byte:02X}");
            }
        } else {
            clean.push(c);
        }
    }
    clean.into()
}

fn push_json(out: &mut String, text: &str) {
    out.push_str(&Value::String(text.to_owned()).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> CdxLine {
        CdxLine {
            key: "org,example)/a".to_owned(),
            timestamp: "20260105100007".to_owned(),
            url: "http://example.org/a".to_owned(),
            mime: Some("text/html".to_owned()),
            status: Some(200),
            digest: Some("sha1:ABC".to_owned()),
            length: Some(12),
            offset: 34,
            filename: "x.warc.gz".to_owned(),
            more: Vec::new(),
        }
    }

    #[test]
    fn forms() {
        let (mut cdxj, mut cdx11) = (String::new(), String::new());
        line().write_cdxj(&mut cdxj);
        line().write_cdx11(&mut cdx11);
        assert_eq!(
            cdxj,
            "org,example)/a 20260105100007 {\"url\": \"http://example.org/a\", \"mime\": \"text/html\", \
             \"status\": \"200\", \"digest\": \"sha1:ABC\", \"length\": \"12\", \"offset\": \"34\", \
             \"filename\": \"x.warc.gz\"}\n"
        );
        assert_eq!(
            cdx11,
            "org,example)/a 20260105100007 http://example.org/a text/html 200 ABC - - 12 34 x.warc.gz\n"
        );
        assert_eq!(CdxLine::parse(&cdxj), Some(line()));
        assert_eq!(CdxLine::parse(&cdx11), Some(CdxLine { digest: Some("ABC".to_owned()), ..line() }));
    }

    fn check(text: &str, expected: Option<(&str, Option<u16>, u64)>) {
        let parsed = CdxLine::parse(text);
        assert_eq!(
            parsed.as_ref().map(|line| (line.url.as_str(), line.status, line.offset)),
            expected,
            "{text}"
        );
    }

    #[test]
    fn lenient() {
        check(CDX11_HEADER, None);
        check("!meta {}", None);
        check("", None);
        check("a", None);
        check(
            "a 2026 {\"url\": \"u\", \"offset\": 5, \"status\": 404, \"filename\": \"f\"}",
            Some(("u", Some(404), 5)),
        );
        check("a 2026 {\"url\": \"u\", \"offset\": \"x\", \"filename\": \"f\"}", None);
        check("a 2026 {\"url\"", None);
        check("a 20260105100007 http://a b/ text/html - ABC - - 12 34 f", Some(("http://a b/", None, 34)));
        check("a 20260105100007 http://a/ text/html 200 ABC - 34 f", Some(("http://a/", Some(200), 34)));
    }

    #[test]
    fn a_blank_cannot_forge_a_field() {
        let mut out = String::new();
        CdxLine { url: "http://a/ b\n".to_owned(), key: "k k".to_owned(), ..line() }.write_cdx11(&mut out);
        assert_eq!(out.matches(' ').count(), 10);
        assert_eq!(out.matches('\n').count(), 1);
    }
}
