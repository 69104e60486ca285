//! Damaged and hostile files: nothing panics or hangs, and what lies behind the damage is read.
#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::io::{Cursor, Read, Write};

use proptest::prelude::*;
use warc::{HeadWriter, MemberCompressor, Reader, RecordType, TRAILER, check};

fn record(n: usize, block: &[u8]) -> Vec<u8> {
    let mut record = Vec::new();
    let uri = format!("http://example.org/{n}");
    HeadWriter::begin(&mut record, &RecordType::Resource, Some(&uri), "2026-01-05T10:00:07Z").finish(
        &[n as u8; 16],
        Some("text/plain"),
        block.len() as u64,
    );
    record.extend_from_slice(block);
    record.extend_from_slice(TRAILER);
    record
}

fn gzip(record: &[u8]) -> Vec<u8> {
    let mut member = Vec::new();
    MemberCompressor::new().append_member(6, record, &mut member);
    member
}

/// Target URIs and blocks, and the number of problems.
fn read(bytes: &[u8]) -> (Vec<(String, Vec<u8>)>, usize) {
    let mut reader = Reader::new(bytes);
    let mut records = Vec::new();
    while let Some(head) = reader.next_record().unwrap() {
        let mut block = Vec::new();
        reader.block().read_to_end(&mut block).unwrap();
        records.push((head.target_uri().unwrap_or_default().into_owned(), block));
    }
    (records, reader.take_problems().len())
}

/// F098: a plain file whose middle record says a wrong length, or is followed by wrong line ends.
fn check_length(block: &str, length: usize, line_ends: &str) {
    let mut bytes = record(0, b"first");
    let head = format!("WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: {length}\r\n\r\n");
    bytes.extend([head.as_bytes(), block.as_bytes(), line_ends.as_bytes()].concat());
    bytes.extend(record(2, b"last"));
    let (records, n_problems) = read(&bytes);
    let last = records.last().unwrap();
    assert_eq!(
        (records.len(), last.0.as_str(), last.1.as_slice()),
        (3, "http://example.org/2", &b"last"[..]),
        "{length}"
    );
    assert!(n_problems > 0, "{length} {line_ends:?}");
}

#[test]
fn wrong_lengths() {
    let block = "HTTP/1.1 200 OK\r\n\r\nhi";
    for length in [0, 15, 20, 22, 23, 24, 30, 60, 200, 1 << 40] {
        check_length(block, length, "\r\n\r\n");
    }
    check_length(block, 21, "\r\n");
    check_length(block, 21, "\r\n\r\n\r\n\r\n\r\n");
    check_length(block, 21, "\n\n");
}

#[test]
fn a_damaged_member_costs_only_itself() {
    let members: Vec<Vec<u8>> =
        (0..5).map(|n| gzip(&record(n, format!("block {n}").repeat(50).as_bytes()))).collect();
    for at in 0..members[2].len() {
        let mut damaged = members.clone();
        damaged[2][at] ^= 0x55;
        let (records, n_problems) = read(&damaged.concat());
        let uris: Vec<&str> = records.iter().map(|(uri, _)| uri.as_str()).collect();
        for n in [0, 1, 3, 4] {
            assert!(uris.contains(&format!("http://example.org/{n}").as_str()), "byte {at}: {uris:?}");
        }
        // Modification time, flags and system are of no account; every other byte is noticed.
        assert!(n_problems > 0 || (4..10).contains(&at) || at == 3, "byte {at}");
    }
}

#[test]
fn a_cut_file_gives_its_whole_records() {
    let members: Vec<Vec<u8>> = (0..3).map(|n| gzip(&record(n, b"some text"))).collect();
    let bytes = members.concat();
    for len in 0..bytes.len() {
        let (records, n_problems) = read(&bytes[..len]);
        let n_whole = [1, 2, 3].iter().filter(|n| members[..**n].concat().len() <= len).count();
        assert!(records.len() >= n_whole);
        let is_clean = [0, members[0].len(), members[0].len() + members[1].len()].contains(&len);
        assert_eq!(n_problems == 0, is_clean, "{len}");
    }
}

#[test]
fn zstd_with_a_dictionary() {
    let samples: Vec<Vec<u8>> =
        (0..200).map(|n| record(n, format!("block {n}").repeat(20).as_bytes())).collect();
    // Any bytes can serve as a dictionary.
    let dictionary = samples[..20].concat();
    for packed in [dictionary.clone(), zstd::encode_all(dictionary.as_slice(), 3).unwrap()] {
        let mut file =
            [&[0x5d, 0x2a, 0x4d, 0x18][..], &(packed.len() as u32).to_le_bytes(), &packed].concat();
        let mut offsets = Vec::new();
        for sample in &samples[..10] {
            offsets.push(file.len() as u64);
            let mut encoder = zstd::Encoder::with_dictionary(Vec::new(), 3, &dictionary).unwrap();
            encoder.write_all(sample).unwrap();
            file.extend(encoder.finish().unwrap());
        }
        let mut seen = Vec::new();
        let report = check(file.as_slice(), |head, end| seen.push((head.offset, end.is_whole))).unwrap();
        assert_eq!(report.problems, []);
        assert_eq!(seen, offsets.iter().map(|offset| (*offset, true)).collect::<Vec<_>>());
        let (head, _) = Reader::open_record(Cursor::new(&file), offsets[7]).unwrap().unwrap();
        assert_eq!(head.target_uri().as_deref(), Some("http://example.org/7"));
    }
}

/// A bomb of zeros is passed over without being held, and a length of many exabytes asks for no memory.
#[test]
fn bombs() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder
        .write_all(b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 18446744073709551615\r\n\r\n")
        .unwrap();
    let zeros = vec![0; 1 << 20];
    (0..64).for_each(|_| encoder.write_all(&zeros).unwrap());
    let report = check(encoder.finish().unwrap().as_slice(), |_, _| {}).unwrap();
    assert_eq!((report.n_records, report.is_ok()), (1, false));
    // A head without end, magic numbers without members.
    let head = [b"WARC/1.1\r\n".to_vec(), b"a: b\r\n".repeat(300_000)].concat();
    assert!(!check(head.as_slice(), |_, _| {}).unwrap().is_ok());
    let magic = [0x1f, 0x8b, 8, 0].repeat(100_000);
    assert!(!check(magic.as_slice(), |_, _| {}).unwrap().is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_panics(
        mut bytes in prop::collection::vec(prop_oneof![
            Just(b"WARC/1.0\r\n".to_vec()),
            Just(b"Content-Length: 30\r\n".to_vec()),
            Just(b"\r\n\r\n".to_vec()),
            Just(b"WARC-Type: response\r\nContent-Type: application/http\r\nWARC-Target-URI: http://a/\r\n".to_vec()),
            Just(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec()),
            Just(b"http://a/ 192.0.2.1 20050102030405 text/html 12\n".to_vec()),
            Just(gzip(&record(1, b"hello"))),
            Just(zstd::encode_all(&record(2, b"hello")[..], 1).unwrap()),
            prop::collection::vec(any::<u8>(), 0..40),
        ], 0..12),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut bytes: Vec<u8> = std::mem::take(&mut bytes).concat();
        if !bytes.is_empty() {
            for (at, byte) in flips {
                let len = bytes.len();
                bytes[at.index(len)] ^= byte;
            }
        }
        let mut last = 0;
        let report = check(bytes.as_slice(), |head, end| {
            assert!(head.offset >= last && end.offset == head.offset);
            last = head.offset;
        }).unwrap();
        prop_assert!(report.problems.iter().all(|problem| problem.offset <= bytes.len() as u64));
    }
}
