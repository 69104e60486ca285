//! The recorded cases of peers/heritrix: for every page that the case server answers plainly, what we find beside what
//! the real program fetched from it, with hop letters.
//!
//! The pages come out of the case server itself, which is Python; without it the test is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use base64::Engine;
use bytes::Bytes;
use extract::{ExtractContext, ExtractOptions, Extractors};
use http1::{Header, ResponseHead, Version};
use model::{Body, Candidate, Digest, Exchange, FetchStatus, HopPath, Via, WallMs};
use serde_json::Value;
use surt::CanonicalUrl;

use crate::{rows, suite};

/// What the real one fetched and we do not find under the same hop, each with its reason.
const KNOWN: &[(&str, &str)] = &[
    (
        "css E>- /css/f.eot",
        "we ask for /css/f.eot? as it is written: an empty query is a query (RFC 3986, 6.2.3)",
    ),
    ("css E>X /css/comment.gif", "url() in a CSS comment is a guess (CSS Syntax 3, 4.3.2; faults.md F055)"),
    ("markup E>- /markup/ap/ap-1.jar,ap-2.jar", "archive of applet is a list with commas (HTML 4.01, 13.4)"),
    ("markup L>E /markup/s-href", "an SVG picture is part of its page (SVG 2, 12.3)"),
    ("markup L>E /markup/s-use", "an SVG symbol is part of its page (SVG 2, 5.6)"),
    ("markup L>E /markup/s-xlink", "an SVG picture is part of its page (SVG 2, 12.3)"),
    ("urls L>- /urls/bracket%5B%5D", "WHATWG URL leaves [ and ] in a path as they are"),
    ("urls L>- /urls/caret%5E", "the url crate leaves ^ in a path as it is"),
    ("urls L>- /urls/q", "we ask for /urls/q? as it is written: an empty query is a query (RFC 3986, 6.2.3)"),
];

/// Prints what the server answers for each URL on a line of standard input.
const DUMP: &str = r#"
import sys, json, base64, re
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import server
server.build()
for line in sys.stdin:
    url = line.rstrip("\n")
    m = re.match(r"http://(127[.]0[.]0[.]5[0-9]):8050(/.*)$", url)
    answer = server.Server.find(None, m[1], m[2]) if m else None
    if answer and answer[0] == "ok":
        body = base64.b64encode(answer[3]).decode()
        print(json.dumps({"url": url, "status": answer[1], "type": answer[2], "body": body, "headers": list(answer[4])}))
"#;

