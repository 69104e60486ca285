//! What servers do to a connection, and what comes of it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use model::{Digest, FetchStatus, Fetched, Truncation};
use sha1::Digest as _;
use tokio::io::AsyncWriteExt;

use crate::server::{answer, read_request, serve, serve_bytes, serve_paths};
use crate::world::{Lab, exchange, item, summary};

/// Serves the bytes, closes, and compares with `expected`.
async fn check(bytes: &str, expected: &str) {
    let address = serve_bytes(bytes.as_bytes().to_vec()).await;
    let lab = Lab::new(|_| {});
    assert_eq!(summary(&lab.fetch(&format!("http://{address}/x")).await), expected, "{bytes:?}");
}

#[tokio::test]
async fn bodies() {
    check("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage", "200 page").await;
    check("HTTP/1.1 200 OK\r\n\r\npage", "200 page").await;
    check("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npage", "200 page [disconnectTrunc]").await;
    check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\npage", "200 pa").await;
    check("HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\npage", "200 page [contentLength]").await;
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n", "200 page").await;
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n", "200 page [disconnectTrunc]")
        .await;
    check(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\nzz\r\n",
        "200 page [disconnectTrunc] [badChunk]",
    )
    .await;
    check("HTTP/1.1 302 x\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", "302 ").await;
    check("HTTP/1.1 304 x\r\n\r\n", "304 ").await;
    check("HTTP/1.1 103 x\r\nLink: <a>\r\n\r\nHTTP/1.1 404 x\r\nContent-Length: 1\r\n\r\nx", "404 x").await;
    check("HTTP/1.1 007 x\r\nContent-Length: 1\r\n\r\nx", "599 x [oddStatus:7]").await;
    check("not the web", "200 not the web [http09]").await;
    check("HTTP/1.1 200 OK\r\nA: b", "200  [disconnectTrunc]").await;
    check("HTTP/1.1 ", "failed -3 retry").await;
    check("", "failed -2 retry").await;
}

#[tokio::test]
async fn records_are_exact() {
    let head = "HTTP/1.1 100 Continue\r\n\r\nhTTP/1.1  200 OK\nX:  y \r\nTransfer-Encoding: chunked\r\n\r\n";
    let body = "4;e\r\npage\r\n0\r\nT: u\r\n\r\n";
    let address = serve_bytes(format!("{head}{body}").into_bytes()).await;
    let lab = Lab::new(|_| {});
    let exchange = exchange(lab.fetch(&format!("http://{address}/x?y")).await);
    let sha1 = |text: String| Digest(sha1::Sha1::digest(text.as_bytes()).into());
    assert_eq!(exchange.response_head, head.as_bytes());
    assert_eq!(exchange.raw_body.prefix(99).unwrap(), body.as_bytes());
    assert_eq!(exchange.block_digest, sha1(format!("{head}{body}")));
    assert_eq!(exchange.payload_digest, sha1("page".to_owned()));
    assert_eq!((exchange.address, exchange.protocol), (Some(address), "http/1.1"));
    assert!(exchange.request.starts_with(format!("GET /x?y HTTP/1.1\r\nHost: {address}\r\n").as_bytes()));
}

#[tokio::test]
async fn silence_and_stalls() {
    // Never answers.
    let address = serve(|mut stream| async move {
        read_request(&mut stream).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
    })
    .await;
    let lab = Lab::new(|options| options.so_timeout_ms = 100);
    assert_eq!(summary(&lab.fetch(&format!("http://{address}/")).await), "failed -2 retry");
    // Stalls in the head, then in the body.
    for (sent, expected) in [
        ("HTTP/1.1 ", "failed -4"),
        ("HTTP/1.1 200 OK\r\nA: b", "200  [timeTrunc]"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npage", "200 page [timeTrunc]"),
    ] {
        let address = serve(move |mut stream| async move {
            read_request(&mut stream).await;
            let _ = stream.write_all(sent.as_bytes()).await;
            tokio::time::sleep(Duration::from_secs(60)).await;
        })
        .await;
        let lab = Lab::new(|options| (options.so_timeout_ms, options.stall_timeout_ms) = (100, 150));
        assert_eq!(summary(&lab.fetch(&format!("http://{address}/")).await), expected, "{sent:?}");
    }
    // Nobody listens.
    let lab = Lab::new(|_| {});
    assert_eq!(summary(&lab.fetch("http://127.0.0.1:1/").await), "failed -2 retry");
}

#[tokio::test]
async fn endless_responses_end_at_the_limit() {
    let drip = |head: &'static str, piece: &'static str, pause_ms: u64| {
        serve(move |mut stream| async move {
            read_request(&mut stream).await;
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(piece.as_bytes()).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            }
        })
    };
    let lab = Lab::new(|options| options.body_bytes_max = 1000);
    let address = drip("HTTP/1.1 200 OK\r\n\r\n", "0123456", 0).await;
    let endless = exchange(lab.fetch(&format!("http://{address}/")).await);
    assert_eq!((endless.truncated, endless.raw_body.len()), (Some(Truncation::Length), 1000));
    // Under chunks the payload is what the kept raw bytes hold: 142 chunks of 12 bytes with 7 of data come first.
    let address = drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "7\r\n0123456\r\n", 0).await;
    let chunked = exchange(lab.fetch(&format!("http://{address}/")).await);
    assert_eq!((chunked.truncated, chunked.raw_body.len()), (Some(Truncation::Length), 1000));
    assert_eq!(chunked.payload.len(), 1000 / 12 * 7 + 1);
    // A time limit on the whole, though something comes all the time.
    let lab = Lab::new(|options| options.timeout_ms = 300);
    let address = drip("HTTP/1.1 200 OK\r\n\r\n", "x", 10).await;
    let slow = exchange(lab.fetch(&format!("http://{address}/")).await);
    assert_eq!(slow.truncated, Some(Truncation::Time));
    assert!(slow.raw_body.len() > 2);
    // Heads too.
    let lab = Lab::new(|_| {});
    let lines: &'static str = Box::leak("X: y\r\n".repeat(10_000).into_boxed_str());
    let address = drip("HTTP/1.1 200 OK\r\n", lines, 0).await;
    let head = exchange(lab.fetch(&format!("http://{address}/")).await);
    assert_eq!((head.truncated, head.response_head.len()), (Some(Truncation::LongHeaders), 256 << 10));
}

