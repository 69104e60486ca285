//! Content codings undone, for reading only: what is archived stays as it came.
//!
//! Labels lie and streams are cut, so nothing here fails: it gives what could be read and says what was wrong. Output,
//! window sizes and the number of layers are limited (decompression bombs).

use std::borrow::Cow;
use std::io::Read;

/// Codings applied one over another; more are not undone.
const LAYERS_MAX: usize = 3;

/// Largest zstd window: 2^23 bytes (RFC 9659, 3).
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// A body with its codings undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The bytes; borrowed if there was nothing to undo.
    pub bytes: Cow<'a, [u8]>,
    /// False if the stream was cut or broken, or the limit was reached: `bytes` is then what came before.
    pub complete: bool,
    /// What was wrong, lower case, no full stop; `None` if nothing.
    pub problem: Option<String>,
}

/// Undoes the codings that a Content-Encoding value lists (RFC 9110, 8.4), the last first, to at most `bytes_max` bytes.
///
/// An unknown coding and a label that the bytes do not bear out leave the bytes as they are and are named in `problem`.
pub fn decode<'a>(content_encoding: &str, bytes: &'a [u8], bytes_max: usize) -> Decoded<'a> {
    let codings: Vec<&str> =
        content_encoding.split(',').map(str::trim).filter(|coding| !coding.is_empty()).collect();
    let mut decoded = Decoded { bytes: Cow::Borrowed(bytes), complete: true, problem: None };
    for (layer, coding) in codings.iter().rev().enumerate() {
        if layer == LAYERS_MAX {
            decoded.problem = Some(format!("more than {LAYERS_MAX} content codings"));
            break;
        }
        if decoded.bytes.is_empty() {
            break;
        }
        let Some(outcome) = undo(coding, &decoded.bytes, bytes_max) else {
            if !coding.eq_ignore_ascii_case("identity") {
                decoded.problem = Some(format!("content coding {coding:?} is not known"));
                break;
            }
            continue;
        };
        match outcome {
            Undone::NotThisCoding => {
                decoded.problem = Some(format!("content is not {coding}"));
                break;
            }
            Undone::Bytes { bytes, problem } => {
                decoded.bytes = Cow::Owned(bytes);
                if problem.is_some() {
                    decoded.problem = problem;
                    decoded.complete = false;
                    break;
                }
            }
        }
    }
    if decoded.bytes.len() > bytes_max {
        decoded.complete = false;
        decoded.problem.get_or_insert_with(|| format!("longer than {bytes_max} bytes"));
        decoded.bytes = match decoded.bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..bytes_max]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(bytes_max);
                Cow::Owned(bytes)
            }
        };
    }
    decoded
}

enum Undone {
    Bytes { bytes: Vec<u8>, problem: Option<String> },
    NotThisCoding,
}

/// `None` if the coding is not known.
fn undo(coding: &str, bytes: &[u8], bytes_max: usize) -> Option<Undone> {
    let read = |reader: &mut dyn Read| read_all(reader, bytes.len(), bytes_max);
    Some(match coding.to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => {
            if !bytes.starts_with(&[0x1f, 0x8b]) {
                return Some(Undone::NotThisCoding);
            }
            let mut undone = read(&mut flate2::bufread::MultiGzDecoder::new(bytes));
            // Junk after the last member is no loss.
            if let Undone::Bytes { bytes: out, problem: problem @ Some(_) } = &mut undone
                && whole_first_member(bytes, out.len())
            {
                *problem = None;
            }
            undone
        }
        "deflate" | "x-deflate" => {
            // RFC 9110, 8.4.1.2: zlib is meant, bare deflate is sent too.
            let is_zlib = bytes.len() >= 2
                && bytes[0] & 0x0f == 8
                && u16::from_be_bytes([bytes[0], bytes[1]]).is_multiple_of(31);
            let zlib = is_zlib.then(|| read(&mut flate2::bufread::ZlibDecoder::new(bytes)));
            match zlib {
                Some(Undone::Bytes { bytes: out, problem }) if problem.is_none() || !out.is_empty() => {
                    Undone::Bytes { bytes: out, problem }
                }
                _ => match read(&mut flate2::bufread::DeflateDecoder::new(bytes)) {
                    Undone::Bytes { bytes: out, problem: Some(_) } if out.is_empty() => Undone::NotThisCoding,
                    other => other,
                },
            }
        }
        "br" => match read(&mut brotli_decompressor::Decompressor::new(bytes, 16 << 10)) {
            Undone::Bytes { bytes: out, problem: Some(_) } if out.is_empty() => Undone::NotThisCoding,
            other => other,
        },
        "zstd" => {
            if !is_zstd(bytes) {
                return Some(Undone::NotThisCoding);
            }
            match zstd::stream::read::Decoder::with_buffer(bytes) {
                Ok(mut decoder) => {
                    // Fails only for numbers out of range.
                    let _ = decoder.window_log_max(ZSTD_WINDOW_LOG_MAX);
                    read(&mut decoder)
                }
                Err(error) => Undone::Bytes { bytes: Vec::new(), problem: Some(format!("zstd: {error}")) },
            }
        }
        _ => return None,
    })
}

