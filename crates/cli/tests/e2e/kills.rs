//! `kill -9` at many places of a crawl, and while it resumes: the same set at the end, nothing twice, all files in order.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::fixture::{archive, folder, program, site, wait_until};
use crate::sites::crawl_arguments;

/// Lines of crawl.log that the whole crawl has, about.
const LINES: usize = 1_175;

/// How often: `BEQUEST_E2E_KILLS`, else few enough for every day.
fn n_kills() -> usize {
    std::env::var("BEQUEST_E2E_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(6)
}

#[test]
fn nothing_is_lost_and_nothing_is_stored_twice() {
    let Some(site) = site::Site::of_package(&site::POSTGRESQL) else { return };
    let seed = site.url(site::POSTGRESQL.start);
    let folder = folder();
    let whole = folder.path().join("whole");
    program::run(crawl_arguments(&seed, &whole)).expect(0);
    let expected = set_of(&whole);
    assert!(expected.len() > 1_000, "{} captures", expected.len());

    let killed = folder.path().join("killed");
    let n_kills = n_kills();
    let mut n_cut = 0;
    let mut arguments = crawl_arguments(&seed, &killed);
    for kill in 0..n_kills {
        // From 5 to 95 % of the way, evenly.
        let percent = 5 + 90 * kill / (n_kills - 1).max(1);
        let lines = LINES * percent / 100;
        let mut running = program::start(&arguments);
        wait_until("the crawl gets on", Duration::from_secs(120), || {
            assert!(
                running.ended().is_none(),
                "it ended before {percent} %: {}{}",
                running.out(),
                running.err()
            );
            archive::log_lines(&killed) >= lines
        });
        running.kill();
        arguments = vec!["resume".to_owned(), killed.to_str().unwrap().to_owned()];
        // Some resumes are killed before they are done with resuming, or just after.
        if kill % 3 == 1 {
            let resuming = program::start(&arguments);
            std::thread::sleep(Duration::from_millis(15 * kill as u64));
            resuming.kill();
        }
    }
    program::run(&arguments).expect(0);
    let text = std::fs::read_to_string(killed.join("job.log")).unwrap();
    n_cut += text.lines().filter(|line| line.contains("uncommitted")).count();
    println!("{n_kills} kills, {n_cut} notes of uncommitted records");
    let found = set_of(&killed);
    let lost: Vec<_> = expected.keys().filter(|key| !found.contains_key(*key)).collect();
    let more: Vec<_> = found.keys().filter(|key| !expected.contains_key(*key)).collect();
    assert!(lost.is_empty() && more.is_empty(), "lost {lost:?}, more {more:?}");
    let twice: Vec<_> = found.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "stored twice: {twice:?}");
    let open: Vec<_> =
        archive::warcs(&killed).into_iter().filter(|path| path.extension().unwrap() == "open").collect();
    assert!(open.is_empty(), "still open: {open:?}");
    assert_eq!(logged(&killed), logged(&whole), "crawl.log has other URLs, or some twice");
}

/// URL and status of all captures, with their number.
fn set_of(job: &Path) -> BTreeMap<(String, Option<u16>), usize> {
    let mut set = BTreeMap::new();
    for record in archive::records(job).into_iter().filter(archive::Record::is_capture) {
        *set.entry((record.url, record.status)).or_default() += 1;
    }
    set
}

/// URLs of crawl.log in order.
fn logged(job: &Path) -> Vec<String> {
    let mut urls: Vec<String> = archive::crawl_log(job).into_iter().map(|line| line.url).collect();
    urls.sort();
    urls
}
