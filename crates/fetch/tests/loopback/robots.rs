//! robots.txt as a precondition, and what its answers mean.

use std::sync::Arc;

use bequest_fetch::RobotsPolicy;
use model::{Fetched, HostChange, HostFacts, RobotsFact, RobotsRules};

use crate::server::{answer, serve_bytes, serve_paths};
use crate::world::{LATER, Lab, item, prerequisite, summary};

fn facts(rules: RobotsRules) -> HostFacts {
    HostFacts { dns: None, robots: Some(RobotsFact { rules, expires: LATER }) }
}

fn text(text: &str) -> RobotsRules {
    RobotsRules::Text(Arc::from(text.as_bytes()))
}

/// The rules that an answer to `/robots.txt` comes to.
async fn rules(bytes: Vec<u8>) -> Vec<RobotsRules> {
    let address = serve_bytes(bytes).await;
    let lab = Lab::new(|options| options.so_timeout_ms = 300);
    changed(&lab.fetch(&format!("http://{address}/robots.txt")).await)
}

fn changed(fetched: &Fetched) -> Vec<RobotsRules> {
    let (Fetched::Exchange { host_changes, .. } | Fetched::Failed { host_changes, .. }) = fetched else {
        panic!("{fetched:?}")
    };
    host_changes
        .iter()
        .map(|change| match change {
            HostChange::Robots { fact, .. } => fact.rules.clone(),
            HostChange::Dns { .. } => panic!("{change:?}"),
        })
        .collect()
}

#[tokio::test]
async fn answers() {
    assert_eq!(
        rules(answer(200, "", "User-agent: *\nDisallow: /x\n")).await,
        [text("User-agent: *\nDisallow: /x\n")]
    );
    assert_eq!(rules(answer(404, "", "none")).await, [RobotsRules::AllowAll]);
    assert_eq!(rules(answer(403, "", "none")).await, [RobotsRules::AllowAll]);
    assert_eq!(rules(answer(500, "", "oops")).await, [RobotsRules::DisallowAll]);
    assert_eq!(rules(answer(503, "", "oops")).await, [RobotsRules::DisallowAll]);
    assert_eq!(rules(Vec::new()).await, [RobotsRules::DisallowAll]);
    assert_eq!(rules(answer(301, "", "")).await, [RobotsRules::AllowAll]);
    assert_eq!(rules(answer(301, "Location: ftp://x.test/\r\n", "")).await, [RobotsRules::DisallowAll]);
    // A rule that was cut is ignored.
    let cut =
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser-agent: *\nDisallow: /a\nDisallow: /b".to_vec();
    assert_eq!(rules(cut).await, [text("User-agent: *\nDisallow: /a\n")]);
    let coded = {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"User-agent: *\nDisallow: /z").unwrap();
        encoder.finish().unwrap()
    };
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", coded.len());
    assert_eq!(rules([head.into_bytes(), coded].concat()).await, [text("User-agent: *\nDisallow: /z")]);
    let long = format!("User-agent: *\n{}", "Disallow: /x\n".repeat(100_000));
    let [RobotsRules::Text(kept)] = &rules(answer(200, "", &long)).await[..] else { panic!("one text") };
    assert!(kept.len() > (500 << 10) && kept.len() <= (512 << 10) && kept.ends_with(b"\n"));
}

#[tokio::test]
async fn verdicts() {
    let address = serve_paths(|path, _| answer(200, "", path)).await;
    let page = item(&format!("http://{address}/private/x?y"));
    let lab = Lab::new(|_| {});
    let fetch = async |facts: HostFacts| summary(&lab.fetcher.fetch(&page, &facts).await);
    assert_eq!(fetch(HostFacts::default()).await, format!("prerequisite http://{address}/robots.txt"));
    let refused = fetch(facts(text("User-agent: *\nDisallow: /private\n"))).await;
    assert!(
        refused.starts_with("refused -9998 robots.txt line 2: ") && refused.contains("/private"),
        "{refused}"
    );
    assert_eq!(fetch(facts(text("User-agent: *\nDisallow: /other\n"))).await, "200 /private/x?y");
    assert_eq!(fetch(facts(RobotsRules::AllowAll)).await, "200 /private/x?y");
    assert_eq!(fetch(facts(RobotsRules::DisallowAll)).await, "failed -61");
    let lab = Lab::new(|options| options.robots = RobotsPolicy::Ignore);
    let fetch = async |facts: HostFacts| summary(&lab.fetcher.fetch(&page, &facts).await);
    assert_eq!(fetch(HostFacts::default()).await, format!("prerequisite http://{address}/robots.txt"));
    assert_eq!(fetch(facts(RobotsRules::DisallowAll)).await, "200 /private/x?y");
    assert_eq!(fetch(facts(text("User-agent: *\nDisallow: /\n"))).await, "200 /private/x?y");
}

