//! Our crawl of each recorded case beside the real program's: status, hops and attempts of every URL.
//!
//! Where we differ, the difference stands in `differences.tsv` with the name of a row of
//! `docs/reference/differences.md`, which gives the reason. Both directions are asserted: a difference that is not
//! listed fails, and one that is listed but gone, too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

use serde_json::Value;

use crate::program::{Job, Setup, shared};
use crate::python;

/// Case, URL, theirs, ours, row of the list.
const DIFFERENCES: &str = include_str!("differences.tsv");

/// Settings that all taken cases have; other settings belong to later work.
const SETTINGS: [&str; 5] = [
    "disposition.delayFactor",
    "disposition.minDelayMs",
    "frontier.retryDelaySeconds",
    "frontier.maxRetries",
    "fetchHttp.soTimeoutMs",
];

/// The port that was recorded.
const PORT: &str = "8050";

/// Crawls at once.
const CRAWLS: usize = 6;

/// Cases that cannot be taken, with the reason.
const LEFT_OUT: &[(&str, &str)] = &[("form", "forms are left to later work")];

/// A recorded run.
struct Case {
    id: String,
    seeds: Vec<String>,
    so_timeout_ms: Option<String>,
    retry_delay_ms: u64,
    retries_max: u32,
    /// What each URL came to, e.g. `404 P` or `-2 L 3t`.
    fetched: BTreeMap<String, String>,
}

#[test]
fn recorded_cases() {
    let Some(cases) = shared("peers/heritrix/cases/cases.jsonl") else { return };
    if !python::is_there() {
        return;
    }
    let folder = cases.ancestors().nth(2).expect("cases lies in the peer's folder");
    let sites = python::sites(&folder.join("server.py"));
    let names = python::names(&folder.join("dns.py"));
    let cases = read_cases(&cases, sites.port);
    let found = Mutex::new(Vec::new());
    let next = Mutex::new(cases.iter());
    std::thread::scope(|threads| {
        for _ in 0..CRAWLS {
            threads.spawn(|| {
                loop {
                    let Some(case) = next.lock().unwrap().next() else { return };
                    let differences = differences(case, sites.port, names.port);
                    found.lock().unwrap().extend(differences);
                }
            });
        }
    });
    let found: BTreeSet<String> = found.into_inner().unwrap().into_iter().collect();
    let n_urls: usize = cases.iter().map(|case| case.fetched.len()).sum();
    println!("{} cases, {n_urls} URLs, {} differences", cases.len(), found.len());
    assert_eq!(cases.len(), 30, "cases with the common settings");
    let listed: BTreeSet<String> = listed().map(|fields| fields[..4].join("\t")).collect();
    let fresh: Vec<_> = found.difference(&listed).map(String::as_str).collect();
    let gone: Vec<_> = listed.difference(&found).map(String::as_str).collect();
    assert!(
        fresh.is_empty() && gone.is_empty(),
        "not listed:\n{}\n\ngone:\n{}",
        fresh.join("\n"),
        gone.join("\n")
    );
}

#[test]
fn every_difference_has_its_reason() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/differences.md");
    let list = std::fs::read_to_string(list).unwrap();
    for fields in listed() {
        let row = format!("| {} |", fields[4]);
        let lines: Vec<_> = list.lines().filter(|line| line.starts_with(&row)).collect();
        assert_eq!(lines.len(), 1, "rows of docs/reference/differences.md that begin with {row}");
    }
}

fn listed() -> impl Iterator<Item = Vec<&'static str>> {
    DIFFERENCES.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| {
        let fields: Vec<_> = line.split('\t').collect();
        assert_eq!(fields.len(), 5, "five fields in {line:?}");
        fields
    })
}

/// The cases whose settings are the common ones.
fn read_cases(path: &Path, port: u16) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap().replace(PORT, &port.to_string());
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut cases = Vec::new();
    for row in rows {
        let id = row["id"].as_str().unwrap();
        let settings = row["settings"].as_object().unwrap();
        let is_common = settings.keys().all(|key| SETTINGS.contains(&key.as_str()))
            && row["xml_changes"].as_array().unwrap().is_empty();
        if !is_common {
            continue;
        }
        if let Some((id, reason)) = LEFT_OUT.iter().find(|(left_out, _)| *left_out == id) {
            println!("left out: {id}: {reason}");
            continue;
        }
        cases.push(read_case(id, &row));
    }
    // The longest ones first, so that they do not stand alone at the end.
    cases.sort_by_key(|case| (case.so_timeout_ms.is_none(), case.retries_max == 3));
    cases
}

