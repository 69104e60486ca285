//! A body that is larger than memory should be: streamed, compressed, checked, and memory stays flat.

use std::io::Write;

use crate::program::{Job, Setup};
use crate::raw_server::{Server, page, send};

/// Size of the body in GiB: another number is taken from the environment, e.g. 5.
const GIB_DEFAULT: u64 = 1;
const GIB_VARIABLE: &str = "BEQUEST_TEST_BODY_GIB";

/// Peak of resident memory, MiB.
const PEAK_MIB_MAX: u64 = 300;

const MIB: u64 = 1 << 20;

#[test]
fn a_large_body_leaves_memory_flat() {
    let gib = std::env::var(GIB_VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(GIB_DEFAULT);
    let length = gib << 30;
    let server = Server::start(move |path, stream| {
        if path != "/large.txt" {
            return send(stream, &page("404 Not Found", "", "none\n"));
        }
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n");
        send(stream, head.as_bytes());
        let piece: Vec<u8> = (0..MIB).map(|index| b"a line of sixteen"[index as usize % 17]).collect();
        for _ in 0..length / MIB {
            if stream.write_all(&piece).is_err() {
                return;
            }
        }
    });
    let url = server.url("/large.txt");
    let options = ["--gzip-level", "1"].map(str::to_owned).to_vec();
    let mut job = Job::start(&Setup { options, ..Setup::default() }, std::slice::from_ref(&url));
    let mut peak_mib = 0;
    let status = job.wait(|pid| peak_mib = peak_mib.max(peak_mib_of(pid)));
    assert!(status.success(), "{status}: {}", job.output());
    println!("{gib} GiB: peak of memory {peak_mib} MiB");
    assert!(peak_mib > 0 && peak_mib < PEAK_MIB_MAX, "peak of memory: {peak_mib} MiB");
    assert_eq!(job.log_of(&url), format!("200 {length} extractionCut,2t"));
    let records = job.records();
    let record = records.iter().find(|record| record.url == url).expect("it was archived");
    assert!(record.block_bytes > length && record.truncated.is_none());
}

/// `VmHWM` of a process; 0 if it is gone.
fn peak_mib_of(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
