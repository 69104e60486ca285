//! The shape of the workspace: who may use whom, the order of the members, docs at the head of every crate.
//!
//! The rule stands in ARCHITECTURE.md, "Who may use whom"; this test holds it against `cargo metadata`. Dependencies of
//! tests are free.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on shall say so at once")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Formats that stand alone.
const LIB: &[&str] = &["surt", "http", "robots", "warc", "cdxj"];
/// What every step may use.
const GROUND: &[&str] = &["model", "store"];
/// The steps, in the order of the way.
const STEPS: &[&str] =
    &["scope", "crawldb", "frontier", "fetch", "extract", "archive", "index", "search", "replay"];
/// The members' order: a URL meets them so.
const ORDER: &[&str] = &[
    "lib/surt",
    "lib/http",
    "lib/robots",
    "lib/warc",
    "lib/cdxj",
    "crates/model",
    "crates/store",
    "crates/scope",
    "crates/crawldb",
    "crates/frontier",
    "crates/fetch",
    "crates/extract",
    "crates/archive",
    "crates/index",
    "crates/search",
    "crates/replay",
    "crates/crawl",
    "crates/server",
    "crates/cli",
    "crates/testweb",
    "xtask",
];
/// What the rule would forbid, granted one by one, each with its reason.
const GRANTED: &[(&str, &str, &str)] = &[
    (
        "index",
        "extract",
        "reading title and text out of a payload must be the same code while crawling and later",
    ),
    ("server", "model", "its pages show the nouns of captures"),
    ("cli", "model", "times and keys are printed as they are stored"),
    ("cli", "server", "`bequest serve`"),
    ("cli", "index", "`bequest index` works on WARC files that no job made"),
    ("cli", "testweb", "`bequest demo` serves its built-in site"),
    ("testweb", "model", "the false world implements the traits of `model::world`"),
];
/// Crates that bring a runtime, sockets or a clock: not for `lib/`.
const NOT_FOR_LIB: &[&str] = &[
    "tokio",
    "async-std",
    "smol",
    "futures",
    "hyper",
    "reqwest",
    "axum",
    "rustls",
    "tokio-rustls",
    "hickory-resolver",
    "socket2",
    "mio",
    "chrono",
    "time",
    "jiff",
    "rand",
    "fastrand",
];

/// A member: its folder, and its normal and build dependencies by folder (ours) or name (foreign).
struct Member {
    folder: String,
    ours: BTreeSet<String>,
    foreign: BTreeSet<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// All members in their order.
fn members() -> Vec<Member> {
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let folder_of = |manifest: &str| {
        let folder = Path::new(manifest).strip_prefix(root()).unwrap();
        folder.to_string_lossy().trim_end_matches("/Cargo.toml").to_owned()
    };
    let mut found: Vec<Member> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let mut member = Member {
                folder: folder_of(package["manifest_path"].as_str().unwrap()),
                ours: BTreeSet::new(),
                foreign: BTreeSet::new(),
            };
            for dependency in package["dependencies"].as_array().unwrap() {
                match (dependency["kind"].as_str(), dependency["path"].as_str()) {
                    (Some("dev"), _) => {}
                    (_, Some(path)) => drop(member.ours.insert(folder_of(path))),
                    (_, None) => drop(member.foreign.insert(dependency["name"].as_str().unwrap().to_owned())),
                }
            }
            member
        })
        .collect();
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    found.sort_by_key(|member| text.find(&format!("\"{}\"", member.folder)).unwrap());
    found
}

/// What a folder's last word may use, besides what is granted.
fn allowed(folder: &str) -> Option<BTreeSet<&'static str>> {
    let name = folder.rsplit('/').next().unwrap();
    let all = |lists: &[&[&'static str]]| Some(lists.iter().flat_map(|list| list.iter().copied()).collect());
    match (folder, name) {
        // Tools of the maintainers see everything.
        _ if folder == "xtask" || folder.starts_with("benches/") => None,
        _ if folder.starts_with("lib/") || name == "testweb" => all(&[LIB]),
        _ if GROUND.contains(&name) || STEPS.contains(&name) => all(&[LIB, GROUND]),
        (_, "crawl") => all(&[LIB, GROUND, STEPS]),
        (_, "server" | "cli") => all(&[LIB, &["crawl", "search", "replay"]]),
        _ => panic!("{folder} has no rule: say in ARCHITECTURE.md and here what it may use"),
    }
}

#[test]
fn who_may_use_whom() {
    let mut granted: BTreeMap<(&str, &str), bool> =
        GRANTED.iter().map(|(user, used, _)| ((*user, *used), false)).collect();
    for member in members() {
        let Some(allowed) = allowed(&member.folder) else { continue };
        let user = member.folder.rsplit('/').next().unwrap();
        for used_folder in &member.ours {
            let used = used_folder.rsplit('/').next().unwrap();
            if allowed.contains(used) {
                continue;
            }
            let grant = granted.iter_mut().find(|(pair, _)| **pair == (user, used));
            let (_, is_used) = grant.unwrap_or_else(|| panic!("{user} uses {used}: the rule forbids it"));
            *is_used = true;
        }
    }
    let stale: Vec<_> = granted.iter().filter(|(_, is_used)| !**is_used).map(|(pair, _)| pair).collect();
    assert!(stale.is_empty(), "granted, but not needed any more: {stale:?}");
}

#[test]
fn formats_have_no_runtime_network_or_clock() {
    for member in members().iter().filter(|member| member.folder.starts_with("lib/")) {
        let found: Vec<_> =
            member.foreign.iter().filter(|name| NOT_FOR_LIB.contains(&name.as_str())).collect();
        assert!(found.is_empty(), "{} depends on {found:?}", member.folder);
    }
}

#[test]
fn formats_ask_no_clock_and_open_no_socket() {
    for member in members().iter().filter(|member| member.folder.starts_with("lib/")) {
        for file in rust_files(&root().join(&member.folder).join("src")) {
            let text = fs::read_to_string(&file).unwrap();
            for word in ["SystemTime::now", "Instant::now", "std::net::Tcp", "std::net::Udp", "async fn"] {
                assert!(!text.contains(word), "{} says {word}", file.display());
            }
        }
    }
}

#[test]
fn members_stand_in_the_order_of_the_way() {
    let folders: Vec<String> = members().into_iter().map(|member| member.folder).collect();
    let listed: Vec<&str> =
        folders.iter().map(String::as_str).filter(|folder| !folder.starts_with("benches/")).collect();
    assert_eq!(listed, ORDER);
}

#[test]
fn every_file_says_what_it_is_for() {
    for member in members() {
        for file in rust_files(&root().join(&member.folder).join("src")) {
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.starts_with("//!"), "{} does not begin with its docs", file.display());
        }
    }
}

/// All Rust files below a folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => files.extend(rust_files(&path)),
            false if path.extension().is_some_and(|end| end == "rs") => files.push(path),
            false => {}
        }
    }
    files
}
