//! Tests of whole generated webs.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::world::{DnsFailure, Network};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::*;

fn web(seed: u64) -> Web {
    Web::generate(WebOptions::new(seed))
}

#[test]
fn a_seed_gives_one_web() {
    let (a, b, c) = (web(1), web(1), web(2));
    assert_eq!(a.roots(), b.roots());
    let scope = ScopeModel::new(ScopeKind::Any, true);
    let (expected, again) = (a.expected(&a.seeds(), &scope), b.expected(&b.seeds(), &scope));
    assert_eq!(expected, again);
    assert_ne!(expected, c.expected(&c.seeds(), &scope));
    for url in expected.urls.keys() {
        assert_eq!(a.settled(url), b.settled(url), "{url}");
    }
}

#[test]
fn sizes_are_as_asked() {
    for (hosts, urls) in [(1, 1), (1, 50), (300, 5_000), (5_000, 12_000)] {
        let web = Web::generate(WebOptions { hosts, urls, ..WebOptions::new(3) });
        assert_eq!(web.hosts().len(), hosts);
        assert!(
            web.n_urls() >= urls * 9 / 10 && web.n_urls() <= urls * 11 / 10 + hosts,
            "{} of {urls}",
            web.n_urls()
        );
    }
}

#[test]
fn every_kind_of_end_is_expected() {
    for seed in 0..6 {
        let web = web(seed);
        let expected = web.expected(&web.seeds(), &ScopeModel::new(ScopeKind::Any, true));
        let counts = expected.counts();
        assert!(expected.urls.len() > 4_500, "seed {seed}: {} URLs", expected.urls.len());
        for fate in [
            Fate::Status(200),
            Fate::Status(301),
            Fate::Status(302),
            Fate::Status(307),
            Fate::Status(404),
            Fate::Status(429),
            Fate::Status(503),
            Fate::BusyOr200,
            Fate::Forbidden,
            Fate::RobotsUnreachable,
            Fate::NoAddress,
            Fate::NoAnswer,
        ] {
            assert!(counts.contains_key(&fate), "seed {seed}: no {fate:?} in {counts:?}");
        }
    }
}

#[test]
fn nothing_but_traps_reaches_the_limit_of_hops() {
    for seed in 0..6 {
        let web = web(seed);
        let expected = web.expected(&web.seeds(), &ScopeModel::new(ScopeKind::Any, true));
        let without_limit = ScopeModel { hops_max: 60, ..ScopeModel::new(ScopeKind::Any, true) };
        let more = web.expected(&web.seeds(), &without_limit);
        for url in more.urls.keys().filter(|url| !expected.urls.contains_key(*url)) {
            assert!(
                ["/calendar", "/basket", "/maze", "/again"].iter().any(|trap| url.contains(trap)),
                "{url}"
            );
        }
        assert!(more.urls.len() > expected.urls.len(), "traps are endless");
    }
}

#[test]
fn a_longest_way_stays_below_the_limit_of_hops() {
    // Whatever page is found first by whatever link: follow the links that lead farthest.
    for seed in 0..2 {
        let web = web(seed);
        let scope = ScopeModel { hops_max: 1000, ..ScopeModel::new(ScopeKind::Any, true) };
        let web = Web::generate(WebOptions { traps: false, ..web.options().clone() });
        let longest = web.longest_way(&scope);
        assert!(longest <= 20, "seed {seed}: {longest} hops");
    }
}

#[test]
fn scopes_nest() {
    let web = web(5);
    let seeds: Vec<String> = web.seeds().into_iter().take(20).collect();
    let count = |kind, embeds| web.expected(&seeds, &ScopeModel::new(kind, embeds)).urls.len();
    let host = count(ScopeKind::Host, false);
    assert_eq!(count(ScopeKind::Page, false), 20);
    assert_eq!(count(ScopeKind::Prefix, false), host, "the seeds are root pages");
    assert!(count(ScopeKind::Host, true) > host);
    assert!(count(ScopeKind::Domain, false) > host);
    assert!(count(ScopeKind::Any, true) > count(ScopeKind::Domain, true));
}

