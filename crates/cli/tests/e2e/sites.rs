//! Real documentation sites behind nginx: everything that is there is archived exactly once, nothing else without a
//! reason, and other people's tools find nothing wrong with the files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::fixture::archive::{self, Record};
use crate::fixture::program::Running;
use crate::fixture::site::{self, Package, Site};
use crate::fixture::{folder, http, judges, program};

/// Captures that pywb serves byte for byte: nothing new comes with more of them.
const PYWB_CAPTURES: usize = 100;

/// A site crawled once and judged many times.
pub struct Crawled {
    pub site: Site,
    pub job: PathBuf,
    pub records: Vec<Record>,
    pub took: Duration,
    _folder: tempfile::TempDir,
}

/// Arguments of a quick crawl of a host, and of it alone.
pub fn crawl_arguments(seed: &str, job: &Path) -> Vec<String> {
    let job = job.to_str().unwrap();
    let fixed =
        ["--scope", "host", "--embeds", "scope", "--delay", "0", "--parallel", "8", "--min-free", "1MB"];
    let mut arguments = vec!["crawl".to_owned(), seed.to_owned(), "--job".to_owned(), job.to_owned()];
    arguments.extend(fixed.map(str::to_owned));
    arguments
}

/// Serves and crawls a site; `None` if it cannot be served here.
pub fn crawled(package: &Package) -> Option<Crawled> {
    let site = Site::of_package(package)?;
    let folder = folder();
    let job = folder.path().join(package.name);
    let started = Instant::now();
    program::run(crawl_arguments(&site.url(package.start), &job)).expect(0);
    let took = started.elapsed();
    let records = archive::records(&job);
    Some(Crawled { site, job, records, took, _folder: folder })
}

#[test]
fn postgresql() {
    let Some(crawled) = crawled(&site::POSTGRESQL) else { return };
    println!("postgresql: crawled in {:?}", crawled.took);
    assert!(crawled.took < Duration::from_secs(60), "took {:?}", crawled.took);
    is_complete(&crawled, &site::POSTGRESQL);
    log_matches_records(&crawled);
    others_find_nothing_wrong(&crawled);
    pywb_serves(&crawled);
}

#[test]
fn gtk() {
    let Some(crawled) = crawled(&site::GTK) else { return };
    println!("gtk: crawled in {:?}", crawled.took);
    is_complete(&crawled, &site::GTK);
    log_matches_records(&crawled);
    others_find_nothing_wrong(&crawled);
}

#[test]
fn boost() {
    let Some(crawled) = crawled(&site::BOOST) else { return };
    println!("boost: crawled in {:?}", crawled.took);
    is_complete(&crawled, &site::BOOST);
    log_matches_records(&crawled);
    others_find_nothing_wrong(&crawled);
}

/// Every path of the list is a 200 exactly once; what else was asked for is explained by the page and the extractor that
/// gave it.
fn is_complete(crawled: &Crawled, package: &Package) {
    let Some(lists) = judges::suite("sites/paths") else { return };
    let list = |kind: &str| -> BTreeSet<String> {
        let lines = archive::gzip_lines(&lists.join(format!("{}.{kind}.txt.gz", package.name)));
        lines.iter().map(|path| canonical(&crawled.site.url(path))).collect()
    };
    let (mut expected, known_missing) = (list("ok"), list("404"));
    expected.retain(|url| !is_refused_by_nginx(url, crawled));
    let (found, missing) =
        (archive::captures(&crawled.records, 200), archive::captures(&crawled.records, 404));

    // The index page counts once, by either name.
    let is_index_pair = |url: &str| url.ends_with('/') && found.contains_key(&format!("{url}index.html"));
    let lost: Vec<_> =
        expected.iter().filter(|url| !found.contains_key(*url) && !is_index_pair(url)).collect();
    assert!(lost.is_empty(), "{} of {} are not captured: {lost:?}", lost.len(), expected.len());
    let twice: Vec<_> = found.iter().chain(&missing).filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "captured more than once: {twice:?}");
    let elsewhere: Vec<_> =
        crawled.records.iter().filter(|record| is_elsewhere(record, &crawled.site)).collect();
    assert!(elsewhere.is_empty(), "fetched off the host: {elsewhere:?}");

    let extra = found.keys().filter(|url| !expected.contains(*url));
    let unknown_missing =
        missing.keys().filter(|url| !known_missing.contains(*url) && !url.ends_with("/robots.txt"));
    let unexplained: Vec<_> =
        extra.chain(unknown_missing).filter(|url| !is_explained(&crawled.job, url)).collect();
    assert!(unexplained.is_empty(), "nobody knows why these were asked for: {unexplained:?}");
}

