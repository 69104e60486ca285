//! The server over a small job, asked over real sockets.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on shall say so at once")]

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};

use cdxj::CdxLine;
use search::{Document, SearchIndex};
use server::ServeOptions;
use warc::{HeadWriter, RecordType, TRAILER};

const FILE: &str = "crawl-00000.warc";

/// A job of two pages, one of which is searchable; its title tries to break out of our own pages.
fn job() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (mut warc, mut cdxj) = (Vec::new(), String::new());
    let responses = [
        (
            "http://a.example/",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Odd: caf\u{e9}\r\n\r\n<a href=b.txt>b</a>",
        ),
        ("http://a.example/b.txt", "HTTP/1.1 404 Gone\r\nContent-Type: text/plain\r\n\r\nnot there"),
    ];
    for (url, response) in responses {
        let offset = warc.len() as u64;
        HeadWriter::begin(&mut warc, &RecordType::Response, Some(url), "2026-01-05T10:00:07Z").finish(
            &[1; 16],
            Some("application/http;msgtype=response"),
            response.len() as u64,
        );
        warc.extend_from_slice(response.as_bytes());
        warc.extend_from_slice(TRAILER);
        let line = CdxLine {
            key: CdxLine::key_of(url),
            timestamp: "20260105100007".into(),
            url: url.into(),
            mime: Some("text/html".into()),
            status: Some(200),
            offset,
            filename: FILE.into(),
            ..CdxLine::default()
        };
        line.write_cdxj(&mut cdxj);
    }
    fs::create_dir_all(folder.path().join("20260105100000/warcs")).unwrap();
    fs::create_dir_all(folder.path().join("index/cdxj")).unwrap();
    fs::write(folder.path().join("20260105100000/warcs").join(FILE), warc).unwrap();
    fs::write(folder.path().join("index/cdxj/current.cdxj"), cdxj).unwrap();
    let index = SearchIndex::create_or_open(&folder.path().join("index/search")).unwrap();
    let mut writer = index.writer(Default::default()).unwrap();
    writer
        .add(&Document {
            url: "http://a.example/".into(),
            title: "<script>alert(1)</script>".into(),
            text: "words of the page & \"more\"".into(),
            ..Document::default()
        })
        .unwrap();
    writer.commit("").unwrap();
    folder
}

fn options(job_dir: &Path) -> ServeOptions {
    ServeOptions { listen: "127.0.0.1:0".parse().unwrap(), job_dir: job_dir.to_owned(), password_file: None }
}

struct Asked {
    status: u16,
    head: String,
    body: String,
}

fn ask(address: SocketAddr, path: &str, fields: &str) -> Asked {
    ask_as(address, "GET", path, &format!("Host: {address}\r\n{fields}"))
}

fn ask_as(address: SocketAddr, method: &str, path: &str, fields: &str) -> Asked {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{method} {path} HTTP/1.1\r\nConnection: close\r\n{fields}\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Asked { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

/// Runs `test` on another thread against a server over the job.
fn with_server(options: ServeOptions, test: impl FnOnce(SocketAddr) + Send + 'static) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let server = server::bind(&options).await.unwrap();
        let address = server.address;
        let tested = tokio::task::spawn_blocking(move || test(address));
        tokio::select! {
            ended = server.run(std::future::pending()) => panic!("server ended: {ended:?}"),
            result = tested => result.unwrap(),
        }
    });
    runtime.shutdown_background();
}

#[test]
fn pages_and_json() {
    let job = job();
    with_server(options(job.path()), |address| {
        let home = ask(address, "/", "");
        assert_eq!(home.status, 200);
        assert!(home.body.contains("2 captures. 1 pages"), "{}", home.body);
        assert!(home.head.contains("default-src 'none'") && home.head.contains("nosniff"));
        assert!(ask(address, "/-/style.css", "").head.contains("text/css"));

        let found = ask(address, "/search?q=words", "");
        assert!(
            found.body.contains("<mark>words</mark> of the page &amp; &quot;more&quot;"),
            "{}",
            found.body
        );
        assert!(found.body.contains("&lt;script&gt;alert(1)") && !found.body.contains("<script>"));
        let odd = ask(address, "/search?q=%3Cscript%3E%22&page=99999999", "");
        assert!(odd.status == 200 && !odd.body.contains("<script>"));
        let json = ask(address, "/search?q=words&format=json", "");
        assert!(json.head.contains("application/json") && json.body.contains("\"total\":1"), "{}", json.body);
        let json = ask(address, "/search?q=words", "Accept: application/json\r\n");
        assert!(json.body.contains("\"url\":\"http://a.example/\""));
        assert_eq!(ask(address, "/search?q=http%3A%2F%2Fa.example%2F", "").status, 303);

        let captures = ask(address, "/captures?url=http://www.a.example/", "");
        assert!(
            captures.body.contains("href=\"/web/20260105100007/http://a.example/\""),
            "{}",
            captures.body
        );
        assert_eq!(ask(address, "/captures?url=http://b.example/", "").status, 404);
    });
}

