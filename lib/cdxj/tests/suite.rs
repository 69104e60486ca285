//! The suite of index lines: what other indexers say of real files, and what we say.
#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cdxj::{CdxLine, lines_of_warc};
use serde_json::Value;

fn suites() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites");
    if folder.join("cdx").is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is missing", folder.display());
    println!("left out: the cdx suite is not there");
    None
}

/// Where we differ: file, offset, reason.
const DIFFERENCES: [(&str, u64, &str); 8] = [
    ("warcio__bad.arc", 134, "length -1: the record is its head line, whose line end the others leave out"),
    ("warcio__bad.arc", 262, "length abc: as above"),
    (
        "warcio__example-bad-non-chunked.warc.gz",
        2113,
        "a record inside a shared member cannot be read at an offset",
    ),
    ("warcio__example-bad.warc.gz.bad", 1950, "as above"),
    ("warcio__example.arc", 150, "offset off by one, a fault of the tool: ours is 151, as the others say"),
    ("wacommons__link-extraction-test.warc", 3595, "only ours: the others stop at a damaged record before"),
    ("wacommons__link-extraction-test.warc", 5119, "as above"),
    ("wacommons__link-extraction-test.warc", 8486, "as above"),
];

#[test]
fn consensus() {
    let Some(folder) = suites() else { return };
    let text = std::fs::read_to_string(folder.join("cdx/consensus.jsonl")).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut ours: BTreeMap<(String, u64), CdxLine> = BTreeMap::new();
    let mut files: Vec<&str> = rows.iter().map(|row| row["file"].as_str().unwrap()).collect();
    files.dedup();
    for file in files {
        let bytes = std::fs::read(folder.join("warc/files").join(file)).unwrap();
        let keep = |line: CdxLine| {
            ours.insert((file.to_owned(), line.offset), line);
            Ok(())
        };
        lines_of_warc(bytes.as_slice(), file, keep).unwrap();
    }
    let (mut n_right, mut wrong) = (0, Vec::new());
    let mut n_expected = 0;
    for row in &rows {
        let (file, offset) = (row["file"].as_str().unwrap(), row["offset"].as_u64().unwrap());
        n_expected += 1;
        let problems = match ours.remove(&(file.to_owned(), offset)) {
            None => vec!["missing".to_owned()],
            Some(line) => judge(row, &line),
        };
        if problems.is_empty() {
            n_right += 1;
        } else if !DIFFERENCES.iter().any(|(known, at, _)| (*known, *at) == (file, offset)) {
            wrong.push(format!("{file} {offset}: {problems:?}"));
        }
    }
    ours.retain(|(file, offset), _| !DIFFERENCES.iter().any(|(known, at, _)| (*known, at) == (file, offset)));
    wrong.extend(ours.keys().map(|(file, offset)| format!("{file} {offset}: nobody else has it")));
    println!("{n_right} of {n_expected} rows right");
    assert!(n_right >= 71, "{n_right} of {n_expected} rows right");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Fields that tools disagree on are not judged.
fn judge(row: &Value, line: &CdxLine) -> Vec<String> {
    let ours = [
        ("urlkey", Some(line.key.clone())),
        ("timestamp", Some(line.timestamp.clone())),
        ("url", Some(line.url.clone())),
        ("mime", line.mime.clone()),
        ("status", line.status.map(|status| status.to_string())),
        ("digest", line.digest.as_ref().map(|digest| digest.rsplit(':').next().unwrap().to_owned())),
        ("length", line.length.map(|length| length.to_string())),
    ];
    let mut problems = Vec::new();
    for (name, value) in ours {
        let is_disputed = row["disagree"].get(name).is_some() || name == "digest" && row[name].is_null();
        if !is_disputed && row[name].as_str() != value.as_deref() {
            problems.push(format!("{name} {value:?} instead of {}", row[name]));
        }
    }
    problems
}
