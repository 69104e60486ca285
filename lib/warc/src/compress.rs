//! Gzip members, one a record (WARC 1.1, Annex D).
//!
//! Records in memory go through libdeflate, which is a third faster than zlib at the same size; those too large for that
//! through a streaming zlib.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use libdeflater::{CompressionLvl, Compressor};

/// Highest gzip level; 0 stores.
pub const GZIP_LEVEL_MAX: u8 = 12;

/// Makes gzip members of whole records. Costs up to some hundred kilobytes of memory a level: keep one a thread.
pub struct MemberCompressor {
    /// Made when first used, by level.
    compressors: [Option<Compressor>; GZIP_LEVEL_MAX as usize + 1],
}

impl MemberCompressor {
    /// A compressor that holds no memory yet.
    pub const fn new() -> MemberCompressor {
        MemberCompressor { compressors: [const { None }; GZIP_LEVEL_MAX as usize + 1] }
    }

    /// Appends one gzip member that holds `record` to `out`. Levels over [`GZIP_LEVEL_MAX`] count as that.
    pub fn append_member(&mut self, level: u8, record: &[u8], out: &mut Vec<u8>) {
        let level = level.min(GZIP_LEVEL_MAX);
        let compressor = self.compressors[usize::from(level)].get_or_insert_with(|| {
            let level = CompressionLvl::new(i32::from(level)).expect("levels 0 to 12 exist");
            Compressor::new(level)
        });
        let start = out.len();
        out.resize(start + compressor.gzip_compress_bound(record.len()), 0);
        let n = compressor.gzip_compress(record, &mut out[start..]).expect("the bound leaves room enough");
        out.truncate(start + n);
    }
}

impl Default for MemberCompressor {
    fn default() -> MemberCompressor {
        MemberCompressor::new()
    }
}

/// A gzip member that is written piece by piece. Levels over 9 count as 9.
pub struct MemberStream<W: Write> {
    encoder: GzEncoder<W>,
}

impl<W: Write> MemberStream<W> {
    /// Begins a member.
    pub fn new(out: W, level: u8) -> MemberStream<W> {
        let level = flate2::Compression::new(u32::from(level.min(9)));
        MemberStream { encoder: GzEncoder::new(out, level) }
    }

    /// Ends the member and gives the output back.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn finish(self) -> io::Result<W> {
        self.encoder.finish()
    }
}

impl<W: Write> Write for MemberStream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.encoder.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }
}

/// True if bytes of that media type rarely become smaller: pictures, sound, films, fonts, archives. `media_type` in lower
/// case without parameters.
pub fn is_incompressible(media_type: &str) -> bool {
    match media_type.split_once('/') {
        Some(("image", kind)) => {
            !matches!(kind, "svg+xml" | "bmp" | "x-ms-bmp" | "tiff" | "x-icon" | "vnd.microsoft.icon")
        }
        Some(("audio", kind)) => !matches!(kind, "wav" | "x-wav" | "midi" | "x-midi" | "x-mpegurl"),
        Some(("video", _)) => true,
        Some(("font", kind)) => matches!(kind, "woff" | "woff2"),
        Some(("application", kind)) => {
            matches!(
                kind,
                "zip"
                    | "gzip"
                    | "x-gzip"
                    | "x-bzip2"
                    | "x-xz"
                    | "zstd"
                    | "x-7z-compressed"
                    | "x-rar-compressed"
                    | "vnd.rar"
                    | "java-archive"
                    | "epub+zip"
                    | "font-woff"
                    | "font-woff2"
                    | "x-font-woff"
                    | "x-debian-package"
                    | "vnd.android.package-archive"
                    | "x-compress"
                    | "x-rpm"
                    | "x-lzma"
                    | "ogg"
            ) || kind.starts_with("vnd.openxmlformats-officedocument")
                || kind.starts_with("vnd.oasis.opendocument")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn check(level: u8, text: &[u8]) {
        let mut whole = b"before".to_vec();
        MemberCompressor::new().append_member(level, text, &mut whole);
        let mut streamed = MemberStream::new(b"before".to_vec(), level);
        streamed.write_all(text).unwrap();
        for bytes in [whole, streamed.finish().unwrap()] {
            let mut back = Vec::new();
            flate2::read::GzDecoder::new(&bytes[6..]).read_to_end(&mut back).unwrap();
            assert_eq!(back, text);
        }
    }

    #[test]
    fn members_read_back() {
        let long: Vec<u8> = (0..200_000u32).flat_map(|n| n.wrapping_mul(n).to_le_bytes()).collect();
        for level in [0, 1, 6, 9, 12, 200] {
            check(level, b"");
            check(level, b"hello hello hello");
            check(level, &long[..100_000]);
        }
        check(0, &long);
    }

    #[test]
    fn what_does_not_compress() {
        assert!(is_incompressible("image/jpeg") && is_incompressible("application/zip"));
        assert!(
            !is_incompressible("image/svg+xml") && !is_incompressible("text/html") && !is_incompressible("")
        );
    }
}
