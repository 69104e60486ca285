//! What stands in the records, and that whatever is appended reads back.
#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod common;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use archive::{ArchiveOptions, Draft, RecordMaker, Task};
use common::*;
use model::world::{Disk, StdDisk};
use model::{Body, CaptureKind, RecordPlace, Spool, Truncation};
use testweb::disk::SimDisk;
use warc::{Reader, RecordHead, RecordType};

const DIR: &str = "/warcs";

fn sim_disk() -> Arc<SimDisk> {
    let disk = SimDisk::new(1);
    disk.create_dir_all(Path::new(DIR)).unwrap();
    Arc::new(disk)
}

/// The only file in the folder.
fn only_file(disk: &dyn Disk) -> Vec<u8> {
    let names = disk.list(Path::new(DIR)).unwrap();
    assert_eq!(names.len(), 1, "{names:?}");
    disk.read(&Path::new(DIR).join(&names[0])).unwrap()
}

fn records(bytes: &[u8]) -> Vec<(RecordHead, Vec<u8>)> {
    let mut reader = Reader::new(bytes);
    let mut records = Vec::new();
    while let Some(head) = reader.next_record().unwrap() {
        let mut block = Vec::new();
        reader.block().read_to_end(&mut block).unwrap();
        records.push((head, block));
    }
    let report = warc::check(bytes, |_, _| {}).unwrap();
    assert_eq!(report.problems, []);
    records
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Every byte of the records of one exchange, ids counted up.
#[test]
fn one_exchange_byte_by_byte() {
    let disk = sim_disk();
    let mut archive = Archive::new(ArchiveOptions { gzip_level: None, ..options(DIR) }, disk.clone());
    let exchange = over_tls(exchange("https://example.org/a", "text/html", b"hello"));
    let prepared = archive.prepare(&exchange, None);
    let appended = archive.writer.append(prepared).unwrap();
    archive.writer.sync_touched().unwrap();
    archive.writer.committed().unwrap();
    let closed = archive.writer.close().unwrap();
    assert_eq!(&*closed[0], "WEB-20260105100007412-00000-42~crawler~8443.warc");
    let file = text(&only_file(&*disk));
    let group = &file[appended.capture.place.offset as usize..];
    assert_eq!(
        group,
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/a\r\nWARC-Date: 2026-01-05T10:00:07Z\r\n\
         WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\r\nWARC-IP-Address: 192.0.2.7\r\n\
         WARC-Protocol: http/1.1\r\nWARC-Protocol: tls/1.3\r\nWARC-Cipher-Suite: TLS_AES_128_GCM_SHA256\r\n\
         WARC-Block-Digest: sha1:4ENXDWJ5NSHRUTU6IOG7NJ4VCLA6W6MP\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4001-8000-000000000002>\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: 49\r\n\r\n\
         HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello\r\n\r\n\
         WARC/1.1\r\nWARC-Type: request\r\nWARC-Target-URI: https://example.org/a\r\nWARC-Date: 2026-01-05T10:00:07Z\r\n\
         WARC-Concurrent-To: <urn:uuid:00000000-0000-4001-8000-000000000002>\r\nWARC-IP-Address: 192.0.2.7\r\n\
         WARC-Protocol: http/1.1\r\nWARC-Protocol: tls/1.3\r\nWARC-Cipher-Suite: TLS_AES_128_GCM_SHA256\r\n\
         WARC-Block-Digest: sha1:M6WTIJW2WYYJT5IBHTEWVUSW3OICATEF\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4003-8000-000000000004>\r\n\
         Content-Type: application/http; msgtype=request\r\nContent-Length: 38\r\n\r\n\
         GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n\r\n\r\n\
         WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Target-URI: https://example.org/a\r\nWARC-Date: 2026-01-05T10:00:07Z\r\n\
         WARC-Concurrent-To: <urn:uuid:00000000-0000-4001-8000-000000000002>\r\n\
         WARC-Block-Digest: sha1:POCP5MCZMZNST5IRGFHO5HFF7PM4ZZRA\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4005-8000-000000000006>\r\n\
         Content-Type: application/warc-fields\r\nContent-Length: 154\r\n\r\n\
         seed:\r\nfetchTimeMs: 12\r\ncharsetForLinkExtraction: UTF-8\r\nusingCharsetInHTML: UTF-8\r\n\
         tlsProblems: self-signed\r\noutlink: http://example.org/next L a/@href\r\n\r\n\r\n"
    );
}

#[test]
fn a_file_begins_with_its_warcinfo() {
    let disk = sim_disk();
    let mut archive = Archive::new(options(DIR), disk.clone());
    let appended = archive.writer.append(archive.prepare(&dns("example.org"), None)).unwrap();
    archive.writer.sync_touched().unwrap();
    let bytes = only_file(&*disk);
    let records = records(&bytes);
    assert_eq!(records[0].0.record_type, RecordType::Warcinfo);
    let name = records[0].0.headers.get("WARC-Filename").unwrap();
    assert_eq!(name, &*appended.capture.place.file);
    assert!(name.ends_with(".warc.gz"));
    assert!(text(&records[0].1).contains("format: WARC File Format 1.1\r\n"));
    let warcinfo = appended.warcinfo.unwrap();
    assert_eq!((warcinfo.offset, warcinfo.offset + warcinfo.length), (0, appended.capture.place.offset));
    // The name server's answer, as a resource of its own.
    let (head, block) = &records[1];
    assert_eq!((&head.record_type, head.content_type().as_str()), (&RecordType::Resource, "text/dns"));
    assert_eq!(head.headers.get("WARC-IP-Address"), Some("192.0.2.53"));
    assert!(text(block).starts_with("20260105100007\n"));
    assert_eq!((records.len(), appended.capture.kind), (2, CaptureKind::Resource));
}

fn revisit_of(is_late: bool) {
    let disk = sim_disk();
    let mut archive = Archive::new(options(DIR), disk.clone());
    let first = archive.prepare(&exchange("http://example.org/a", "text/html", b"same"), None);
    let earlier = first.as_earlier();
    archive.writer.append(first).unwrap();
    let twin = exchange("http://example.org/b", "text/html", b"same");
    let prepared = match is_late {
        true => archive.prepare(&twin, None).into_revisit(&earlier),
        false => archive.prepare(&twin, Some(&earlier)),
    };
    let appended = archive.writer.append(prepared).unwrap();
    archive.writer.sync_touched().unwrap();
    assert_eq!((appended.capture.kind, appended.capture.concurrent.len()), (CaptureKind::Revisit, 2));
    let records = records(&only_file(&*disk));
    let (head, block) = &records[4];
    let field = |name| head.headers.get(name).unwrap();
    assert_eq!(head.record_type, RecordType::Revisit);
    assert_eq!(field("WARC-Profile"), "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
    assert_eq!(field("WARC-Refers-To-Target-URI"), "http://example.org/a");
    assert_eq!(Some(field("WARC-Refers-To-Date")), records[1].0.date());
    assert_eq!(field("WARC-Refers-To"), records[1].0.record_id().unwrap());
    assert_eq!(field("WARC-Payload-Digest"), records[1].0.headers.get("WARC-Payload-Digest").unwrap());
    assert_eq!(text(block), "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
    assert_eq!(records[5].0.headers.get("WARC-Concurrent-To"), head.record_id());
}

#[test]
fn revisits() {
    revisit_of(false);
    revisit_of(true);
}

#[test]
fn what_never_becomes_a_revisit() {
    let archive = Archive::new(options(DIR), sim_disk());
    let earlier = archive.prepare(&exchange("http://example.org/", "text/html", b"x"), None).as_earlier();
    let empty = exchange("http://example.org/e", "text/html", b"");
    let mut cut = exchange("http://example.org/c", "text/html", b"x");
    cut.truncated = Some(Truncation::Length);
    for exchange in [empty, cut, dns("example.org")] {
        assert!(!archive.prepare(&exchange, None).may_be_revisit());
        assert_ne!(
            archive.prepare(&exchange, Some(&earlier)).kind(),
            CaptureKind::Revisit,
            "{}",
            exchange.url
        );
        assert_ne!(archive.prepare(&exchange, None).into_revisit(&earlier).kind(), CaptureKind::Revisit);
    }
}

/// A body of that size in a scratch file is archived through each of the ways for large bodies.
fn check_spool(n_bytes: usize, media_type: &str, own_file_bytes_min: u64, is_own: bool) {
    let disk = sim_disk();
    disk.create_dir_all(Path::new("/scratch")).unwrap();
    let body: Vec<u8> = (0..n_bytes).map(|n| (n / 7 * 31 % 251) as u8).collect();
    let path = Path::new("/scratch/body").to_owned();
    disk.create_new(&path).unwrap().append(&body).unwrap();
    let mut exchange = exchange("http://example.org/big", media_type, &body);
    let spool = Spool { path, offset: 0, len: body.len() as u64, disk: disk.clone(), owns_file: true };
    exchange.raw_body = Body::Spool(Arc::new(spool));
    exchange.payload = exchange.raw_body.clone();
    let mut archive = Archive::new(ArchiveOptions { own_file_bytes_min, ..options(DIR) }, disk.clone());
    let mut prepared = archive.prepare(&exchange, None);
    drop(exchange);
    let own_files = archive.writer.own_files();
    assert_eq!(own_files.wants(&prepared), is_own);
    if is_own {
        prepared = own_files.write(prepared).unwrap();
    }
    let appended = archive.writer.append(prepared).unwrap();
    archive.writer.sync_touched().unwrap();
    let closed = archive.writer.committed().unwrap();
    assert_eq!(closed.len(), usize::from(is_own));
    // No scratch file is left.
    assert_eq!(disk.list(Path::new("/scratch")).unwrap(), Vec::<String>::new());
    let records = records(&only_file(&*disk));
    assert_eq!(records.len(), 4);
    assert!(records[1].1.ends_with(&body));
    assert_eq!(appended.capture.concurrent.len(), 2);
    check_places(&*disk, &[appended.warcinfo.unwrap(), appended.capture.place]);
}

#[test]
fn large_bodies() {
    check_spool(700_000, "text/plain", 1 << 30, false);
    check_spool(700_000, "image/jpeg", 1 << 30, false);
    check_spool(700_000, "text/plain", 500_000, true);
    check_spool(700_000, "image/jpeg", 500_000, true);
}

/// The places say where the bytes are.
fn check_places(disk: &dyn Disk, places: &[RecordPlace]) {
    for place in places {
        let path = Path::new(DIR).join(&*place.file);
        let open = Path::new(DIR).join(format!("{}.open", place.file));
        let bytes = disk.read(&path).or_else(|_| disk.read(&open)).unwrap();
        let range = &bytes[place.offset as usize..(place.offset + place.length) as usize];
        assert_eq!(crc32c::crc32c(range), place.crc32c);
        // Each record can be read alone.
        assert_eq!(records(range).len(), 1);
    }
}

#[test]
fn files_rotate_between_groups() {
    let disk = sim_disk();
    let mut archive = Archive::new(ArchiveOptions { file_bytes_max: 3000, ..options(DIR) }, disk.clone());
    // A taken name means the next serial number (F093).
    disk.create_new(Path::new("/warcs/WEB-20260105100007412-00000-42~crawler~8443.warc.gz")).unwrap();
    let (mut places, mut ends) = (Vec::new(), std::collections::BTreeMap::new());
    for n in 0..20 {
        let exchange =
            exchange(&format!("http://example.org/{n}"), "text/html", format!("page {n}").as_bytes());
        let appended = archive.writer.append(archive.prepare(&exchange, None)).unwrap();
        let group =
            appended.warcinfo.into_iter().chain([appended.capture.place]).chain(appended.capture.concurrent);
        for place in group {
            // Rule 3: each range begins where the last one of its file ended.
            let end = ends.insert(place.file.clone(), place.offset + place.length).unwrap_or(0);
            assert_eq!(place.offset, end);
            places.push(place);
        }
        if n % 3 == 0 {
            archive.writer.sync_touched().unwrap();
            archive.writer.committed().unwrap();
        }
    }
    assert!(ends.len() > 3, "{ends:?}");
    archive.writer.sync_touched().unwrap();
    // What is not committed keeps its `.open`.
    archive.writer.close().unwrap();
    assert!(disk.list(Path::new(DIR)).unwrap().iter().any(|name| name.ends_with(".open")));
    archive.writer.committed().unwrap();
    assert!(!disk.list(Path::new(DIR)).unwrap().iter().any(|name| name.ends_with(".open")));
    assert!(archive.writer.committed_lengths().is_empty());
    check_places(&*disk, &places);
    assert_eq!(archive.writer.next_serial(), ends.len() as u64 + 1);
}

struct Screenshot;

impl RecordMaker for Screenshot {
    fn name(&self) -> &'static str {
        "screenshot"
    }

    fn draft(&self, task: &Task<'_>) -> Option<Draft> {
        let block = archive::Block::of(format!("picture of {}", task.exchange.url));
        Some(Draft::new(RecordType::Resource, "image/png", block))
    }
}

#[test]
fn a_maker_from_outside() {
    let disk = sim_disk();
    let mut archive = Archive::new(options(DIR), disk.clone());
    archive.builder = archive.builder.with(Box::new(Screenshot));
    let prepared = archive.prepare(&exchange("http://example.org/", "text/html", b"x"), None);
    archive.writer.append(prepared).unwrap();
    archive.writer.sync_touched().unwrap();
    let records = records(&only_file(&*disk));
    assert_eq!(text(&records[4].1), "picture of http://example.org/");
    assert_eq!(records[4].0.headers.get("WARC-Concurrent-To"), records[1].0.record_id());
}

#[test]
fn every_maker_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<_> =
        archive::records::ALL.iter().map(|maker| maker.name()).collect();
    assert_eq!(names.len(), archive::records::ALL.len());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    /// Whatever is appended reads back, at every level, and alone at its place.
    #[test]
    fn whatever_is_appended_reads_back(
        bodies in proptest::collection::vec(proptest::collection::vec(proptest::prelude::any::<u8>(), 0..5000), 1..8),
        level in proptest::option::of(0u8..13),
        file_bytes_max in 500u64..20_000,
    ) {
        let disk = sim_disk();
        let options = ArchiveOptions { gzip_level: level, file_bytes_max, ..options(DIR) };
        let mut archive = Archive::new(options, disk.clone());
        let mut places = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let exchange = exchange(&format!("http://example.org/{index}"), "application/octet-stream", body);
            let prepared = archive.prepare(&exchange, None);
            places.push(archive.writer.append(prepared).unwrap().capture.place);
        }
        archive.writer.sync_touched().unwrap();
        for (place, body) in places.iter().zip(&bodies) {
            let bytes = disk.read(&Path::new(DIR).join(format!("{}.open", place.file))).unwrap();
            let (_, mut reader) = Reader::open_record(std::io::Cursor::new(&bytes), place.offset).unwrap().unwrap();
            let mut block = Vec::new();
            reader.block().read_to_end(&mut block).unwrap();
            proptest::prop_assert!(block.ends_with(body));
        }
        check_places(&*disk, &places);
    }
}