#[tokio::test]
async fn connections_are_used_again() {
    let address = serve_paths(|path, _| answer(200, "", path)).await;
    let lab = Lab::new(|_| {});
    for path in ["/1", "/2", "/3"] {
        assert_eq!(summary(&lab.fetch(&format!("http://{address}{path}")).await), format!("200 {path}"));
    }
    assert_eq!(lab.network.connections.load(Ordering::SeqCst), 1);
    let lab = Lab::new(|options| options.keep_alive = false);
    for path in ["/1", "/2"] {
        assert_eq!(summary(&lab.fetch(&format!("http://{address}{path}")).await), format!("200 {path}"));
    }
    assert_eq!(lab.network.connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_connection_closed_in_the_meantime_is_made_again() {
    // Closes after each answer without saying so, at once or when the second request comes.
    for wait in [false, true] {
        let address = serve(move |mut stream| async move {
            read_request(&mut stream).await;
            let _ = stream.write_all(&answer(200, "", "page")).await;
            if wait {
                read_request(&mut stream).await;
            }
        })
        .await;
        let lab = Lab::new(|_| {});
        for _ in 0..3 {
            assert_eq!(summary(&lab.fetch(&format!("http://{address}/")).await), "200 page");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(lab.network.connections.load(Ordering::SeqCst), 3);
    }
}

#[tokio::test]
async fn surplus_bytes_are_no_answer_to_the_next_request() {
    let address = serve_paths(|path, _| {
        let mut bytes = answer(200, "", path);
        bytes.extend_from_slice(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
        bytes
    })
    .await;
    let lab = Lab::new(|_| {});
    for path in ["/1", "/2"] {
        assert_eq!(summary(&lab.fetch(&format!("http://{address}{path}")).await), format!("200 {path}"));
    }
}

#[tokio::test]
async fn resets() {
    // Closing with unread bytes makes the kernel send a reset.
    let address = serve(|stream| async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(stream);
    })
    .await;
    let lab = Lab::new(|_| {});
    assert_eq!(summary(&lab.fetch(&format!("http://{address}/")).await), "failed -2 retry");
    let address = serve(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npage").await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(stream);
    })
    .await;
    assert_eq!(summary(&lab.fetch(&format!("http://{address}/")).await), "200 page [disconnectTrunc]");
}

#[tokio::test]
async fn redirects_are_answers() {
    let address = serve_paths(|path, _| answer(302, &format!("Location: {path}\r\n"), "")).await;
    let lab = Lab::new(|_| {});
    let exchange = exchange(lab.fetch(&format!("http://{address}/loop")).await);
    assert_eq!((exchange.status, exchange.header("location").as_deref()), (FetchStatus(302), Some("/loop")));
}

#[tokio::test]
async fn cookies_are_kept_and_sent() {
    let address = serve_paths(|path, head| match path {
        "/set" => answer(200, "Set-Cookie: a=1\r\nSet-Cookie: b=2; Path=/x\r\n", ""),
        _ => answer(200, "", head.lines().find(|line| line.starts_with("Cookie:")).unwrap_or("none")),
    })
    .await;
    let lab = Lab::new(|_| {});
    let fetched = lab.fetch(&format!("http://{address}/set")).await;
    let Fetched::Exchange { cookie_changes, .. } = fetched else { panic!("{fetched:?}") };
    assert_eq!(cookie_changes.len(), 2);
    assert_eq!(summary(&lab.fetch(&format!("http://{address}/x")).await), "200 Cookie: b=2; a=1");
    assert_eq!(summary(&lab.fetch(&format!("http://{address}/")).await), "200 Cookie: a=1");
    // A resume gives the same jar.
    let resumed = Lab::new(|_| {});
    cookie_changes.iter().for_each(|change| resumed.fetcher.apply_cookie(change));
    assert_eq!(resumed.fetcher.cookies(), lab.fetcher.cookies());
}

#[tokio::test]
async fn an_address_gets_so_many_requests_at_a_time() {
    let address = serve(|mut stream| async move {
        read_request(&mut stream).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        let _ = stream.write_all(&answer(200, "", "page")).await;
    })
    .await;
    let lab = Lab::new(|options| options.address_requests_max = 1);
    let text = format!("http://{address}/");
    let (first, second) = tokio::join!(lab.fetch(&text), lab.fetch(&text));
    assert_eq!((summary(&first), summary(&second)), ("200 page".to_owned(), "busy".to_owned()));
    assert_eq!(summary(&lab.fetch(&text).await), "200 page");
}

#[tokio::test]
async fn other_schemes_are_unfetchable() {
    let lab = Lab::new(|_| {});
    for text in ["ftp://h.example/", "mailto:x@h.example", "data:,x"] {
        let fetched = lab.fetcher.fetch(&item(text), &Default::default()).await;
        assert_eq!(summary(&fetched), "failed -7", "{text}");
    }
}