fn read_case(id: &str, row: &Value) -> Case {
    let setting = |name: &str| row["settings"][name].as_str().map(str::to_owned);
    let mut fetched = BTreeMap::new();
    for line in row["fetched"].as_array().unwrap() {
        let field = |name: &str| line[name].as_str().map_or_else(|| line[name].to_string(), str::to_owned);
        let annotations = field("annotations");
        let attempts = annotations.split(',').find(|mark| is_attempts(mark));
        put(&mut fetched, &field("url"), seen(&field("status"), &field("hops"), attempts));
    }
    let seconds: u64 = setting("frontier.retryDelaySeconds").unwrap().parse().unwrap();
    Case {
        id: id.to_owned(),
        seeds: row["seeds"]
            .as_array()
            .unwrap()
            .iter()
            .map(|seed| seed.as_str().unwrap().to_owned())
            .collect(),
        so_timeout_ms: setting("fetchHttp.soTimeoutMs"),
        retry_delay_ms: seconds * 1000,
        retries_max: setting("frontier.maxRetries").unwrap().parse().unwrap(),
        fetched,
    }
}

/// `3t`.
fn is_attempts(mark: &str) -> bool {
    mark.strip_suffix('t')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn seen(status: &str, hops: &str, attempts: Option<&str>) -> String {
    let attempts = attempts.map_or(String::new(), |attempts| format!(" {attempts}"));
    format!("{status} {hops}{attempts}")
}

/// A URL that has two lines has both in its text.
fn put(fetched: &mut BTreeMap<String, String>, url: &str, seen: String) {
    fetched.entry(url.to_owned()).and_modify(|known| *known = format!("{known} and {seen}")).or_insert(seen);
}

/// Lines of the list, without the last field.
fn differences(case: &Case, port: u16, dns_port: u16) -> Vec<String> {
    let ours = crawl(case, dns_port);
    let urls: BTreeSet<&String> = case.fetched.keys().chain(ours.keys()).collect();
    let mut differences = Vec::new();
    for url in urls {
        let side = |fetched: &BTreeMap<String, String>| {
            fetched.get(url).cloned().unwrap_or_else(|| "none".to_owned())
        };
        let (theirs, ours) = (side(&case.fetched), side(&ours));
        if theirs != ours {
            let url = shortened(&url.replace(&port.to_string(), PORT));
            differences.push(format!("{}\t{url}\t{theirs}\t{ours}", case.id));
        }
    }
    differences
}

fn crawl(case: &Case, dns_port: u16) -> BTreeMap<String, String> {
    let seeds: Vec<String> =
        case.seeds.iter().filter(|seed| !NO_SEEDS.contains(&seed.as_str())).cloned().collect();
    let mut config = String::from("dns_timeout_ms = 3000\ndns_failed_validity_ms = 2000\n");
    // Not the default of 20 s: a server that waits for more, as one for TLS without TLS, makes no case clearer by it.
    let so_timeout_ms = case.so_timeout_ms.as_deref().unwrap_or("5000");
    config.push_str(&format!("so_timeout_ms = {so_timeout_ms}\n"));
    config.push_str("[crawl]\ncanonicalization = \"heritrix\"\n");
    let setup = Setup {
        retry_delay_ms: case.retry_delay_ms,
        retries_max: case.retries_max,
        fetch_and_more: config,
        options: vec!["--resolver".to_owned(), format!("127.0.0.5:{dns_port}")],
    };
    let job = Job::run(&setup, &seeds);
    let mut fetched = BTreeMap::new();
    for line in job.log() {
        let attempts = line.annotations.iter().map(String::as_str).find(|mark| is_attempts(mark));
        let hops = line.hop_path.to_string();
        let hops = if hops.is_empty() { "-" } else { &hops };
        put(&mut fetched, &line.url, seen(&line.status.to_string(), hops, attempts));
    }
    fetched
}

/// Lines that are no seed: ours says so and stops before it does anything, which `bad_seeds_are_named` tests.
const NO_SEEDS: [&str; 5] = [
    "not a url at all",
    "http://",
    "  keaton/tinysite/B.html extra words",
    "ftp://127.0.0.50:1/x",
    "dns:keaton",
];

#[test]
fn bad_seeds_are_named() {
    for line in NO_SEEDS {
        let seeds = ["http://127.0.0.1:1/".to_owned(), line.to_owned()];
        let mut job = Job::start(&Setup::default(), &seeds);
        assert_eq!(job.wait(|_| ()).code(), Some(2), "{line}: {}", job.output());
        assert!(job.output().contains("line 2"), "{line}: {}", job.output());
    }
}

/// Runs of more than twenty equal letters as `L{1800}`.
fn shortened(url: &str) -> String {
    let mut short = String::new();
    let mut letters = url.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut n_letters = 1;
        while letters.next_if_eq(&letter).is_some() {
            n_letters += 1;
        }
        if n_letters > 20 {
            short.push_str(&format!("{letter}{{{n_letters}}}"));
        } else {
            short.extend(std::iter::repeat_n(letter, n_letters));
        }
    }
    short
}
