//! In which encoding a document is read.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes in which a declaration is looked for (WHATWG HTML, "prescan a byte stream").
const PRESCAN_BYTES: usize = 1024;

/// The encoding of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// Length of the byte order mark that said so; 0 if something else did.
    pub bom_len: usize,
}

impl Charset {
    /// By byte order mark, then the header, then the document's own `charset=`, then whether the bytes are UTF-8.
    pub fn of(header_charset: Option<&str>, bytes: &[u8]) -> Charset {
        if let Some((encoding, bom_len)) = Encoding::for_bom(bytes) {
            return Charset { encoding, bom_len };
        }
        let declared = header_charset.and_then(|label| Encoding::for_label(label.as_bytes()));
        let encoding = declared.or_else(|| prescan(bytes)).unwrap_or_else(|| guess(bytes));
        Charset { encoding, bom_len: 0 }
    }

    /// True if ASCII bytes mean themselves, so that the document can be rewritten in place.
    pub fn is_ascii_compatible(self) -> bool {
        self.encoding.is_ascii_compatible()
    }
}

/// `charset=` in the first bytes, in a `meta` or `?xml` or `@charset`.
fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes[..bytes.len().min(PRESCAN_BYTES)].to_ascii_lowercase();
    let labels = [&b"charset"[..], b"encoding"].into_iter().filter_map(|word| {
        let at = start.windows(word.len()).position(|window| window == word)?;
        let rest = start[at + word.len()..].trim_ascii_start();
        let rest = rest.strip_prefix(b"=").unwrap_or(rest).trim_ascii_start();
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
        let len = rest.iter().position(|byte| !is_label(*byte)).unwrap_or(rest.len());
        Encoding::for_label(&rest[..len])
    });
    // A document whose declaration could be read as ASCII is not UTF-16, whatever it says.
    labels.map(|found| if found == UTF_16BE || found == UTF_16LE { UTF_8 } else { found }).next()
}

fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.' | b'+')
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let is_utf_8 = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        // A document that was cut may end inside a character.
        Err(error) => error.error_len().is_none(),
    };
    if is_utf_8 { UTF_8 } else { WINDOWS_1252 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources() {
        let check = |header: Option<&str>, bytes: &[u8], expected: &str, bom_len: usize| {
            let found = Charset::of(header, bytes);
            assert_eq!((found.encoding.name(), found.bom_len), (expected, bom_len), "{header:?} {bytes:?}");
        };
        check(Some("koi8-r"), b"\xef\xbb\xbfx", "UTF-8", 3);
        check(None, b"\xff\xfex\0", "UTF-16LE", 2);
        check(Some("windows-1251"), b"<meta charset=utf-8>", "windows-1251", 0);
        check(Some("nonsense"), b"<META CHARSET = 'koi8-r'>", "KOI8-R", 0);
        check(
            None,
            b"<meta http-equiv=content-type content=\"text/html; charset=shift_jis\">",
            "Shift_JIS",
            0,
        );
        check(None, b"<?xml version='1.0' encoding='iso-8859-2'?>", "ISO-8859-2", 0);
        check(None, b"<meta charset=utf-16>", "UTF-8", 0);
        check(None, "ä".as_bytes(), "UTF-8", 0);
        check(None, b"\xe4x", "windows-1252", 0);
        check(None, b"", "UTF-8", 0);
    }
}
