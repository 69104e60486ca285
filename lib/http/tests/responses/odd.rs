//! Odd responses, read as Chromium reads them or better. The kinds are those of measurements on real clients and of
//! reports on other crawlers.

use bequest_http::{Cut, ReaderLimits, Reason, Version};

use crate::reading::{read, read_pieces};

const WHOLE: &str = "whole";

/// `end`: `whole`, or the cut in debug form.
fn check(bytes: &str, status: u16, payload: &str, end: &str) {
    let reading = read(bytes.as_bytes());
    let head = reading.head.as_ref().unwrap_or_else(|| panic!("no head in {bytes:?}"));
    let got_end = match reading.end.unwrap().reason {
        Reason::Truncated(Cut::ContentLength { .. }) => "ContentLength".to_owned(),
        Reason::Truncated(cut) => format!("{cut:?}"),
        _ => WHOLE.to_owned(),
    };
    let got = (head.status, String::from_utf8_lossy(&reading.payload).into_owned(), got_end);
    assert_eq!(got, (status, payload.to_owned(), end.to_owned()), "{bytes:?}");
    assert_eq!(reading.raw, bytes.as_bytes()[..reading.consumed], "every byte is kept: {bytes:?}");
}

/// A status line alone, in front of a usual rest.
fn check_line(line: &str, status: u16) {
    check(&format!("{line}\r\nContent-Length: 2\r\n\r\nhi"), status, "hi", WHOLE);
}

