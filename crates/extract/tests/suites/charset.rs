//! suites/html/charset.jsonl: which encoding a page declares.

use base64::Engine;
use encoding_rs::Encoding;

use crate::{found, judge, rows};

const KNOWN: &[(&str, &str)] = &[];

#[test]
fn charsets() {
    let rows = rows("suites/html/charset.jsonl");
    let mut failures = Vec::new();
    for row in &rows {
        let bytes =
            base64::engine::general_purpose::STANDARD.decode(row["input_b64"].as_str().unwrap()).unwrap();
        let content_type = row["content_type"].as_str().unwrap();
        let found = found("http://example.org/", content_type, &bytes).charset;
        let expected = Encoding::for_label(row["expect"].as_str().unwrap().as_bytes()).unwrap().name();
        let id = row["group"].as_str().unwrap().to_owned();
        if found.as_deref() != Some(expected) {
            failures.push((id, format!("{found:?} for {expected}")));
            continue;
        }
        let document =
            extract::text::document_of(&"http://example.org/".parse().unwrap(), content_type, &bytes);
        let (title, keywords) = (row["title"].as_str(), row["meta_keywords"].as_str());
        if title.is_some_and(|title| title != document.title)
            || keywords.is_some_and(|k| Some(k) != document.keywords.as_deref())
        {
            failures.push((id, format!("{document:?}")));
        }
    }
    judge("charset.jsonl", rows.len(), failures, KNOWN);
}