#[test]
fn captures_are_shown_and_stay_in_the_archive() {
    let job = job();
    with_server(options(job.path()), |address| {
        let page = ask(address, "/web/2026/http://a.example/", "");
        assert_eq!(page.status, 200);
        assert!(page.body.contains("<a href=\"/web/2026/http://a.example/b.txt\">b</a>"), "{}", page.body);
        assert!(
            page.head.contains("content-security-policy: default-src 'self' 'unsafe-inline'"),
            "{}",
            page.head
        );
        assert!(page.head.contains("memento-datetime: mon, 05 jan 2026 10:00:07 gmt"), "{}", page.head);
        assert!(!page.head.contains("x-odd"));

        let archived_error = ask(address, "/web/2026/http://a.example/b.txt", "");
        assert_eq!(archived_error.status, 404);
        assert!(
            archived_error.body.contains("not there") && archived_error.head.contains("memento-datetime")
        );

        let missing = ask(address, "/web/2026/http://live.example/?a='b", "");
        assert_eq!(missing.status, 404);
        assert!(
            missing.body.contains("Not in the archive") && missing.body.contains("a=&#39;b"),
            "{}",
            missing.body
        );
        assert!(!missing.head.contains("memento-datetime"));
        assert!(!ask(address, "/web/2026im_/http://live.example/x.png", "").body.contains("<h1>"));

        let stray =
            ask(address, "/b.txt?x", &format!("Referer: http://{address}/web/2026/http://a.example/d\r\n"));
        assert_eq!(stray.status, 307);
        assert!(stray.head.contains("location: /web/2026/http://a.example/b.txt?x"), "{}", stray.head);
        assert_eq!(ask(address, "/b.txt", "").status, 404);
    });
}

#[test]
fn what_is_refused() {
    let job = job();
    with_server(options(job.path()), |address| {
        let host = format!("Host: {address}\r\n");
        for method in ["POST", "PUT", "DELETE"] {
            assert_eq!(ask_as(address, method, "/web/2026/http://a.example/", &host).status, 405, "{method}");
        }
        assert_eq!(ask_as(address, "GET", "/", "Host: evil.example\r\n").status, 421);
        assert_eq!(ask_as(address, "GET", "/", "Host: localhost:1\r\n").status, 200);
        assert_eq!(ask(address, "/web/2026/http://a.example/", "Service-Worker: script\r\n").status, 403);
    });
}

#[test]
fn passwords() {
    use std::os::unix::fs::PermissionsExt as _;
    let job = job();
    let file: PathBuf = job.path().join("passwords");
    fs::write(&file, "ann:secret\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let options = ServeOptions {
        password_file: Some(file),
        listen: "0.0.0.0:0".parse().unwrap(),
        ..options(job.path())
    };
    with_server(options, |address| {
        let address = SocketAddr::from(([127, 0, 0, 1], address.port()));
        let refused = ask(address, "/", "");
        assert_eq!(refused.status, 401);
        assert!(refused.head.contains("www-authenticate: basic"));
        assert_eq!(ask(address, "/", "Authorization: Basic YW5uOnNlY3JldA==\r\n").status, 200);
        assert_eq!(ask(address, "/", "Authorization: Basic YW5uOndyb25n\r\n").status, 401);
    });
}

#[test]
fn what_cannot_be_served_says_what_to_do() {
    let job = job();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let check = |options: ServeOptions, expected: &str| {
        let error = runtime
            .block_on(server::bind(&options))
            .err()
            .map(|error| format!("{error:#}"))
            .unwrap_or_default();
        assert!(error.contains(expected), "{error}");
    };
    check(ServeOptions { listen: "0.0.0.0:0".parse().unwrap(), ..options(job.path()) }, "--password-file");
    check(options(&job.path().join("nowhere")), "holds no job");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    check(ServeOptions { listen: taken.local_addr().unwrap(), ..options(job.path()) }, "the port is in use");
    check(ServeOptions { password_file: Some("/nowhere".into()), ..options(job.path()) }, "/nowhere");
}
