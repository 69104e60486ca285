//! The field's own cases: WPT, the public suffix list, Heritrix, urlcanon, the CDX files of other tools. Each test
//! states its score; rows that differ on purpose are listed with the reason.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use bequest_surt::{
    CanonicalUrl, Canonicalization, Surt, SurtPrefixSet, canonicalize, cdx_key, likely_uri,
    registrable_domain, surt_prefix_of_text,
};
use serde_json::Value;

/// A file of the suites; `None` (said aloud) where they are absent, which is an error in CI.
fn suite(path: &str) -> Option<String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites").join(path);
    match std::fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) if std::env::var_os("CI").is_some() => panic!("suite {path}: {error}"),
        Err(_) => {
            eprintln!("left out: suite {path} is not here");
            None
        }
    }
}

fn rows(path: &str) -> Vec<Value> {
    let text = suite(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("suites hold JSON lines")).collect()
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_else(|| panic!("{key} of {row}"))
}

/// Runs rows and compares what differs with what may.
fn score(name: &str, rows: &[Value], wanted: &[&str], run: impl Fn(&Value) -> (String, bool)) {
    let mut differing = Vec::new();
    for row in rows {
        let (id, passes) = run(row);
        if !passes {
            differing.push(id);
        }
    }
    eprintln!("{name}: {} of {}", rows.len() - differing.len(), rows.len());
    if !rows.is_empty() {
        assert_eq!(differing, wanted, "{name}");
    }
}

fn rows_of(path: &str, op: &str) -> Vec<Value> {
    rows(path).into_iter().filter(|row| row["op"] == op).collect()
}

/// Rows of WPT in which the `url` crate 2.5.8 differs from the standard.
const WHATWG_DIFFERING: [(&str, &[u64]); 4] = [
    // Never crawled: drive letters, hosts and empty segments of file URLs.
    (
        "file",
        &[
            136, 561, 562, 563, 566, 570, 572, 573, 574, 580, 581, 583, 584, 590, 591, 592, 593, 594, 596,
            598, 599, 626, 627, 629, 731,
        ],
    ),
    // Never crawled: a blank before `?` or `#` of an opaque path, `\` in a path of no special scheme.
    ("not special", &[281, 282, 285, 286, 287, 882]),
    // Malformed Punycode is refused; the standard lets it pass since 2024, DNS knows no such host (faults.md F011).
    ("punycode", &[294, 295, 296, 297, 299, 806]),
    // `^` in a path is sent as it is; the standard escapes it since 2024.
    ("caret", &[743, 744]),
];

#[test]
fn whatwg() {
    let rows = rows("url/whatwg.jsonl");
    let allowed: Vec<u64> =
        WHATWG_DIFFERING.iter().flat_map(|(_, numbers)| numbers.iter().copied()).collect();
    let rows: Vec<_> =
        rows.into_iter().filter(|row| !allowed.contains(&row["n"].as_u64().unwrap_or(0))).collect();
    eprintln!("whatwg: {} rows listed as differing", allowed.len());
    score("whatwg", &rows, &[], |row| {
        let input = text(row, "input");
        let ours = match row["base"].as_str() {
            Some(base) => url::Url::parse(base).ok().and_then(|base| CanonicalUrl::join(&base, input).ok()),
            None => CanonicalUrl::parse(input).ok(),
        };
        // A canonical URL has no fragment.
        let expected = row["expect"]["href"].as_str().map(|href| href.split('#').next().unwrap_or_default());
        let mut passes = ours.as_ref().map(CanonicalUrl::as_str) == expected;
        // Stable when parsed again (faults.md F011).
        if let Some(ours) = ours {
            passes &= CanonicalUrl::parse(ours.as_str()).is_ok_and(|again| again == ours);
        }
        (format!("{} {input}", row["n"]), passes)
    });
}

#[test]
fn public_suffixes() {
    let rows: Vec<_> = rows("url/psl.jsonl").into_iter().filter(|row| row["private"] == true).collect();
    let wanted = [
        // Another row of the suite wants nothing for it, as we give.
        ".kawasaki.jp",
        // No URL has such a host: it is refused before.
        "www.ex\u{fffd}mple.com",
        "www.\u{e0}23456789-abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz.com",
    ];
    score("psl", &rows, &wanted, |row| {
        let host = text(row, "host");
        // What is asked has gone through the URL parser, which lower-cases.
        let found = registrable_domain(&host.to_lowercase()).map(str::to_owned);
        (host.to_owned(), found.as_deref() == row["expect"].as_str())
    });
}

#[test]
fn heritrix_surt() {
    let with_fragment = "http://www.archive.org/movies/movies.php#top";
    // A canonical URL has no fragment.
    score("heritrix-surt", &rows_of("url/surt_heritrix.jsonl", "heritrix-surt"), &[with_fragment], |row| {
        let input = text(row, "input");
        let surt = Surt::from(&CanonicalUrl::parse(input).unwrap());
        (input.to_owned(), Some(surt.as_str()) == row["expect"].as_str())
    });
    score("seed prefix", &rows_of("url/surt_heritrix.jsonl", "heritrix-seed-to-surt-prefix"), &[], |row| {
        let input = text(row, "input");
        (input.to_owned(), surt_prefix_of_text(input).ok().as_deref() == row["expect"].as_str())
    });
    score("reduce", &rows_of("url/surt_heritrix.jsonl", "heritrix-surt-prefix-set-reduce"), &[], |row| {
        let mut set: SurtPrefixSet = strings(&row["input"]).into_iter().collect();
        set.reduce();
        ("reduce".to_owned(), set.iter().collect::<Vec<_>>() == strings(&row["expect"]))
    });
    score("match", &rows_of("url/surt_heritrix.jsonl", "heritrix-surt-prefix-match"), &[], |row| {
        let set: SurtPrefixSet = strings(&row["prefixes"]).into_iter().collect();
        let surt = Surt::for_scope(&CanonicalUrl::parse(text(row, "input")).unwrap());
        (text(row, "input").to_owned(), Some(set.covers(surt.as_str())) == row["expect"].as_bool())
    });
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}