/// `operator%.html` of Boost is there as a file, but nginx answers 400 to a percent sign that begins no escape, and
/// browsers ask for it so, too (WHATWG URL leaves it as it is). The answer is archived all the same.
fn is_refused_by_nginx(url: &str, crawled: &Crawled) -> bool {
    url.ends_with("/yap/operator%.html") && archive::captures(&crawled.records, 400).get(url) == Some(&1)
}

/// The address as the crawler spells it.
fn canonical(url: &str) -> String {
    surt::CanonicalUrl::parse(url).map_or_else(|_| url.to_owned(), |url| url.as_str().to_owned())
}

fn is_elsewhere(record: &Record, site: &Site) -> bool {
    let has_target = !record.url.is_empty() && !record.url.starts_with("metadata:");
    has_target && !record.url.starts_with(&site.base)
}

/// Prints where a URL came from and says whether that is a reason: a page that is archived, and a place on it.
fn is_explained(job: &Path, url: &str) -> bool {
    let ran = program::run(["explain", url, "--json", "--job", job.to_str().unwrap()]).expect(0);
    let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let lines = answer["lines"].as_array().unwrap();
    let found =
        lines.iter().filter_map(|line| line["text"].as_str()).find(|text| text.starts_with("found on "));
    println!("also asked for: {url} {}", found.unwrap_or("for no reason known"));
    found.is_some_and(|text| text.contains(" as ") && text.contains("(path "))
}

/// Lines of crawl.log with a status above 0 match captures one to one; programs in the wild read every line.
fn log_matches_records(crawled: &Crawled) {
    let lines = archive::crawl_log(&crawled.job);
    let mut logged: BTreeMap<(String, i32), i64> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.status.0 > 0) {
        *logged.entry((line.url.clone(), line.status.0)).or_default() += 1;
    }
    for record in crawled.records.iter().filter(|record| record.is_capture()) {
        // A DNS answer has no HTTP status; Heritrix's is 1.
        let status = record.status.map_or(1, i32::from);
        *logged.entry((record.url.clone(), status)).or_default() -= 1;
    }
    let different: Vec<_> = logged.iter().filter(|(_, count)| **count != 0).collect();
    assert!(different.is_empty(), "crawl.log and records differ: {different:?}");
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.status.0 <= 0) {
        *others.entry(&line.url).or_default() += 1;
    }
    assert!(
        others.values().all(|count| *count == 1),
        "lines without a capture, more than one a URL: {others:?}"
    );
    archive::crawl_log_text(&crawled.job).lines().for_each(is_read_in_the_wild);
}

/// What programs that read crawl.log rely on (suites/jobs/output-consumers.jsonl).
fn is_read_in_the_wild(line: &str) {
    assert!(line.len() > 42, "deduplicator skips short lines: {line}");
    let fields: Vec<&str> = line.split_whitespace().collect();
    // ukwa-manage and heritrix-harvest-analysis: all twelve fields by position.
    assert_eq!(fields.len(), 12, "{line}");
    assert_eq!(fields[0].len(), "2026-11-30T19:24:12.063Z".len(), "{line}");
    assert!(
        fields[1].parse::<i32>().is_ok() && (fields[2] == "-" || fields[2].parse::<u64>().is_ok()),
        "{line}"
    );
    assert!(fields[7].starts_with('#') && fields[7].len() == 4, "{line}");
    let is_time =
        |text: &str| text.len() > 18 && text.as_bytes()[17] == b'+' && text[..17].parse::<u64>().is_ok();
    assert!(fields[8] == "-" || is_time(fields[8]), "{line}");
    assert!(fields[9] == "-" || fields[9].starts_with("sha1:"), "{line}");
    // heritrix3-scripts looks for ` 404 ` and the like; the columns have the widths of recorded logs.
    assert_eq!(&line[24..25], " ", "{line}");
    assert_eq!(line[25..30].trim(), fields[1], "{line}");
    assert_eq!(line[31..41].trim(), fields[2], "{line}");
}