#[test]
fn links_in_pages_are_those_of_the_graph() {
    // A plain reader of href and src, quite unlike the crawler's: every address it finds must resolve into the graph.
    let web = web(7);
    let expected = web.expected(&web.seeds(), &ScopeModel::new(ScopeKind::Any, true));
    let mut n_links = 0;
    let fetched = expected.urls.iter().filter(|(_, url)| url.fate.is_fetched()).map(|(text, _)| text);
    for url in fetched.filter(|url| !url.contains("/nofollow/")) {
        let Some(answer) = web.settled(url).filter(|answer| answer.status == 200) else { continue };
        let is_html = answer
            .headers
            .iter()
            .any(|(name, value)| *name == "Content-Type" && value.starts_with("text/html"));
        if !is_html || answer.headers.iter().any(|(name, _)| *name == "Content-Encoding") {
            continue;
        }
        let text = String::from_utf8(answer.body.to_vec()).unwrap();
        let page = url::Url::parse(url).unwrap();
        let base =
            attributes(&text, "<base href=").first().map_or(page.clone(), |base| page.join(base).unwrap());
        for address in
            [attributes(&text, "<a href="), attributes(&text, " SRC="), attributes(&text, "stylesheet href=")]
                .concat()
        {
            let mut found = base.join(&address.replace("&amp;", "&")).unwrap();
            found.set_fragment(None);
            let is_refused =
                ["/maze/", "/again/", "/calendar", "/basket"].iter().any(|trap| found.path().contains(trap));
            assert!(is_refused || expected.urls.contains_key(found.as_str()), "{found} on {url} ({address})");
            n_links += 1;
        }
    }
    assert!(n_links > 5_000, "{n_links} links");
}

fn attributes(html: &str, before: &str) -> Vec<String> {
    let pieces = html.split(before).skip(1);
    pieces
        .map(|piece| {
            let quote = piece.chars().next().unwrap();
            piece[1..].split(quote).next().unwrap().trim().to_owned()
        })
        .collect()
}

#[test]
fn equal_bytes_stand_under_several_urls() {
    let web = web(8);
    let mut by_body: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
    for host in web.hosts() {
        for path in host.paths().filter(|path| path.starts_with("/same/")) {
            if let Some(answer) = web.settled(&host.url(path)) {
                *by_body.entry(answer.body.to_vec()).or_default() += 1;
            }
        }
    }
    assert!(by_body.len() > 5 && by_body.values().all(|n| *n > 3), "{:?}", by_body.values());
}

/// Fetches a URL over the false network; the status, or how it failed.
async fn fetch(network: &SimNetwork, web: &Web, url: &str) -> Result<u16, String> {
    let (authority, path) = web::split_url(url).unwrap();
    let name = authority.split(':').next().unwrap();
    let mut tries = 0;
    let answer = loop {
        match network.resolve(name).await {
            Ok(answer) => break answer,
            Err(DnsFailure::NoSuchName(reason)) => return Err(reason),
            Err(DnsFailure::Temporary(reason)) if tries == 3 => return Err(reason),
            Err(DnsFailure::Temporary(_)) => tries += 1,
        }
    };
    let port = web.host_at(authority).map_or(80, |host| host.port);
    for _ in 0..6 {
        let Ok(mut stream) = network.connect((answer.addresses[0], port).into()).await else { continue };
        let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let reading =
            tokio::time::timeout(std::time::Duration::from_secs(60), stream.read_to_end(&mut bytes));
        match reading.await {
            Err(_) => return Err("timeout".to_owned()),
            Ok(_) if bytes.is_empty() => continue,
            Ok(_) => return Ok(std::str::from_utf8(&bytes[9..12]).unwrap().parse().unwrap()),
        }
    }
    Err("no connection".to_owned())
}

