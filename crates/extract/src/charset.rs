//! How bytes become text: byte order mark, HTTP header, declaration in the document, guess.
//!
//! Follows the WHATWG HTML standard (13.2.3.1, "encoding sniffing algorithm") and Encoding standard; annotations as
//! Heritrix writes them.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::{Payload, prescan};

/// Bytes that the guess looks at.
const GUESS_BYTES_MAX: usize = 64 << 10;

/// What said which encoding it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharsetSource {
    /// Byte order mark.
    Bom,
    /// Parameter of the Content-Type header.
    Header,
    /// A `meta` element, or the declaration of an XML document or style sheet.
    Document,
    /// Nothing said it: guessed from the bytes when a text outside ASCII was met.
    Guess,
}

/// How bytes become text.
#[derive(Debug)]
pub struct Charset {
    /// The encoding; for [`CharsetSource::Guess`] only if everything is ASCII.
    pub encoding: &'static Encoding,
    /// What said so.
    pub source: CharsetSource,
    /// Length of the byte order mark. Bytes.
    pub bom_bytes: usize,
    /// `usingCharsetInHTML:X`, `unsatisfiableCharsetInHeader:X` and the like.
    pub annotations: Vec<String>,
}

impl Charset {
    /// Whether markup can be found without decoding: every byte below 0x80 that matters to markup means itself. True also
    /// for Shift_JIS, GBK and Big5, whose second bytes are above `<`, `=`, `>`, quotes and `&`.
    pub fn is_ascii_compatible(&self) -> bool {
        !is_wide(self.encoding)
    }

    /// Text of bytes out of [`Payload::ascii_compatible`].
    pub fn decode<'b>(&self, bytes: &'b [u8]) -> Cow<'b, str> {
        if bytes.is_ascii() {
            // ISO-2022-JP and UTF-16 were decoded as a whole.
            return Cow::Borrowed(std::str::from_utf8(bytes).unwrap_or_default());
        }
        let encoding = if self.is_ascii_compatible() { self.encoding } else { UTF_8 };
        encoding.decode_without_bom_handling(bytes).0
    }
}

fn is_wide(encoding: &'static Encoding) -> bool {
    [UTF_16LE, UTF_16BE, ISO_2022_JP, REPLACEMENT].contains(&encoding)
}

/// Determines the encoding of a payload.
pub(crate) fn determine(payload: &Payload) -> Charset {
    let bytes = payload.bytes();
    let mut charset = Charset {
        encoding: WINDOWS_1252,
        source: CharsetSource::Guess,
        bom_bytes: 0,
        annotations: Vec::new(),
    };
    if let Some((encoding, bom_bytes)) = Encoding::for_bom(bytes) {
        return Charset { encoding, source: CharsetSource::Bom, bom_bytes, ..charset };
    }
    if let Some(label) = payload.content_type().and_then(header_label) {
        match Encoding::for_label(label.as_bytes()) {
            Some(encoding) => return Charset { encoding, source: CharsetSource::Header, ..charset },
            None => charset.annotations.push(format!("unsatisfiableCharsetInHeader:{}", one_word(&label))),
        }
    }
    let kind = prescan::Kind::of(payload);
    if let Some(declared) = prescan::declaration(bytes, kind) {
        let place = if kind == prescan::Kind::Xml { "XML" } else { "HTML" };
        match declared.encoding {
            Some(encoding) => {
                // Style sheets have no annotation in Heritrix, which does not read their declaration.
                if kind != prescan::Kind::Css {
                    charset.annotations.push(format!("usingCharsetIn{place}:{}", one_word(&declared.label)));
                }
                return Charset { encoding, source: CharsetSource::Document, ..charset };
            }
            None => charset
                .annotations
                .push(format!("unsatisfiableCharsetIn{place}:{}", one_word(&declared.label))),
        }
    }
    Charset { encoding: guess(bytes, payload.url().host()), ..charset }
}

/// An encoding that fits the bytes. UTF-8 is allowed: unlike a browser, a crawler has no page that is still loading.
fn guess(bytes: &[u8], host: Option<&str>) -> &'static Encoding {
    let start = &bytes[..bytes.len().min(GUESS_BYTES_MAX)];
    if start.is_ascii() && !start.contains(&0x1b) {
        return WINDOWS_1252;
    }
    match std::str::from_utf8(start) {
        Ok(_) => return UTF_8,
        // A character cut by the limit is no error.
        Err(error) if error.error_len().is_none() && start.len() == GUESS_BYTES_MAX => return UTF_8,
        Err(_) => {}
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(start, start.len() == bytes.len());
    let tld = host
        .and_then(|host| host.rsplit('.').next())
        .filter(|tld| tld.bytes().all(|b| b.is_ascii_alphabetic()));
    detector.guess(tld.map(str::as_bytes), Utf8Detection::Allow)
}

/// The first `charset` parameter of a Content-Type value (MIME Sniffing, "parse a MIME type": the first one wins),
/// quoted, cut short or not.
fn header_label(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_start_matches(['"', '\'']);
        let end = value.find(['"', '\'', ',', ' ']).unwrap_or(value.len());
        (name.trim().eq_ignore_ascii_case("charset") && end > 0).then(|| value[..end].to_owned())
    })
}

/// An annotation may hold no blank and no comma: crawl.log is separated by them.
fn one_word(label: &str) -> String {
    label.chars().filter(|c| !c.is_whitespace() && !c.is_control() && *c != ',').take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(content_type: &str, expected: Option<&str>) {
        assert_eq!(header_label(content_type).as_deref(), expected, "{content_type}");
    }

    #[test]
    fn labels_in_headers() {
        // faults.md F058.
        label("text/html;Charset=utf-8;charset=UTF-8", Some("utf-8"));
        label("text/html; charset=\"utf-8", Some("utf-8"));
        label(";charset=utf-8", Some("utf-8"));
        label("text/html; charset=", None);
        label("text/html; x=\"y\"; charset = 'koi8-r'", Some("koi8-r"));
        label("text/html", None);
    }

    #[test]
    fn guesses() {
        assert_eq!(guess("čeština".as_bytes(), None), UTF_8);
        assert_eq!(guess(b"plain", None), WINDOWS_1252);
        assert_eq!(guess(b"caf\xe9 au lait", Some("example.fr")), WINDOWS_1252);
        let cut = "é".repeat(GUESS_BYTES_MAX);
        assert_eq!(guess(&cut.as_bytes()[..GUESS_BYTES_MAX + 1], None), UTF_8);
        let odd = format!("x{cut}");
        assert_eq!(guess(odd.as_bytes(), None), UTF_8);
    }
}
