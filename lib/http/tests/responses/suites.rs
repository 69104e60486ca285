//! The suite `http`: rows of llhttp's and curl's own tests. What is read differently is listed with its reason.

use std::path::PathBuf;

use base64::Engine;
use bequest_http::Reason;
use serde_json::Value;

use crate::reading::read;

/// Rows of a file of the suite; `None` (and a line on the terminal) where it is absent.
fn rows(name: &str) -> Option<Vec<Value>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/http").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        assert!(std::env::var_os("CI").is_none(), "suite http is needed in CI");
        println!("left out: suite http, {name} is absent");
        return None;
    };
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn bytes(row: &Value, key: &str) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(row[key].as_str().unwrap_or_default()).unwrap()
}

/// The suite's bodies come from a log that left line ends out.
fn without_line_ends(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().filter(|letter| !matches!(letter, '\r' | '\n')).collect()
}

/// Rows that are read differently.
const LLHTTP_DIFFERENCES: &[(&str, &str)] = &[
    ("response/content-length/2", "llhttp was told to skip the body; a body of 123 bytes begins and is cut"),
    ("response/connection/9", "an upgrade that nobody asked for is a final answer without body"),
];

#[test]
fn llhttp_responses() {
    let Some(rows) = rows("llhttp_response.jsonl") else { return };
    let (mut same, mut accepted) = (0, 0);
    for row in &rows {
        let id = row["id"].as_str().unwrap();
        let raw = bytes(row, "raw_b64");
        let mut problems = Vec::new();
        let mut from = 0;
        let messages = row["messages"].as_array().unwrap();
        let mut messages = messages.iter().filter(|message| !message["status"].is_null()).peekable();
        while from < raw.len() {
            let reading = read(&raw[from..]);
            assert_eq!(reading.raw, raw[from..from + reading.raw.len()], "{id}: every byte is kept");
            let Some(head) = reading.head else { break };
            from += reading.consumed;
            // Line ends between messages are no message.
            from += raw[from..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let expected: Vec<&Value> = std::iter::from_fn(|| {
                messages.next_if(|message| {
                    (100..200).contains(&message["status"].as_u64().unwrap()) && message["status"] != 101
                })
            })
            .collect();
            if expected
                .iter()
                .map(|message| message["status"].as_u64().unwrap() as u16)
                .ne(reading.informational)
            {
                problems.push("1xx heads differ".to_owned());
            }
            let Some(message) = messages.next() else { continue };
            if message["status"] != head.status {
                problems.push(format!("status {}", head.status));
            }
            for pair in message["headers"].as_array().unwrap() {
                let (name, value) = (pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
                if !head.headers_named(name).any(|found| found == value.as_bytes()) {
                    problems.push(format!("header {name}"));
                }
            }
            let body = without_line_ends(&reading.payload);
            if body != without_line_ends(message["body"].as_str().unwrap().as_bytes()) {
                problems.push(format!("body {body:?}"));
            }
            if message["complete"] == true
                && matches!(reading.end.unwrap().reason, Reason::Truncated(cut) if format!("{cut:?}") != "Head")
            {
                problems.push(format!("{:?}", reading.end.unwrap().reason));
            }
        }
        problems.extend(messages.next().map(|_| "a message was missed".to_owned()));
        if row["strict"] == "accept" {
            accepted += 1;
            match LLHTTP_DIFFERENCES.iter().find(|(known, _)| *known == id) {
                Some((_, reason)) => println!("{id}: {reason}"),
                None => {
                    assert!(problems.is_empty(), "{id}: {problems:?}");
                    same += 1;
                }
            }
        }
    }
    println!(
        "llhttp_response: {same} of {accepted} accept rows are read as there, {} rows without harm",
        rows.len()
    );
    assert!(same >= 37, "{same}");
}

#[test]
fn curl_bodies() {
    let Some(rows) = rows("curl_simple_get.jsonl") else { return };
    let mut n_same = 0;
    for row in &rows {
        let id = row["id"].as_str().unwrap();
        let raw = bytes(row, "response_b64");
        let reading = read(&raw);
        assert_eq!(reading.raw, raw[..reading.raw.len()], "{id}");
        if row["curl_exit"] != 0 {
            continue;
        }
        let end = reading.end.unwrap();
        assert!(end.is_whole(), "{id}: {end:?}");
        // curl's own expectation is what it printed: the head it shows and the body, chunks undone.
        let expected = bytes(row, "datacheck_b64");
        if !expected.is_empty() {
            assert!(expected.trim_ascii_end().ends_with(reading.payload.trim_ascii_end()), "{id}");
        }
        n_same += 1;
    }
    println!("curl_simple_get: {n_same} of 12 rows with exit 0 are read whole");
    assert_eq!(n_same, 12);
}