#[test]
fn a_whole_web_over_the_false_network() {
    let started = std::time::Instant::now();
    run_virtual(async {
        let web = Arc::new(web(11));
        let network = SimNetwork::new(web.clone(), web.places());
        let expected = web.expected(&web.seeds(), &ScopeModel::new(ScopeKind::Any, true));
        for (url, expected) in &expected.urls {
            let found = fetch(&network, &web, url).await;
            match expected.fate {
                Fate::Status(status) => assert_eq!(found, Ok(status), "{url}"),
                Fate::NoAddress | Fate::NoAnswer => assert!(found.is_err(), "{url}: {found:?}"),
                Fate::BusyOr200 => assert!(matches!(found, Ok(200 | 503)), "{url}: {found:?}"),
                Fate::Forbidden | Fate::RobotsUnreachable => {}
            }
        }
        let faults = network.observations().faults();
        assert!(faults.dropped_before_head >= 20 && faults.dropped_mid_body >= 20, "{faults:?}");
        assert!(faults.refused >= 20 && faults.slow >= 20 && faults.busy >= 20, "{faults:?}");
        assert!(faults.dns_temporary >= 20 && faults.never_answered >= 1, "{faults:?}");
    });
    println!("{:?}", started.elapsed());
}

#[test]
fn faults_come_often_enough_in_every_web() {
    for seed in 0..6 {
        let web = web(seed);
        let places = web.places();
        let dns: u32 = places.iter().map(|place| place.dns_failures).sum();
        let refusals: u32 = places.iter().map(|place| place.refusals).sum();
        let n_slow = web
            .hosts()
            .iter()
            .filter(|host| host.think_ms >= 2000)
            .map(|host| host.paths().count())
            .sum::<usize>();
        let expected = web.expected(&web.seeds(), &ScopeModel::new(ScopeKind::Any, true));
        let mut n_dropped = 0;
        for url in expected.urls.iter().filter(|(_, url)| url.fate.is_fetched()).map(|(text, _)| text) {
            let (authority, path) = web::split_url(url).unwrap();
            let host = web.host_at(authority).unwrap();
            let answer = web.respond(&Request::get(&host.name, host.port, path), 0);
            n_dropped += u32::from(answer.delivery.cut.is_some());
        }
        assert!(
            dns >= 20 && refusals >= 20 && n_slow >= 20 && n_dropped >= 40,
            "seed {seed}: {dns} {refusals} {n_slow} {n_dropped}"
        );
    }
}

#[test]
fn connections_are_kept_and_watched() {
    run_virtual(async {
        let options = WebOptions { faults: FaultRates::NONE, hostile: false, ..WebOptions::new(4) };
        let web = Arc::new(Web::generate(options));
        let network = SimNetwork::new(web.clone(), web.places());
        let host = &web.hosts()[0];
        let mut stream = network.connect((host.address, host.port).into()).await.unwrap();
        for path in ["/robots.txt", "/"] {
            let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", host.authority());
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut first = [0; 12];
            stream.read_exact(&mut first).await.unwrap();
            assert!(first.starts_with(b"HTTP/1.1 "));
            // The rest of the answer, up to a pause.
            let mut rest = vec![0; 1 << 20];
            let pause = std::time::Duration::from_millis(500);
            while matches!(tokio::time::timeout(pause, stream.read(&mut rest)).await, Ok(Ok(n)) if n > 0) {}
        }
        drop(stream);
        let seen = network.observations().requests();
        assert_eq!(
            seen.iter().map(|seen| (seen.path.as_str(), seen.reuse)).collect::<Vec<_>>(),
            [("/robots.txt", 0), ("/", 1)]
        );
        assert_eq!(seen[0].connection, seen[1].connection);
        assert!(network.observations().check_politeness(400, 1).is_empty());
        assert_eq!(network.observations().check_politeness(60_000, 1).len(), 1);
    });
}

#[test]
fn a_client_that_goes_away_ends_its_request() {
    run_virtual(async {
        let web = Arc::new(web(4));
        let network = SimNetwork::new(web.clone(), web.places());
        let host = web
            .hosts()
            .iter()
            .find(|host| host.health == Health::Fine && host.robots == RobotsPlan::NeverAnswers);
        let host = host.expect("hostile webs have one");
        let mut connected = network.connect((host.address, host.port).into()).await;
        while connected.is_err() {
            connected = network.connect((host.address, host.port).into()).await;
        }
        let mut stream = connected.unwrap();
        let request = format!("GET /robots.txt HTTP/1.1\r\nHost: {}\r\n\r\n", host.authority());
        stream.write_all(request.as_bytes()).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_secs(20)).await;
        assert_eq!(network.observations().requests()[0].end_ms, u64::MAX);
        drop(stream);
        let end_ms = network.observations().requests()[0].end_ms;
        assert!((20_000..21_000).contains(&end_ms), "{end_ms}");
    });
}

