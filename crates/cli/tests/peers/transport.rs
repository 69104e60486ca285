//! Servers that never answer, never end, or send in circles.

use std::time::Duration;

use crate::program::{Job, Setup};
use crate::raw_server::{Server, page, send};

#[test]
fn robots_that_never_answers_forbids_all() {
    let server = Server::start_with_robots(|path, stream| match path {
        "/robots.txt" => std::thread::sleep(Duration::from_secs(20)),
        _ => send(stream, &page("200 OK", "Content-Type: text/html\r\n", "never asked for")),
    });
    let setup =
        Setup { retries_max: 2, fetch_and_more: "so_timeout_ms = 400\n".to_owned(), ..Setup::default() };
    let job = Job::run(&setup, &[server.url("/")]);
    assert_eq!(job.log_of(&server.url("/robots.txt")), "-2 - 2t");
    assert_eq!(job.log_of(&server.url("/")), "-61 - 2t");
    assert_eq!(job.records().len(), 0);
}

#[test]
fn redirects_in_circles_end() {
    let server = Server::start(|path, stream| {
        let target = match path {
            "/a" => "/b",
            "/b" => "/c",
            "/c" => "/a",
            "/self" => "/self",
            _ => return send(stream, &page("404 Not Found", "", "none\n")),
        };
        send(stream, &page("302 Found", &format!("Location: {target}\r\n"), &format!("to {target}\n")));
    });
    let job = Job::run(&Setup::default(), &[server.url("/a"), server.url("/self")]);
    let mut records: Vec<String> = job.records().into_iter().map(|record| record.url).collect();
    records.sort();
    let paths = ["/a", "/b", "/c", "/favicon.ico", "/robots.txt", "/self"];
    assert_eq!(records, paths.map(|path| server.url(path)));
    for path in ["/a", "/b", "/c", "/self"] {
        assert!(job.log_of(&server.url(path)).starts_with("302 "), "{path}");
    }
}

#[test]
fn an_endless_response_ends_at_the_limit() {
    let server = Server::start(|path, stream| {
        let head = match path {
            "/endless" => "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n",
            "/chunked" => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            _ => return send(stream, &page("404 Not Found", "", "none\n")),
        };
        send(stream, head.as_bytes());
        let piece = match path {
            "/chunked" => format!("1000\r\n{}\r\n", "c".repeat(0x1000)).into_bytes(),
            _ => vec![b'e'; 1 << 16],
        };
        while std::io::Write::write_all(stream, &piece).is_ok() {}
    });
    let setup = Setup { fetch_and_more: "body_bytes_max = 300000\n".to_owned(), ..Setup::default() };
    let seeds = [server.url("/endless"), server.url("/chunked")];
    let job = Job::run(&setup, &seeds);
    let records = job.records();
    for url in &seeds {
        let record = records.iter().find(|record| record.url == *url).expect("it was archived");
        let head_end = record.block.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head") + 4;
        assert_eq!(
            (record.truncated.as_deref(), record.block_bytes),
            (Some("length"), head_end as u64 + 300_000)
        );
        assert!(job.log_of(url).starts_with("200 300000 lenTrunc"), "{}", job.log_of(url));
    }
}