/// warcio, where it is installed, as a judge from outside.
#[test]
fn warcio_finds_nothing_wrong() {
    let python = std::env::var("WARCIO_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let probe = std::process::Command::new(&python).args(["-c", "import warcio"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "warcio is not installed");
        println!(
            "left out: warcio is not installed (pip install warcio; WARCIO_PYTHON names the interpreter)"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for gzip_level in [None, Some(0), Some(6)] {
        let mut archive =
            Archive::new(ArchiveOptions { gzip_level, ..options(folder.path()) }, Arc::new(StdDisk));
        archive.writer.append(archive.prepare(&dns("example.org"), None)).unwrap();
        let first = archive.prepare(&exchange("http://example.org/a", "text/html", b"same"), None);
        let earlier = first.as_earlier();
        archive.writer.append(first).unwrap();
        let twin = archive
            .prepare(&over_tls(exchange("https://example.org/b", "text/html", b"same")), Some(&earlier));
        archive.writer.append(twin).unwrap();
        archive.writer.append(archive.prepare(&exchange("http://example.org/e", "x/y", b""), None)).unwrap();
        archive.writer.sync_touched().unwrap();
        archive.writer.committed().unwrap();
        let file = folder.path().join(&*archive.writer.close().unwrap()[0]);
        let run = |arguments: &[&str]| {
            let code = "import sys; from warcio.cli import main; main(sys.argv[1:])";
            let mut command = std::process::Command::new(&python);
            let output = command.args(["-c", code]).args(arguments).arg(&file).output().unwrap();
            (output.status.success(), text(&output.stdout) + &text(&output.stderr))
        };
        let (is_ok, said) = run(&["check", "-v"]);
        assert!(is_ok && !said.contains("failed"), "{said}");
        let (_, listed) = run(&["index", "-f", "warc-type"]);
        assert_eq!(listed.lines().count(), 1 + 1 + 3 + 3 + 3, "{listed}");
    }
}