/// Goes the way of a page of `/n`, whose robots.txt is redirected n times: the URLs fetched before it, and its fate.
async fn follow(redirects: usize) -> (usize, Vec<RobotsRules>) {
    let address = serve_paths(move |path, _| {
        let hop = path.strip_prefix("/hop").map_or(0, |hop| hop.parse::<usize>().unwrap());
        match hop < redirects {
            true => answer(302, &format!("Location: /hop{}\r\n", hop + 1), ""),
            false => answer(200, "", "User-agent: *\nDisallow: /\n"),
        }
    })
    .await;
    let lab = Lab::new(|_| {});
    let page = item(&format!("http://{address}/page"));
    for n_fetched in 1.. {
        let needed = lab.fetcher.fetch(&page, &HostFacts::default()).await;
        let Fetched::Prerequisite { url } = needed else { panic!("{needed:?}") };
        let fetched = lab.fetcher.fetch(&prerequisite(url.as_str()), &HostFacts::default()).await;
        let changes = changed(&fetched);
        if !changes.is_empty() {
            return (n_fetched, changes);
        }
    }
    unreachable!("ends at the limit on redirects")
}

#[tokio::test]
async fn redirects_are_followed_through_the_frontier() {
    let forbidding = || vec![text("User-agent: *\nDisallow: /\n")];
    assert_eq!(follow(0).await, (1, forbidding()));
    assert_eq!(follow(1).await, (2, forbidding()));
    assert_eq!(follow(5).await, (6, forbidding()));
    assert_eq!(follow(6).await, (6, vec![RobotsRules::AllowAll]));
    assert_eq!(follow(usize::MAX).await, (6, vec![RobotsRules::AllowAll]));
}

#[tokio::test]
async fn the_rules_count_for_the_origin_first_asked() {
    let target = serve_paths(|_, _| answer(404, "", "")).await;
    let address =
        serve_paths(move |_, _| answer(301, &format!("Location: http://{target}/A/robots.txt\r\n"), ""))
            .await;
    let lab = Lab::new(|_| {});
    assert!(changed(&lab.fetch(&format!("http://{address}/robots.txt")).await).is_empty());
    let fetched = lab
        .fetcher
        .fetch(&prerequisite(&format!("http://{target}/A/robots.txt")), &HostFacts::default())
        .await;
    let Fetched::Exchange { host_changes, .. } = fetched else { panic!("{fetched:?}") };
    let [HostChange::Robots { origin, fact }] = &host_changes[..] else { panic!("{host_changes:?}") };
    assert_eq!(
        (origin.as_str(), &fact.rules),
        (format!("http://{address}").as_str(), &RobotsRules::AllowAll)
    );
}

#[tokio::test]
async fn a_target_that_may_not_be_fetched_is_no_permission() {
    let address = serve_paths(|_, _| answer(301, "Location: http://10.9.8.7/robots.txt\r\n", "")).await;
    let lab = Lab::new(|_| {});
    let page = item(&format!("http://{address}/page"));
    lab.fetch(&format!("http://{address}/robots.txt")).await;
    let needed = summary(&lab.fetcher.fetch(&page, &HostFacts::default()).await);
    assert_eq!(needed, "prerequisite http://10.9.8.7/robots.txt");
    let refused = lab.fetcher.fetch(&prerequisite("http://10.9.8.7/robots.txt"), &HostFacts::default()).await;
    assert!(matches!(refused, Fetched::Refused { .. }));
    assert_eq!(summary(&lab.fetcher.fetch(&page, &HostFacts::default()).await), "failed -61");
}
