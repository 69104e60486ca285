//! The suite of real files: what other readers say of them, and what we say.
#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::path::{Path, PathBuf};

use serde_json::Value;
use warc::{RecordEnd, RecordHead, Report, check};

/// The suite's folder; `None` if it is absent, which CI does not allow.
fn suite() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/warc");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is missing", folder.display());
    println!("left out: the warc suite is not there");
    None
}

fn read(path: &Path) -> (Vec<(RecordHead, RecordEnd)>, Report) {
    let bytes = std::fs::read(path).unwrap();
    let mut records = Vec::new();
    let report = check(bytes.as_slice(), |head, end| records.push((head.clone(), *end))).unwrap();
    (records, report)
}

/// Where we differ, with the reason.
const DIFFERENCES: [(&str, &str); 4] = [
    (
        "warcio__example-space-in-url.arc",
        "records as expected; called valid, but its last block is 12 bytes short",
    ),
    (
        "gowarc__valid-response-record.warc",
        "record as expected; WARC 1.1, 5.10 demands the WARC-Target-URI it lacks",
    ),
    ("gowarc__valid-request-record.warc", "as above"),
    (
        "gowarc__request-record-missing-end-of-http-header-marker-fail.warc",
        "the same bytes are called valid in the -warn case: we give a warning",
    ),
];

#[test]
fn records_and_verdicts() {
    let Some(folder) = suite() else { return };
    let index: Value = serde_json::from_slice(&std::fs::read(folder.join("index.json")).unwrap()).unwrap();
    let (mut n_right, mut wrong) = (0, Vec::new());
    for row in index.as_array().unwrap() {
        let file = row["file"].as_str().unwrap();
        let text = std::fs::read(folder.join(format!("expected/{file}.json"))).unwrap();
        let expected: Value = serde_json::from_slice(&text).unwrap();
        let (records, report) = read(&folder.join("files").join(file));
        let problems = judge(&expected, &records, &report);
        if problems.is_empty() {
            n_right += 1;
        } else if !DIFFERENCES.iter().any(|(known, _)| *known == file) {
            wrong.push(format!("{file}: {problems:#?}\n  ours: {:#?}", report.problems));
        }
    }
    println!("{n_right} of {} files right", index.as_array().unwrap().len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_right >= 38, "{n_right} files right");
}

fn judge(expected: &Value, records: &[(RecordHead, RecordEnd)], report: &Report) -> Vec<String> {
    let mut problems = Vec::new();
    let verdict = expected["verdict"].as_str().unwrap();
    let n = expected["expect_records"].as_u64().unwrap() as usize;
    let listed = expected["records"].as_array().unwrap();
    // The gowarc cases that warcio could not read have no count: there the other readers' one record counts.
    let n = if n == 0 { expected["tools"]["fastwarc"]["n"].as_u64().unwrap_or(0) as usize } else { n };
    if records.len() != n {
        problems.push(format!("{} records instead of {n}", records.len()));
    }
    for (row, (head, _)) in listed.iter().zip(records) {
        let target = head.target_uri();
        let seen = (head.offset, head.record_type.as_str(), target.as_deref());
        let uri = row["uri"].as_str().map(|uri| uri.trim_start_matches('<').trim_end_matches('>'));
        let wanted = (row["offset"].as_u64().unwrap(), row["type"].as_str().unwrap(), uri);
        if seen != wanted {
            problems.push(format!("{seen:?} instead of {wanted:?}"));
        }
    }
    if matches!(verdict, "broken" | "broken-digest" | "not-warc") && report.is_ok() {
        problems.push(format!("verdict {verdict}, but no error was found"));
    }
    if verdict == "valid" && !report.is_ok() {
        problems.push("valid, but errors were found".to_owned());
    }
    problems
}
