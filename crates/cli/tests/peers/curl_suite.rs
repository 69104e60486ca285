//! The rows of the suite `http` through the whole program: what is served stands in the WARC, byte for byte.
//!
//! The table was written first, from `curl_exit`: where curl is content (0) the record is whole; where it misses bytes
//! (18, 56) the record is marked; where it got nothing (52) there is none, after all attempts; where it refuses what it
//! has (1, 8, 61, 100) the bytes are archived all the same, as a browser would show them.

use base64::Engine;
use serde_json::Value;

use crate::program::{Job, Record, Setup, shared};
use crate::raw_server::{Server, send};

/// Id; status, size and annotations in crawl.log; the record: `whole`, `again` (a revisit of an equal body, which
/// keeps the head and says so), `none`, or how much of it and why not all.
const EXPECTED: &[(&str, &str, &str)] = &[
    ("curl/30", "-2 - 3t", "none"),
    ("curl/34", "200 185", "whole"),
    ("curl/36", "200 65 badChunk,disconnectTrunc", "whole, disconnect"),
    ("curl/37", "-2 - 3t", "none"),
    ("curl/129", "200 6", "whole"),
    ("curl/178", "200 14 contentLength", "whole"),
    ("curl/282", "200 0", "whole"),
    ("curl/334", "204 0", "whole"),
    ("curl/365", "200 27", "whole"),
    ("curl/394", "200 6 contentLength,duplicate:digest", "again, length"),
    ("curl/398", "200 6", "whole"),
    ("curl/497", "200 0 headerTrunc", "262144 bytes, length"),
    ("curl/747", "200 6 duplicate:digest", "again, length"),
    ("curl/767", "200 6 duplicate:digest", "again, length"),
    ("curl/768", "200 6 contentLength,duplicate:digest", "again, length"),
    ("curl/769", "200 6 duplicate:digest", "again, length"),
    ("curl/1109", "200 6 duplicate:digest", "again, length"),
    ("curl/1111", "200 6 duplicate:digest", "again, length"),
    ("curl/1115", "200 0", "whole"),
    ("curl/1174", "200 15 http09", "whole"),
    ("curl/1205", "200 6 duplicate:digest", "again, length"),
    ("curl/1290", "200 6 duplicate:digest", "again, length"),
    ("curl/1416", "200 200 badChunk,disconnectTrunc", "whole, disconnect"),
    ("curl/1430", "200 6 duplicate:digest", "again, length"),
    ("curl/1432", "65535 6 duplicate:digest", "again, length"),
    ("curl/1433", "200 6 duplicate:digest", "again, length"),
    ("curl/1466", "405 6 duplicate:digest", "again, length"),
    ("curl/1665", "200 0 disconnectTrunc", "whole, disconnect"),
    ("curl/1722", "200 185 duplicate:digest", "again, length"),
    // The chunk ends within its line end: the body is another one.
    ("curl/2106", "200 39", "whole"),
];

#[test]
fn curl_simple_get() {
    let Some(path) = shared("suites/http/curl_simple_get.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<(String, Vec<u8>)> = text.lines().map(row).collect();
    let served = rows.clone();
    let server = Server::start(move |path, stream| {
        let row = served.iter().find(|(id, _)| path == place(id));
        send(stream, &row.expect("only seeds are asked for").1);
    });
    let seeds: Vec<String> = rows.iter().map(|(id, _)| server.url(&place(id))).collect();
    let options = ["--scope", "page", "--embeds", "scope"].map(str::to_owned).to_vec();
    let job = Job::run(&Setup { options, ..Setup::default() }, &seeds);
    let records = job.records();
    let mut wrong = Vec::new();
    for (id, bytes) in &rows {
        let url = server.url(&place(id));
        let record = records.iter().find(|record| record.url == url);
        let got = (id.as_str(), &*job.log_of(&url), &*seen(record, bytes));
        if !EXPECTED.contains(&got) {
            wrong.push(format!("{got:?}"));
        }
    }
    println!("curl_simple_get: {} of {} rows as the table says", rows.len() - wrong.len(), rows.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn row(line: &str) -> (String, Vec<u8>) {
    let row: Value = serde_json::from_str(line).unwrap();
    let bytes =
        base64::engine::general_purpose::STANDARD.decode(row["response_b64"].as_str().unwrap()).unwrap();
    (row["id"].as_str().unwrap().to_owned(), bytes)
}

/// The path of a row.
fn place(id: &str) -> String {
    format!("/{id}")
}

fn seen(record: Option<&Record>, bytes: &[u8]) -> String {
    let Some(record) = record else { return "none".to_owned() };
    if !bytes.starts_with(&record.block) {
        return "other bytes than were sent".to_owned();
    }
    let extent = match (record.kind.as_str(), record.block.len()) {
        ("revisit", _) => "again".to_owned(),
        (_, n_bytes) if n_bytes == bytes.len() => "whole".to_owned(),
        (_, n_bytes) => format!("{n_bytes} bytes"),
    };
    record.truncated.iter().fold(extent, |text, truncated| format!("{text}, {truncated}"))
}
