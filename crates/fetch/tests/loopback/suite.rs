//! The suite `http`, served verbatim. The table was written first, from `curl_exit`: where curl is content (0) the page
//! is whole; where it misses bytes (18, 56) the record is marked; where it got nothing (52) the fetch failed; where it
//! refuses what it has (1, 8, 61, 100) the bytes are archived all the same, as a browser would show them.

use std::path::PathBuf;

use base64::Engine;
use serde_json::Value;

use crate::server::serve_bytes;
use crate::world::{Lab, summary};

/// Id, status and body bytes, truncation and annotations.
const EXPECTED: &[(&str, &str)] = &[
    ("curl/30", "failed -2 retry"),
    ("curl/34", "200 145"),
    ("curl/36", "200 2 [disconnectTrunc] [badChunk]"),
    ("curl/37", "failed -2 retry"),
    ("curl/129", "200 6"),
    ("curl/178", "200 14 [contentLength]"),
    ("curl/282", "200 0"),
    ("curl/334", "204 0"),
    ("curl/365", "200 16"),
    ("curl/394", "200 6 [contentLength]"),
    ("curl/398", "200 6"),
    ("curl/497", "200 0 [headerTrunc]"),
    ("curl/747", "200 6"),
    ("curl/767", "200 6"),
    // The first length is no number, so none counts.
    ("curl/768", "200 6 [contentLength]"),
    ("curl/769", "200 6"),
    ("curl/1109", "200 6"),
    ("curl/1111", "200 6"),
    ("curl/1115", "200 0"),
    ("curl/1174", "200 15 [http09]"),
    ("curl/1205", "200 6"),
    ("curl/1290", "200 6"),
    // A chunk size beyond all sizes: the raw bytes are all there is.
    ("curl/1416", "200 200 [disconnectTrunc] [badChunk]"),
    // No digits: as Chromium.
    ("curl/1430", "200 6"),
    // A hundred digits.
    ("curl/1432", "65535 6"),
    ("curl/1433", "200 6"),
    ("curl/1466", "405 6"),
    ("curl/1665", "200 0 [disconnectTrunc]"),
    ("curl/1722", "200 145"),
    ("curl/2106", "200 6"),
];

#[tokio::test]
async fn curl_simple_get() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/http/curl_simple_get.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        assert!(std::env::var_os("CI").is_none(), "suite http is needed in CI");
        println!("left out: suite http, curl_simple_get.jsonl is absent");
        return;
    };
    let (mut n_rows, mut wrong) = (0, Vec::new());
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let id = row["id"].as_str().unwrap();
        let bytes =
            base64::engine::general_purpose::STANDARD.decode(row["response_b64"].as_str().unwrap()).unwrap();
        let address = serve_bytes(bytes.clone()).await;
        let lab = Lab::new(|_| {});
        let fetched = lab.fetch(&format!("http://{address}/1")).await;
        let got = match &fetched {
            model::Fetched::Exchange { exchange, .. } => {
                let raw = [&exchange.response_head[..], &exchange.raw_body.prefix(1 << 20).unwrap()].concat();
                assert_eq!(raw, bytes[..raw.len()], "{id}: every byte is kept");
                let marks = exchange.truncated.iter().map(|truncation| truncation.annotation());
                let marks = marks.chain(exchange.annotations.iter().map(String::as_str));
                let marks: String = marks.map(|mark| format!(" [{mark}]")).collect();
                format!("{} {}{marks}", exchange.status, exchange.payload.len())
            }
            other => summary(other),
        };
        n_rows += 1;
        let expected = EXPECTED.iter().find(|(known, _)| *known == id).map(|(_, expected)| *expected);
        if expected != Some(got.as_str()) {
            wrong.push(format!("{id}: {got}, expected {expected:?}"));
        }
    }
    println!("curl_simple_get: {} of {n_rows} rows as the table says", n_rows - wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