/// A frame, or a skippable frame (RFC 8878, 3.1).
fn is_zstd(bytes: &[u8]) -> bool {
    matches!(bytes, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Whether the first gzip member alone gives that many bytes and is whole.
fn whole_first_member(bytes: &[u8], len: usize) -> bool {
    let mut decoder = flate2::bufread::GzDecoder::new(bytes);
    match read_all(&mut decoder, bytes.len(), len + 1) {
        Undone::Bytes { bytes: out, problem: None } => {
            out.len() == len && !decoder.into_inner().starts_with(&[0x1f, 0x8b])
        }
        _ => false,
    }
}

/// Reads to the end, an error or the limit. One byte over the limit is read to know that it was passed.
fn read_all(reader: &mut dyn Read, len_in: usize, bytes_max: usize) -> Undone {
    let mut bytes = Vec::with_capacity((len_in * 4).min(bytes_max).min(1 << 20));
    let mut limited = reader.take(bytes_max as u64 + 1);
    let problem = match limited.read_to_end(&mut bytes) {
        Ok(_) if bytes.len() > bytes_max => Some(format!("longer than {bytes_max} bytes when decoded")),
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    };
    bytes.truncate(bytes_max);
    Undone::Bytes { bytes, problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const PAGE: &[u8] = b"<html><a href=/x>x</a> and again and again and again</html>";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn check(coding: &str, coded: &[u8], expected: &[u8], complete: bool, has_problem: bool) {
        let decoded = decode(coding, coded, 1 << 20);
        assert_eq!(String::from_utf8_lossy(&decoded.bytes), String::from_utf8_lossy(expected), "{coding}");
        assert_eq!(
            (decoded.complete, decoded.problem.is_some()),
            (complete, has_problem),
            "{coding} {decoded:?}"
        );
    }

    #[test]
    fn codings() {
        let (gzipped, zlibbed) = (gzip(PAGE), zlib(PAGE));
        check("gzip", &gzipped, PAGE, true, false);
        check("x-gzip", &gzipped, PAGE, true, false);
        check(" GZip ", &gzipped, PAGE, true, false);
        check("gzip, gzip", &gzip(&gzipped), PAGE, true, false);
        check("deflate", &zlibbed, PAGE, true, false);
        check("deflate", &zlibbed[2..], PAGE, true, false);
        check("zstd", &zstd::encode_all(PAGE, 3).unwrap(), PAGE, true, false);
        // `printf hello | brotli`: written by hand from RFC 7932, 9.2 as one uncompressed meta-block.
        check("br", b"\x0b\x02\x80hello\x03", b"hello", true, false);
        check("identity", PAGE, PAGE, true, false);
        check("", PAGE, PAGE, true, false);
        check("gzip", &[gzipped.clone(), gzip(b"more")].concat(), &[PAGE, b"more"].concat(), true, false);
    }

    #[test]
    fn labels_that_lie() {
        check("gzip", PAGE, PAGE, true, true);
        check("deflate", PAGE, PAGE, true, true);
        check("br", b"\xff\xff<html>", b"\xff\xff<html>", true, true);
        check("zstd", PAGE, PAGE, true, true);
        check("utf-8", PAGE, PAGE, true, true);
        check("none", PAGE, PAGE, true, true);
        check("gzip", b"", b"", true, false);
        check("gzip", &[gzip(PAGE), b"junk".to_vec()].concat(), PAGE, true, false);
    }

    #[test]
    fn cut_streams_give_what_came() {
        let gzipped = gzip(&PAGE.repeat(1000));
        for coding in ["gzip", "deflate"] {
            let coded = if coding == "gzip" { gzipped.clone() } else { zlib(&PAGE.repeat(1000)) };
            let decoded = decode(coding, &coded[..coded.len() * 6 / 10], 1 << 20);
            assert!(!decoded.complete && decoded.bytes.starts_with(&PAGE[..40]), "{coding}");
        }
        let coded = zstd::encode_all(PAGE.repeat(20_000).as_slice(), 1).unwrap();
        assert!(!decode("zstd", &coded[..coded.len() / 2], 1 << 24).complete);
    }

    #[test]
    fn bombs_end_at_the_limit() {
        let zeros = vec![0; 64 << 20];
        for (coding, coded) in [
            ("gzip", gzip(&zeros)),
            ("deflate", zlib(&zeros)),
            ("zstd", zstd::encode_all(zeros.as_slice(), 1).unwrap()),
        ] {
            let decoded = decode(coding, &coded, 1 << 20);
            assert_eq!((decoded.bytes.len(), decoded.complete), (1 << 20, false), "{coding}");
        }
        let members = gzip(b"").repeat(20_000);
        assert!(decode("gzip", &members, 1 << 20).complete);
        assert!(
            decode("gzip, gzip, gzip, gzip", &gzip(&gzip(&gzip(&gzip(PAGE)))), 1 << 20).problem.is_some()
        );
    }
}
