//! A response as a compressed WARC record.

use std::fs::File;
use std::io::{BufWriter, Write};

use libdeflater::{CompressionLvl, Compressor};
use sha1::{Digest, Sha1};
use xxhash_rust::xxh3::xxh3_64;

/// Writes records to one file.
pub struct Writer {
    /// The file.
    pub file: BufWriter<File>,
    compressor: Compressor,
    record: Vec<u8>,
    member: Vec<u8>,
}

impl Writer {
    /// A writer at a level of libdeflate.
    ///
    /// # Errors
    /// When there is no such level.
    pub fn new(file: BufWriter<File>, level: i32) -> anyhow::Result<Writer> {
        let level =
            CompressionLvl::new(level).map_err(|_| anyhow::anyhow!("libdeflate has no level {level}"))?;
        Ok(Writer { file, compressor: Compressor::new(level), record: Vec::new(), member: Vec::new() })
    }

    /// Digests, compresses and writes one response.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn write(&mut self, url: &str, raw: &[u8], head_bytes: usize) -> anyhow::Result<()> {
        let payload_digest = base32(&Sha1::digest(&raw[head_bytes..]));
        let block_digest = base32(&Sha1::digest(raw));
        let id = xxh3_64(url.as_bytes()) >> 16;
        self.record.clear();
        write!(
            self.record,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{id:012x}>\r\n\
             WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\nWARC-IP-Address: 127.0.0.1\r\n\
             WARC-Payload-Digest: sha1:{payload_digest}\r\nWARC-Block-Digest: sha1:{block_digest}\r\n\
             Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n",
            raw.len()
        )?;
        self.record.extend_from_slice(raw);
        self.record.extend_from_slice(b"\r\n\r\n");
        let bound = self.compressor.gzip_compress_bound(self.record.len());
        self.member.resize(bound, 0);
        let length = self.compressor.gzip_compress(&self.record, &mut self.member)?;
        self.file.write_all(&self.member[..length])?;
        Ok(())
    }
}

fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let (mut bits, mut n_bits, mut text) = (0u32, 0, String::new());
    for &byte in bytes {
        bits = bits << 8 | u32::from(byte);
        n_bits += 8;
        while n_bits >= 5 {
            n_bits -= 5;
            text.push(char::from(ALPHABET[(bits >> n_bits & 31) as usize]));
        }
    }
    text
}