fn answers(urls: &BTreeSet<String>) -> Option<BTreeMap<String, Value>> {
    let folder = suite("peers/heritrix/server.py")?.parent()?.to_owned();
    let list = urls.iter().map(|url| format!("{url}\n")).collect::<String>();
    let input = std::env::temp_dir().join(format!("bequest-extract-{}", std::process::id()));
    std::fs::write(&input, list).unwrap();
    let output = Command::new("python3")
        .args(["-c", DUMP])
        .arg(folder)
        .stdin(std::fs::File::open(&input).unwrap())
        .output();
    std::fs::remove_file(&input).unwrap();
    let Ok(output) = output else {
        assert!(std::env::var_os("CI").is_none(), "python3 is missing");
        println!("left out: python3 is not there");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    Some(rows.map(|row| (row["url"].as_str().unwrap().to_owned(), row)).collect())
}

fn exchange(answer: &Value) -> Exchange {
    let status = answer["status"].as_u64().unwrap() as u16;
    let mut headers = vec![("Content-Type".to_owned(), answer["type"].as_str().unwrap().to_owned())];
    for pair in answer["headers"].as_array().unwrap() {
        headers.push((pair[0].as_str().unwrap().to_owned(), pair[1].as_str().unwrap().to_owned()));
    }
    let headers = headers
        .into_iter()
        .map(|(name, value)| Header { name: name.into(), value: value.trim().into() })
        .collect();
    let body = base64::engine::general_purpose::STANDARD.decode(answer["body"].as_str().unwrap()).unwrap();
    let body = Body::Memory(body.into());
    Exchange {
        url: answer["url"].as_str().unwrap().parse().unwrap(),
        status: FetchStatus(i32::from(status)),
        request: Bytes::new(),
        response_head: Bytes::new(),
        head: Some(ResponseHead { version: Version::Http11, status, reason: Vec::new(), headers }),
        raw_body: body.clone(),
        payload: body,
        block_digest: Digest([0; 20]),
        payload_digest: Digest([0; 20]),
        address: None,
        started: WallMs(0),
        duration_ms: 0,
        truncated: None,
        protocol: "http/1.1",
        tls: None,
        annotations: Vec::new(),
    }
}

#[test]
fn what_the_real_one_fetched() {
    const COMMON: [&str; 4] = [
        "disposition.delayFactor",
        "disposition.minDelayMs",
        "frontier.retryDelaySeconds",
        "frontier.maxRetries",
    ];
    let is_plain = |case: &&Value| {
        let settings = case["settings"].as_object().unwrap();
        case["xml_changes"].as_array().unwrap().is_empty()
            && settings.keys().all(|key| COMMON.contains(&key.as_str()))
    };
    let cases = rows("peers/heritrix/cases/cases.jsonl");
    let cases: Vec<&Value> = cases.iter().filter(is_plain).collect();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let fetched = |case: &Value| case["fetched"].as_array().unwrap().clone();
    let urls = cases.iter().flat_map(|case| fetched(case)).map(|line| text(&line["url"])).collect();
    let Some(answers) = answers(&urls) else { return };
    let extractors = Extractors::builtin(ExtractOptions::default());
    let (mut total, mut differing, mut more) = (0, BTreeSet::new(), BTreeSet::new());
    for case in &cases {
        let lines = fetched(case);
        let all: BTreeSet<String> = lines.iter().map(|line| text(&line["url"])).collect();
        let id = text(&case["id"]);
        for page in &lines {
            let Some(answer) = answers.get(page["url"].as_str().unwrap()) else { continue };
            let hops = text(&page["hops"]);
            let mut candidate = Candidate::seed(text(&page["url"]).parse().unwrap());
            candidate.hop_path = HopPath::parse(&hops).unwrap();
            if let Ok(url) = text(&page["via"]).parse() {
                candidate.via = Some(Via { url, context: String::new() });
            }
            candidate.is_sitemap = text(&page["annotations"]).contains("isSitemap");
            let context = ExtractContext { candidate: &candidate, is_prerequisite: hops.ends_with('P') };
            let found = extractors.extract(&exchange(answer), context);
            let found: BTreeSet<(String, String)> = found
                .outlinks
                .iter()
                .map(|link| (link.hop.letter().to_string(), link.url.to_string()))
                .collect();
            for child in lines.iter().filter(|line| line["via"] == page["url"] && line["hops"] != "P") {
                let hop = text(&child["hops"]).chars().last().unwrap().to_string();
                let url = text(&child["url"]);
                if hop == "P" || (!url.starts_with("http") && !url.starts_with("ftp")) {
                    continue;
                }
                total += 1;
                let ours = url.parse::<CanonicalUrl>().map(|url| url.to_string()).unwrap_or(url.clone());
                if !found.contains(&(hop.clone(), ours.clone())) {
                    let other = found.iter().filter(|(_, url)| *url == ours).map(|(hop, _)| hop.as_str());
                    let other = other.collect::<String>();
                    let short = url.split(":8050").last().unwrap().to_owned();
                    differing.insert(format!(
                        "{id} {hop}>{} {}",
                        if other.is_empty() { "-" } else { &other },
                        short
                    ));
                }
            }
            more.extend(
                found
                    .iter()
                    .filter(|(_, url)| !all.contains(url))
                    .map(|(hop, url)| format!("{id} {hop} {url}")),
            );
        }
    }
    println!("{} of {total} links as the real one followed them", total - differing.len());
    println!("found besides: {more:#?}");
    let news: Vec<_> =
        differing.iter().filter(|line| !KNOWN.iter().any(|(known, _)| known == line)).collect();
    assert!(news.is_empty(), "not explained: {news:#?}");
    for (line, _) in KNOWN {
        assert!(differing.contains(*line), "{line} is found by now: take it off the list");
    }
}