/// Header lines in front of a body of 13 bytes.
fn check_headers(headers: &str, payload: &str, end: &str) {
    check(&format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\nHello, world!"), 200, payload, end);
}

#[test]
fn status_lines() {
    check_line("HTTP/1.1 200 OK", 200);
    check_line("HTTP/1.1 302", 302);
    check_line("HTTP/1.1 302 ", 302);
    check_line("HTTP/1.1 200OK", 200);
    check_line("HTTP/1.0 600 Odd", 600);
    check_line("HTTP/1.2 404 x", 404);
    check_line("HTTP/2.0 404 x", 404);
    check_line("HTTP/2 404", 404);
    check_line("HTTP/1 404 x", 404);
    check_line("http/1.1 404 x", 404);
    check_line("HTTP/1.1\t404\tx", 404);
    check_line("HTTP/1.1  404 x", 404);
    check_line("HTTP/1.1 099 x", 99);
    check_line("HTTP/1.1 1000 x", 1000);
    check_line("HTTP/1.1 99999999999 x", 65_535);
    check_line("HTTP/1.1 -12 x", 200);
    check_line("HTTP/1.1", 200);
    check_line("ICY 404 x", 404);
    check_line("ICE/1.1 404 x", 404);
    check_line("\r\nHTTP/1.1 404 x", 404);
    check_line("\r\n\r\nHTTP/1.1 404 x", 404);
    check_line("junkHTTP/1.1 404 x", 404);
    check_line("x\n\nHTTP/1.1 404 x", 404);
    check_line("HTTP/1.1 500 Ori\u{eb}ntatieprobleem", 500);
    check("HTTP/1.1 200 OK\r\rContent-Length: 4\r\n\r\nEvil", 200, "Evil", WHOLE);
}

#[test]
fn versions() {
    let check = |line: &str, version| {
        let reading = read(format!("{line}\r\n\r\n").as_bytes());
        assert_eq!(reading.head.unwrap().version, version, "{line}");
    };
    check("HTTP/1.1 200 OK", Version::Http11);
    check("HTTP/1.0 200 OK", Version::Http10);
    check("HTTP/0.9 200 OK", Version::Http10);
    check("HTTP/1 200 OK", Version::Http10);
    check("HTTP/1.2 200 OK", Version::Http11);
    check("HTTP/2 200", Version::Http11);
    check("HTTP/5.6 200 OK", Version::Http11);
    check("ICY 200 OK", Version::Http10);
    check("just some text", Version::Http09);
}

#[test]
fn header_lines() {
    let check = |lines: &str, name: &str, expected: Option<&str>| {
        let reading = read(format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\n").as_bytes());
        assert_eq!(reading.head.unwrap().header_text(name).as_deref(), expected, "{lines:?}");
    };
    check("A:b", "a", Some("b"));
    check("A :  b c \t", "a", Some("b c"));
    check("A:", "a", Some(""));
    check("A: b\r\n c\r\n\td", "a", Some("b c d"));
    check("A: b\r\n   \r\nB: c", "a", Some("b "));
    check(" A: b", "a", Some("b"));
    check("no colon\r\nA: b", "a", Some("b"));
    check("no colon\r\n folded: x\r\nA: b", "folded", None);
    check(": x\r\nA: b", "a", Some("b"));
    check("HTTP/1.1 200 OK\r\nA: b", "a", Some("b"));
    check("\"A\": b", "\"a\"", Some("b"));
    check("Ä: b", "Ä", Some("b"));
    check("A: b\rB: c", "b", Some("c"));
    check("A: b\nB: c", "b", Some("c"));
    check("A: \u{1}\0b", "a", Some("\u{1}\0b"));
    check(&"X: y\r\n".repeat(3000), "x", Some("y"));
}

#[test]
fn lengths() {
    check_headers("Content-Length: 13", "Hello, world!", WHOLE);
    check_headers("Content-Length: 5", "Hello", WHOLE);
    check_headers("Content-Length: 20", "Hello, world!", "ContentLength");
    check_headers("Content-Length: +13", "Hello, world!", WHOLE);
    check_headers("Content-Length:     13   ", "Hello, world!", WHOLE);
    check_headers("Content-Length: 5, 5", "Hello", WHOLE);
    check_headers("Content-Length: 5\r\nContent-Length: 5", "Hello", WHOLE);
    check_headers("Content-Length: 5\r\nContent-Length: 7", "Hello, world!", WHOLE);
    for value in ["", "-1", "abc", "1O2", "5 5", "99999999999999999999", "0x5"] {
        check_headers(&format!("Content-Length: {value}"), "Hello, world!", WHOLE);
    }
    check_headers("Content-Length: 5\0junk", "Hello", WHOLE);
    check_headers("Connection: close", "Hello, world!", WHOLE);
    assert_eq!(read(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello, world!").consumed, 43);
}

#[test]
fn no_body() {
    check("HTTP/1.1 204 x\r\nTransfer-Encoding: chunked\r\n\r\n", 204, "", WHOLE);
    check("HTTP/1.1 304 x\r\nContent-Length: 10\r\n\r\nHTTP/1.1", 304, "", WHOLE);
    check("HTTP/1.1 205 x\r\nContent-Length: 2\r\n\r\nhi", 205, "hi", WHOLE);
    check("HTTP/1.1 205 x\r\n\r\n", 205, "", WHOLE);
    check("HTTP/1.0 205 x\r\n\r\nhi", 205, "hi", WHOLE);
}

#[test]
fn informational() {
    check(
        "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        200,
        "hi",
        WHOLE,
    );
    check("HTTP/1.1 100 Continue\r\n\r\n\r\nHTTP/1.1 404 x\r\nContent-Length: 1\r\n\r\nx", 404, "x", WHOLE);
    let many =
        format!("{}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 100 x\r\n\r\n".repeat(1000));
    check(&many, 200, "hi", WHOLE);
    check("HTTP/1.1 101 x\r\nUpgrade: h2c\r\n\r\nproto", 101, "", WHOLE);
    // Endless ones end at the limit on heads.
    let reading = read("HTTP/1.1 100 x\r\n\r\n".repeat(20_000).as_bytes());
    assert!(!reading.end.unwrap().is_whole() && reading.raw.len() <= ReaderLimits::default().head_bytes_max);
}

#[test]
fn chunks() {
    let check_chunks = |body: &str, payload: &str, end: &str| {
        check(&format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}"), 200, payload, end);
    };
    check_chunks("5\r\nhello\r\n0\r\n\r\n", "hello", WHOLE);
    check_chunks("5\nhello\n0\n\n", "hello", WHOLE);
    check_chunks("5;ext=1\r\nhello\r\n0\r\nX-T: 1\r\n\r\n", "hello", WHOLE);
    check_chunks("5  \r\nhello\r\n0  \r\n\r\n", "hello", WHOLE);
    check_chunks("005\r\nhello\r\n000\r\n\r\n", "hello", WHOLE);
    check_chunks("5\r\nhello\r\n0\r\n", "hello", WHOLE);
    check_chunks("5\r\nhello\r\n0\r\n\r\nsurplus", "hello", WHOLE);
    check_chunks("5\r\nhello\r\n", "hello", "Chunked");
    check_chunks("5\r\nhel", "hel", "Chunked");
    check_chunks("", "", "Chunked");
    check_chunks("5", "", "Chunked");
    check_chunks("5\r\nhello\r\nzz\r\nmore\r\n", "hello", "BadChunk");
    check_chunks("5\r\nhelloX\r\n0\r\n\r\n", "hello", "BadChunk");
    check_chunks("zz\r\nmore", "zz\r\nmore", "BadChunk");
    check_chunks("<html>", "<html>", "BadChunk");
    check_chunks("FFFFFFFFFFFFFFFF1\r\nx", "FFFFFFFFFFFFFFFF1\r\nx", "BadChunk");
    check_chunks("0x5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "BadChunk");
    check_chunks("7fffffffffffffff\r\nhello", "hello", "Chunked");
    check_chunks(
        &format!("5;{}\r\nhello", "x".repeat(20_000)),
        &format!("5;{}\r\nhello", "x".repeat(20_000)),
        "BadChunk",
    );
    check_headers("Transfer-Encoding: chunked, deflate\r\nContent-Length: 99", "Hello, world!", "BadChunk");
    check_headers("Transfer-Encoding: chunkedchunked", "Hello, world!", WHOLE);
    check(
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        200,
        "5\r\nhello\r\n0\r\n\r\n",
        WHOLE,
    );
    check(
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\ntransfer-encoding:  CHUNKED \r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        200,
        "hi",
        WHOLE,
    );
}

#[test]
fn cut_heads() {
    check("HTTP/1.1 200 OK\r\nA: b", 200, "", "Head");
    check("HTTP/1.1 404", 404, "", "Head");
    for bytes in ["", "HT", "HTTP", "HTTP/1.1", "HTTP/1.1 ", "\r\n"] {
        let reading = read(bytes.as_bytes());
        assert_eq!(reading.end.unwrap().reason, Reason::Truncated(Cut::Nothing), "{bytes:?}");
    }
    let long = format!("HTTP/1.1 200 OK\r\n{}\r\nbody", "X: y\r\n".repeat(60_000));
    let reading = read(long.as_bytes());
    assert_eq!(reading.end.unwrap().reason, Reason::Truncated(Cut::HeadTooLong));
    assert_eq!(
        (reading.head.unwrap().status, reading.raw.len()),
        (200, ReaderLimits::default().head_bytes_max)
    );
}

#[test]
fn no_http_at_all() {
    check("hi", 200, "hi", WHOLE);
    check("<html>page</html>", 200, "<html>page</html>", WHOLE);
    check("SSH-2.0-OpenSSH\r\n", 200, "SSH-2.0-OpenSSH\r\n", WHOLE);
    check("HTP/1.1 200 OK\r\n", 200, "HTP/1.1 200 OK\r\n", WHOLE);
}

#[test]
fn keep_alive() {
    let check = |bytes: &str, expected: bool| {
        let mut reading = crate::reading::Reading::default();
        let mut reader =
            bequest_http::ResponseReader::new(bequest_http::RequestInfo::default(), ReaderLimits::default());
        let end = reader.feed(bytes.as_bytes(), &mut reading).end;
        assert_eq!(end.is_some_and(|end| end.keep_alive), expected, "{bytes:?}");
    };
    check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", true);
    check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi surplus", false);
    check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: foo, Close\r\n\r\nhi", false);
    check("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", false);
    check("HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: Keep-Alive\r\n\r\nhi", true);
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true);
    check("HTTP/1.1 304 x\r\n\r\n", true);
    check("HTTP/1.1 200 OK\r\n\r\nhi", false);
}

#[test]
fn a_head_at_the_limit_in_small_pieces() {
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    for head_bytes_max in 1..60 {
        let limits = ReaderLimits { head_bytes_max, ..ReaderLimits::default() };
        let whole = read_pieces(bytes, &[], limits);
        let ends: Vec<usize> = (0..bytes.len()).collect();
        let mut bytewise = read_pieces(bytes, &ends, limits);
        bytewise.consumed = whole.consumed;
        assert_eq!(whole, bytewise, "{head_bytes_max}");
    }
}