/// warcio and jwarc as judges; both read as many records as we wrote.
fn others_find_nothing_wrong(crawled: &Crawled) {
    let files = archive::warcs(&crawled.job);
    if let Some(warcio) = judges::python_tool("warcio") {
        let arguments: Vec<PathBuf> = std::iter::once("check".into()).chain(files.iter().cloned()).collect();
        let output = judges::run(&warcio, &arguments);
        assert!(output.status.success(), "warcio check: {}", judges::printed(&output));
        let arguments: Vec<PathBuf> = ["index", "-f", "warc-type"]
            .map(PathBuf::from)
            .into_iter()
            .chain(files.iter().cloned())
            .collect();
        let output = judges::run(&warcio, &arguments);
        let lines = String::from_utf8_lossy(&output.stdout).lines().count();
        assert_eq!(lines, crawled.records.len(), "records that warcio reads");
    }
    if let Some(jwarc) = judges::jwarc() {
        let arguments: Vec<PathBuf> =
            ["-jar".into(), jwarc, "validate".into()].into_iter().chain(files.iter().cloned()).collect();
        let output = judges::run(Path::new("java"), &arguments);
        assert!(output.status.success(), "jwarc validate: {}", judges::printed(&output));
    }
}

/// pywb takes the files and serves what the site served.
fn pywb_serves(crawled: &Crawled) {
    let (Some(manager), Some(_)) = (judges::python_tool("wb-manager"), judges::python_tool("wayback")) else {
        return;
    };
    let folder = folder();
    let manage = |arguments: &[&str]| {
        let mut command = std::process::Command::new(&manager);
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "wb-manager {arguments:?}: {}", judges::printed(&output));
    };
    manage(&["init", "ours"]);
    for file in archive::warcs(&crawled.job) {
        manage(&["add", "ours", file.to_str().unwrap()]);
    }
    let (server, address) = pywb(folder.path());
    let captures =
        crawled.records.iter().filter(|record| record.kind == "response" && record.status == Some(200));
    let captures: Vec<&Record> = captures.collect();
    let step = (captures.len() / PYWB_CAPTURES).max(1);
    let mut n_served = 0;
    for record in captures.iter().step_by(step).take(PYWB_CAPTURES) {
        let path = record.url.strip_prefix(&crawled.site.base).unwrap();
        let file = crawled.site.root.join(if path.is_empty() { "index.html" } else { path });
        let Ok(expected) = std::fs::read(&file) else { continue };
        let answer = http::get(&address, &format!("/ours/{}id_/{}", record.digits, record.url)).unwrap();
        assert_eq!(answer.status, 200, "{}: {}", record.url, answer.head);
        assert!(answer.body == expected, "pywb serves {} otherwise: {}", record.url, answer.head);
        n_served += 1;
    }
    assert!(n_served >= PYWB_CAPTURES * 9 / 10, "pywb served {n_served} captures");
    drop(server);
}

fn pywb(folder: &Path) -> (Running, String) {
    let port = site::free_port("127.0.0.1");
    let address = format!("127.0.0.1:{port}");
    let mut command = std::process::Command::new(judges::python_tool("wayback").unwrap());
    command.args(["-b", "127.0.0.1", "-p", &port.to_string(), "-d"]).arg(folder);
    let mut server = program::start_command(&mut command);
    crate::fixture::wait_until("pywb listens", Duration::from_secs(60), || {
        assert!(server.ended().is_none(), "pywb ended: {}{}", server.out(), server.err());
        std::net::TcpStream::connect(&address).is_ok()
    });
    (server, address)
}