#[test]
fn the_judge_finds_nothing_in_a_right_crawl_and_something_in_every_wrong_one() {
    use crate::checks::{CaptureRow, Evidence, LogRow, Violation, check};
    let web = web(9);
    let expected = web.expected(&web.seeds(), &ScopeModel::new(ScopeKind::Any, true));
    let (mut log, mut captures) = (Vec::new(), Vec::new());
    for (url, expected) in &expected.urls {
        let status = match expected.fate {
            Fate::Status(status) => i32::from(status),
            Fate::BusyOr200 => 503,
            Fate::Forbidden => -9998,
            Fate::RobotsUnreachable => -61,
            Fate::NoAddress => -6,
            Fate::NoAnswer => -2,
        };
        log.push(LogRow { url: url.clone(), status });
        if status > 0 {
            let answer = web.settled(url).unwrap();
            let payload = if answer.is_bodiless() { Vec::new() } else { answer.body.to_vec() };
            captures.push(CaptureRow {
                url: url.clone(),
                status: status as u16,
                is_revisit: false,
                is_truncated: false,
                payload_digest: mix(0, &format!("{payload:?}")).to_string(),
                payload: Some(payload),
            });
        }
    }
    let judge = |log: &[LogRow], captures: &[CaptureRow]| -> Vec<Violation> {
        let violations = check(&Evidence {
            web: &web,
            expected: &expected,
            observations: &Observations::default(),
            log,
            captures,
            n_restarts: 0,
            delay_ms: 0,
            in_flight_max: 1,
            obeys_robots: true,
        });
        violations.into_iter().filter(|violation| !violation.what.contains("never asked for")).collect()
    };
    assert_eq!(judge(&log, &captures), []);
    let rules = |log: &[LogRow], captures: &[CaptureRow]| -> Vec<&str> {
        judge(log, captures).into_iter().map(|violation| violation.rule).collect()
    };
    let at = log.iter().position(|row| row.status == 200).unwrap();
    let mut wrong = log.clone();
    wrong.remove(at);
    assert_eq!(rules(&wrong, &captures), ["capture", "lost"]);
    let mut wrong = log.clone();
    wrong.push(log[at].clone());
    assert_eq!(rules(&wrong, &captures), ["capture", "twice"]);
    let mut wrong = log.clone();
    wrong[at].status = 201;
    assert_eq!(rules(&wrong, &captures), ["status"]);
    let mut wrong = log.clone();
    wrong.push(LogRow { url: "http://elsewhere.example/".to_owned(), status: -6 });
    assert_eq!(rules(&wrong, &captures), ["unexpected"]);
    let mut wrong = captures.clone();
    wrong[0].payload.as_mut().unwrap().push(b'!');
    assert_eq!(rules(&log, &wrong), ["bytes"]);
    let mut wrong = captures.clone();
    wrong[0].is_revisit = true;
    wrong[0].payload_digest = "none".to_owned();
    assert_eq!(rules(&log, &wrong), ["revisit"]);
}

/// The budget of DESIGN: generating and answering 5,000 URLs within half a second of one core (optimised).
#[test]
fn quick_enough() {
    let started = std::time::Instant::now();
    let web = web(12);
    let expected = web.expected(&web.seeds(), &ScopeModel::new(ScopeKind::Any, true));
    let n_bytes: usize = expected
        .urls
        .keys()
        .filter_map(|url| web.settled(url))
        .map(|answer| answer.to_wire(false).0.len())
        .sum();
    println!("{} URLs, {n_bytes} bytes in {:?}", expected.urls.len(), started.elapsed());
    if !cfg!(debug_assertions) {
        assert!(started.elapsed().as_millis() < 500);
    }
}