#[test]
fn cdx_keys() {
    let ia = rows_of("url/urlcanon.jsonl", "ia-surt.defaultIASurt");
    let check = |row: &Value| {
        let input = text(row, "input");
        (input.to_owned(), Some(&*cdx_key(input)) == row["expect"].as_str())
    };
    score("ia-surt", &ia, &[], check);
    // The Java tool turns the host of dns: round, the Python one, which wrote most indexes, does not.
    let dns = ["dns:alexa.com", "dns:archive.org"];
    score("wayback-key", &rows_of("url/uuri.jsonl", "wayback-key"), &dns, check);
    // The canonical forms of the steps before the SURT, told by their keys.
    for op in ["ia-surt.Canonicalizer.DefaultIA", "ia-surt.Canonicalizer.IA"] {
        score(op, &rows_of("url/urlcanon.jsonl", op), &[], |row| {
            let input = text(row, "input");
            (input.to_owned(), cdx_key(input) == cdx_key(text(row, "expect")))
        });
    }
}

/// Every key that pywb and cdxj-indexer wrote, from the URL beside it.
#[test]
fn cdx_keys_of_other_tools() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/cdx/expected");
    let Ok(files) = std::fs::read_dir(&folder) else {
        assert!(std::env::var_os("CI").is_none(), "suite cdx is not here");
        return eprintln!("left out: suite cdx is not here");
    };
    let mut count = 0;
    let mut differing = BTreeMap::new();
    for file in files {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // pywb and cdxj-indexer append the method and the body of a POST to the URL before they make the key.
        if !(name.ends_with(".pywb.cdxj") || name.ends_with(".cdxj-indexer.cdxj")) {
            continue;
        }
        for line in String::from_utf8_lossy(&std::fs::read(&path).unwrap()).lines() {
            let Some((key, rest)) = line.split_once(' ') else { continue };
            let Some((_, json)) = rest.split_once(' ') else { continue };
            let Ok(row) = serde_json::from_str::<Value>(json) else { continue };
            if row["method"].is_string() {
                continue;
            }
            count += 1;
            let ours = cdx_key(text(&row, "url"));
            if ours != key {
                differing.insert(key.to_owned(), ours);
            }
        }
    }
    eprintln!("keys of other tools: {} of {count}", count - differing.len());
    assert_eq!(differing, BTreeMap::new());
}

#[test]
fn canonicalization() {
    let rows: Vec<_> = rows("url/normalize.jsonl")
        .into_iter()
        .filter(|row| text(row, "op").starts_with("heritrix-canonicalize:"))
        .collect();
    score("heritrix-canonicalize", &rows, &[], |row| {
        let input = text(row, "input");
        let rule = match text(row, "op").split_once(':').unwrap().1 {
            "FixupQueryString" => "fixup-query",
            "StripUserinfoRule" => "strip-userinfo",
            "StripWWWNRule" => "strip-www-n",
            "StripWWWRule" => "strip-www",
            "StripSessionIDs" => "strip-session-ids",
            "StripSessionCFIDs" => "strip-session-cfids",
            _ => "",
        };
        let output = match canonicalize::ALL.iter().find(|known| known.name() == rule) {
            Some(rule) => rule.apply(input).into_owned(),
            None => Canonicalization::heritrix().canonical_text_of(input).into_owned(),
        };
        (input.to_owned(), Some(output.as_str()) == row["expect"].as_str())
    });
}

#[test]
fn likely_uris() {
    score("likely-uri", &rows("url/likely_uri.jsonl"), &[], |row| {
        let input = text(row, "input");
        (input.to_owned(), Some(likely_uri::is_likely_uri(input)) == row["expect"].as_bool())
    });
}

#[test]
fn query_charsets() {
    score("query-encode", &rows("url/query_charset.jsonl"), &[], |row| {
        let input = text(row, "input");
        let encoding = encoding_rs::Encoding::for_label(text(row, "charset").as_bytes()).unwrap();
        let base = url::Url::parse("http://base.example/").unwrap();
        let encode = |query: &str| encoded(encoding, query);
        let joined = CanonicalUrl::join_in_charset(&base, input, &encode);
        let output = joined.ok().map(|url| url.to_string());
        (format!("{input} {}", text(row, "charset")), output.as_deref() == row["expect"].as_str())
    });
}

/// Bytes of a query in a charset, unmappable characters as the standard's escapes.
fn encoded(encoding: &'static encoding_rs::Encoding, query: &str) -> Vec<u8> {
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::new();
    let mut rest = query;
    loop {
        let room = encoder.max_buffer_length_from_utf8_without_replacement(rest.len()).unwrap();
        bytes.reserve(room);
        match encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true) {
            (encoding_rs::EncoderResult::Unmappable(letter), read) => {
                bytes.extend(format!("%26%23{}%3B", letter as u32).bytes());
                rest = &rest[read..];
            }
            _ => return bytes,
        }
    }
}
