//! What the real Heritrix 3.13.0 did (peers/heritrix) and the seed lists of real jobs (suites/jobs): the same decisions,
//! prefixes and seeds.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::PathBuf;

use bequest_scope::{Scope, ScopeOptions, seeds};
use model::{Candidate, HopPath, Verdict, Via};
use serde_json::Value;
use surt::{CanonicalUrl, surt_prefix_of_seed, surt_prefix_of_text};

fn shared(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path)
}

/// A file beside the repository; `None` (said aloud) where it is absent, which is an error in CI.
fn file(path: &str) -> Option<String> {
    match std::fs::read(shared(path)) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if std::env::var_os("CI").is_some() => panic!("{path}: {error}"),
        Err(_) => {
            eprintln!("left out: {path} is not here");
            None
        }
    }
}

fn cases() -> Vec<Value> {
    let text = file("peers/heritrix/cases/cases.jsonl").unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect()
}

fn seeds_of(case: &Value) -> seeds::SeedList {
    let lines: Vec<&str> = case["seeds"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    seeds::parse(&lines.join("\n"))
}

fn candidate(url: &str, hops: &str, via: Option<&str>) -> Option<Candidate> {
    let mut candidate = Candidate::seed(CanonicalUrl::parse(url).ok()?);
    candidate.hop_path = HopPath::parse(hops)?;
    candidate.is_seed = candidate.hop_path.hop_count() == 0;
    let via = via.filter(|via| *via != "-").and_then(|via| CanonicalUrl::parse(via).ok());
    candidate.via = via.map(|url| Via { url, context: String::new() });
    Some(candidate)
}

/// scope.log: verdict and rule of each line.
#[test]
fn scope_log() {
    let Some(case) = cases().into_iter().find(|case| case["id"] == "seed-path.sourcetags") else { return };
    let scope = Scope::new(&ScopeOptions::default(), &seeds_of(&case)).unwrap();
    let mut count = 0;
    for line in file("peers/heritrix/cases/seed-path.sourcetags.scope.log").unwrap_or_default().lines() {
        let fields: Vec<&str> = line.splitn(6, ' ').collect();
        let extra: Value = serde_json::from_str(fields[5]).expect("extra info");
        let hops = extra["hopPath"].as_str().expect("a hop path");
        let decision = scope.decide(&candidate(fields[4], hops, extra["via"].as_str()).expect("a candidate"));
        let rule = match &*decision.rule {
            "reject" => "RejectDecideRule",
            "transclusion" => "TransclusionDecideRule",
            "prerequisite-accept" => "PrerequisiteAcceptDecideRule",
            rule if rule.starts_with("surt-prefixed +") => "SurtPrefixedDecideRule",
            rule => rule,
        };
        let verdict = if decision.verdict == Verdict::Accept { "ACCEPT" } else { "REJECT" };
        assert_eq!((rule, verdict), (fields[2], fields[3]), "{line}");
        count += 1;
    }
    eprintln!("scope.log: {count} of {count}");
}

/// Everything that Heritrix fetched in the recorded cases, its scope accepted: so does ours.
#[test]
fn fetched_urls_are_in_scope() {
    let mut refused = Vec::new();
    let mut count = 0;
    for case in cases() {
        let id = case["id"].as_str().expect("an id");
        let scope = Scope::new(&ScopeOptions::default(), &seeds_of(&case)).unwrap();
        for surt in case["implied_surts"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            scope.apply_change(surt);
        }
        for line in case["fetched"].as_array().into_iter().flatten() {
            let field = |name: &str| line[name].as_str().unwrap_or_default();
            let Some(candidate) = candidate(field("url"), field("hops"), Some(field("via"))) else {
                continue;
            };
            count += 1;
            let decision = scope.decide(&candidate);
            // Where a redirect of a seed leads becomes a seed (the crawl's deed).
            if candidate.hop_path.letters().bytes().all(|letter| letter == b'R')
                && let Some(prefix) = scope.seed_change(&candidate.url)
            {
                scope.apply_change(&prefix);
            }
            if decision.verdict == Verdict::Reject {
                refused.push(format!("{id} {} {} {}", field("hops"), field("url"), decision.rule));
            }
        }
    }
    eprintln!("fetched URLs in scope: {} of {count}", count - refused.len());
    assert_eq!(refused, Vec::<String>::new());
}

/// The prefixes that seeds imply, as surts.dump has them.
#[test]
fn implied_surts() {
    let mut count = 0;
    for case in cases() {
        let id = case["id"].as_str().expect("an id");
        // Redirects bore more seeds.
        if case["fetched"].to_string().contains("\"hops\": \"R") || id.starts_with("seed-redirect") {
            continue;
        }
        let list = seeds_of(&case);
        let mut set = surt::SurtPrefixSet::new();
        list.seeds.iter().for_each(|seed| {
            set.insert_reduced(&surt_prefix_of_seed(&seed.url));
        });
        for directive in list.directives.iter().filter(|directive| directive.sign == '+') {
            set.insert_reduced(&surt_prefix_of_text(&directive.text).unwrap());
        }
        let expected: Vec<&str> =
            case["implied_surts"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !expected.is_empty() {
            assert_eq!(set.iter().collect::<Vec<_>>(), expected, "{id}");
            count += 1;
        }
    }
    eprintln!("implied SURTs: {count} cases");
}

#[test]
fn seed_surts() {
    let mut count = 0;
    for line in file("peers/heritrix/cases/seed-surts.tsv").unwrap_or_default().lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [place, text, expected] = fields[..] else { panic!("{line}") };
        let expected = expected.split(" is missing").next().unwrap_or_default();
        let expected =
            expected.strip_prefix("(covered by ").map_or(expected, |rest| rest.trim_end_matches(')'));
        let prefix = match place {
            "seed" => surt_prefix_of_seed(&seeds::read_seed(text).unwrap()),
            _ => surt_prefix_of_text(text.strip_prefix('+').unwrap_or(text)).unwrap(),
        };
        // "covered by X" is told without X's own last bracket lost above.
        let is_right = prefix == expected || line.contains("(covered by") && prefix.starts_with(expected);
        assert!(is_right, "{line}: {prefix}");
        count += 1;
    }
    eprintln!("seed-surts.tsv: {count} of {count}");
}

/// Seed lists of real jobs, as a reader by Heritrix's rules takes them.
#[test]
fn real_seed_lists() {
    let mut lists = 0;
    let mut differing = Vec::new();
    for line in file("suites/jobs/expected.jsonl").unwrap_or_default().lines() {
        let row: Value = serde_json::from_str(line).expect("JSON lines");
        if row["kind"] != "seeds" {
            continue;
        }
        let path = row["file"].as_str().expect("a path");
        let Some(text) = file(&format!("suites/jobs/{path}")) else { continue };
        lists += 1;
        let list = seeds::parse(&text);
        // What the URL parser refuses, and a URL with further words (which the real program refuses, too), counts as
        // read: the suite looks at the beginning of the line alone.
        let refused = &list.problems;
        let expected = row["n_uris"].as_u64().unwrap_or(0) as usize;
        let directives = row["n_directives"].as_u64().unwrap_or(0) as usize;
        let others = refused.iter().filter(|problem| problem.reason.contains("begins with neither")).count();
        let found = (list.seeds.len() + refused.len() - others, list.directives.len());
        if found != (expected, directives) {
            differing.push(format!("{path}: {found:?} for {:?}", (expected, directives)));
        }
    }
    eprintln!("real seed lists: {} of {lists}", lists - differing.len());
    assert_eq!(differing, Vec::<String>::new());
}
