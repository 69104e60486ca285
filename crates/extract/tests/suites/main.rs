//! Extraction against recorded suites, html5ever as oracle, and fault reports. What a suite needs is read at run time;
//! where it is absent the test says so and passes, but not in CI.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod charset;
mod faults;
mod heritrix;
mod links;
mod oracle;

use std::collections::BTreeSet;
use std::path::PathBuf;

use extract::{ExtractOptions, Extractors, extract_payload};
use model::Extraction;

/// A file of the suites; `None` where they are absent.
pub fn suite(path: &str) -> Option<PathBuf> {
    let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(path);
    if file.exists() {
        return Some(file);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is missing", file.display());
    println!("left out: {path} is not there");
    None
}

/// The rows of a JSON-lines file.
pub fn rows(path: &str) -> Vec<serde_json::Value> {
    let Some(file) = suite(path) else { return Vec::new() };
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Everything found with default options.
pub fn found(base: &str, content_type: &str, bytes: &[u8]) -> Extraction {
    extract_with(ExtractOptions::default(), base, content_type, bytes)
}

/// Everything found.
pub fn extract_with(options: ExtractOptions, base: &str, content_type: &str, bytes: &[u8]) -> Extraction {
    extract_payload(&Extractors::builtin(options), &base.parse().unwrap(), content_type, bytes)
}

/// `L http://…`, as a set.
pub fn hops(found: &Extraction) -> BTreeSet<String> {
    found.outlinks.iter().map(|link| format!("{} {}", link.hop.letter(), link.url)).collect()
}

/// URLs as a set.
pub fn urls(found: &Extraction) -> BTreeSet<String> {
    found.outlinks.iter().map(|link| link.url.to_string()).collect()
}

/// A URL of a suite in our spelling.
pub fn normal(url: &str) -> String {
    url.parse::<surt::CanonicalUrl>().map(|url| url.to_string()).unwrap_or_else(|_| url.to_owned())
}

/// Compares a suite's failures with those that are known: `(id, reason)`.
pub fn judge(name: &str, rows: usize, failures: Vec<(String, String)>, known: &[(&str, &str)]) {
    if rows == 0 {
        return;
    }
    println!("{name}: {} of {rows}", rows - failures.len());
    let failed: BTreeSet<&str> = failures.iter().map(|(id, _)| id.as_str()).collect();
    let news: Vec<_> =
        failures.iter().filter(|(id, _)| !known.iter().any(|(known, _)| known == id)).collect();
    assert!(news.is_empty(), "{name}: {news:#?}");
    for (id, _) in known {
        assert!(failed.contains(id), "{name}: {id} works by now: take it off the list");
    }
}
