//! suites/html/links.jsonl and wat_links.jsonl: pages and the links that other programs' own tests expect.

use extract::{ExtractOptions, text};
use serde_json::Value;

use crate::{extract_with, hops, judge, normal, rows, urls};

/// Rows that we answer otherwise, each with its reason.
const KNOWN: &[(&str, &str)] = &[
    ("23:testFormsLinkGet", "filling in forms is no work of the link extractor; forms come later"),
    ("25:testFormsLinkFindPost", "filling in forms is no work of the link extractor; forms come later"),
    ("84:nutch-2478", "the base URL is itself a link, as in Heritrix; in Nutch it is not"),
];

#[test]
fn links() {
    let rows = rows("suites/html/links.jsonl");
    let mut failures = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if let Err(why) = check(row) {
            failures.push((format!("{index}:{}", row["group"].as_str().unwrap_or_default()), why));
        }
    }
    judge("links.jsonl", rows.len(), failures, KNOWN);
}

fn check(row: &Value) -> Result<(), String> {
    let kind = row["kind"].as_str().unwrap();
    let content_type = match kind {
        "js" => "application/javascript",
        "css" => "text/css",
        "xml" => "application/xml",
        "plain-text" => "text/plain",
        _ => "text/html; charset=utf-8",
    };
    let mut options = ExtractOptions::default();
    options.plain.enabled = true;
    options.html.obey_rel_nofollow = row["options"]["obeyRelNofollow"] == true;
    if row["options"]["extractOnlyFormGets"] == false {
        options.html.extract_only_form_gets = false;
    }
    let (base, input) = (row["base"].as_str().unwrap(), row["input"].as_str().unwrap());
    let found = extract_with(options, base, content_type, input.as_bytes());
    let strings = |key: &str| -> Option<Vec<String>> {
        Some(row.get(key)?.as_array()?.iter().map(|url| url.as_str().unwrap().to_owned()).collect())
    };
    let set =
        |list: Vec<String>| list.iter().map(|url| normal(url)).collect::<std::collections::BTreeSet<_>>();
    let same =
        |expected, found| if expected == found { Ok(()) } else { Err(format!("{found:?} for {expected:?}")) };
    if let Some(expected) = strings("exact").or_else(|| strings("exact_set")) {
        same(set(expected), urls(&found))?;
    }
    if let Some(expected) = strings("exact_hops") {
        same(expected.into_iter().collect(), hops(&found))?;
    }
    for url in strings("contains").unwrap_or_default() {
        if !urls(&found).contains(&normal(&url)) {
            return Err(format!("{url} is not in {:?}", urls(&found)));
        }
    }
    for url in strings("not_contains").unwrap_or_default() {
        if urls(&found).contains(&normal(&url)) {
            return Err(format!("{url} is in {:?}", urls(&found)));
        }
    }
    if let Some(hop) = row["hop"].as_str()
        && let Some(link) = found.outlinks.iter().find(|link| link.hop.letter().to_string() != hop)
    {
        return Err(format!("{link:?} is no {hop}"));
    }
    if let Some(context) = row["context"].as_str()
        && let Some(link) = found.outlinks.iter().find(|link| link.context != context)
    {
        return Err(format!("{link:?} is not {context}"));
    }
    if let Some(expected) = row["ordered_links_with_anchor"].as_array() {
        let expected: Vec<_> = expected.iter().map(|pair| normal(pair[0].as_str().unwrap())).collect();
        let mut ours: Vec<_> = found.outlinks.iter().map(|link| link.url.to_string()).collect();
        ours.dedup();
        let mut unique = expected.clone();
        unique.dedup();
        if unique != ours {
            return Err(format!("{ours:?} for {unique:?}"));
        }
    }
    let document = text::document_of(&base.parse().unwrap(), content_type, input.as_bytes());
    if let Some(title) = row["title"].as_str()
        && document.title != title
    {
        return Err(format!("title {:?} for {title:?}", document.title));
    }
    if let Some(expected) = row["text"].as_str() {
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        // Nutch begins the text with the title.
        let ours = format!("{}{}", bare(&document.title), bare(&document.text));
        if ours != bare(expected) && bare(&document.text) != bare(expected) {
            return Err(format!("text {ours:?} for {expected:?}"));
        }
    }
    if kind == "meta-robots" {
        let ours = document.robots_meta;
        let ours = (Some(ours.noindex), Some(ours.nofollow), Some(ours.noarchive));
        let expected = (row["noindex"].as_bool(), row["nofollow"].as_bool(), row["nocache"].as_bool());
        if ours != expected {
            return Err(format!("{ours:?} for {expected:?}"));
        }
    }
    Ok(())
}

#[test]
fn wat_links() {
    let rows = rows("suites/html/wat_links.jsonl");
    let (mut total, mut missed) = (0, Vec::new());
    for row in &rows {
        let base: surt::CanonicalUrl = row["target_uri"].as_str().unwrap().parse().unwrap();
        let input = row["input"].as_str().unwrap();
        let found =
            urls(&extract_with(ExtractOptions::default(), base.as_str(), "text/html", input.as_bytes()));
        let links = row["raw_links_with_path"].as_array().unwrap();
        let page_base = links.iter().find(|link| link[1] == "__base__").and_then(|link| link[0].as_str());
        let page_base = page_base.map_or(base.to_url(), |text| base.to_url().join(text).unwrap());
        for link in links {
            let (written, path) = (link[0].as_str().unwrap(), link[1].as_str().unwrap());
            if written.starts_with('#') {
                continue;
            }
            total += 1;
            let url = surt::CanonicalUrl::join(&page_base, written);
            if !url.is_ok_and(|url| found.contains(url.as_str())) {
                missed.push(format!("{path} {written}"));
            }
        }
    }
    println!("wat_links.jsonl: {} of {total}; missed: {missed:#?}", total - missed.len());
    assert!(missed.len() * 20 <= total, "recall under 95 %: {missed:#?}");
}
