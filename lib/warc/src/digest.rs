//! Digests as records declare them: `sha1:` and base32, and the other spellings in the wild.

use std::fmt;

use sha1::{Digest as _, Sha1};
use sha2::Sha256;

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Base32 of RFC 4648 in upper case; no padding (20 bytes need none).
pub fn base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut bits, mut n_bits) = (0u32, 0);
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        n_bits += 8;
        while n_bits >= 5 {
            n_bits -= 5;
            text.push(BASE32[(bits >> n_bits & 31) as usize] as char);
        }
    }
    if n_bits > 0 {
        text.push(BASE32[(bits << (5 - n_bits) & 31) as usize] as char);
    }
    text
}

/// An algorithm that we can compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// 20 bytes.
    Sha1,
    /// 32 bytes.
    Sha256,
}

/// A digest as a record declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// `None` if we cannot compute it.
    pub algorithm: Option<Algorithm>,
    /// The whole text, label included.
    pub text: String,
}

impl Declared {
    /// Reads `label:value`; never fails.
    pub fn parse(text: &str) -> Declared {
        let label = text.split_once(':').map_or("", |(label, _)| label).trim();
        let algorithm = match label.to_ascii_lowercase().as_str() {
            "sha1" | "sha-1" => Some(Algorithm::Sha1),
            "sha256" | "sha-256" => Some(Algorithm::Sha256),
            _ => None,
        };
        Declared { algorithm, text: text.trim().to_owned() }
    }

    /// Whether it is the digest of these bytes' hash. Base32, hexadecimal, base64 and base64url are read alike; letter
    /// case counts only in base64.
    pub fn is(&self, hash: &[u8]) -> bool {
        let value = self.text.split_once(':').map_or("", |(_, value)| value).trim().trim_end_matches('=');
        if value.eq_ignore_ascii_case(&base32(hash)) {
            return true;
        }
        let hex = hash.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        if value.eq_ignore_ascii_case(&hex) {
            return true;
        }
        value.replace('-', "+").replace('_', "/") == base64(hash)
    }
}

/// Base64 of RFC 4648 without padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..=three.len() {
            text.push(LETTERS[(bits >> (18 - 6 * place) & 63) as usize] as char);
        }
    }
    text
}

/// Computes a digest piece by piece.
#[derive(Clone)]
pub enum Hasher {
    /// SHA-1.
    Sha1(Sha1),
    /// SHA-256.
    Sha256(Sha256),
}

impl Hasher {
    /// A hasher that has seen nothing.
    pub fn new(algorithm: Algorithm) -> Hasher {
        match algorithm {
            Algorithm::Sha1 => Hasher::Sha1(Sha1::new()),
            Algorithm::Sha256 => Hasher::Sha256(Sha256::new()),
        }
    }

    /// Takes more bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Sha1(sha1) => sha1.update(bytes),
            Hasher::Sha256(sha256) => sha256.update(bytes),
        }
    }

    /// The hash.
    pub fn finish(self) -> Vec<u8> {
        match self {
            Hasher::Sha1(sha1) => sha1.finalize().to_vec(),
            Hasher::Sha256(sha256) => sha256.finalize().to_vec(),
        }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hasher::Sha1(_) => "Hasher::Sha1",
            Hasher::Sha256(_) => "Hasher::Sha256",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(declared: &str, bytes: &[u8], expected: bool) {
        let declared = Declared::parse(declared);
        let mut hasher = Hasher::new(declared.algorithm.unwrap());
        hasher.update(bytes);
        assert_eq!(declared.is(&hasher.finish()), expected, "{declared:?}");
    }

    #[test]
    fn spellings() {
        check("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", b"", true);
        check("SHA-1: 3i42h3s6nnfq2msvx7xzkyayscx5qbyj", b"", true);
        check("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709", b"", true);
        check("sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=", b"", true);
        check("sha1:2jmj7l5rSw0yVb_vlWAYkK_YBwk=", b"", true);
        check("sha1:1112H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", b"", false);
        check("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", b"", true);
        check("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", b"x", false);
        assert_eq!(Declared::parse("md5:x").algorithm, None);
        assert_eq!(Declared::parse("nothing").algorithm, None);
    }
}
