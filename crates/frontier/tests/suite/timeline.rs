//! The first page of a new host goes as in Heritrix (heritrix.md 11.3), and queues wait as they should.

use bequest_frontier::{FetchEnd, FrontierOptions, Next, QueueState};
use model::{FetchOutcome, MonoMs};

use crate::make::{Bench, done, eager, link, prerequisite, seed};

fn deferred() -> FetchEnd {
    FetchEnd { outcome: FetchOutcome::Deferred, tried_network: false, ..FetchEnd::default() }
}

fn fetched(duration_ms: u64) -> FetchEnd {
    FetchEnd { duration_ms, ..FetchEnd::default() }
}

#[test]
fn first_page_of_a_host() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(FrontierOptions::default(), dir.path(), None);
    let start = bench.now;
    bench.admit(seed("http://h.example/"));
    bench.admit(seed("http://h.example/second"));
    for (name, text) in [("dns", "dns:h.example"), ("robots", "http://h.example/robots.txt")] {
        let page = bench.item();
        assert_eq!(page.candidate.url.as_str(), "http://h.example/");
        bench.frontier.finished(page.ordinal, &deferred(), bench.now);
        assert!(matches!(bench.next(), Next::Wait), "stands still until the prerequisite is there: {name}");
        bench.apply(done(&page, FetchOutcome::Deferred));
        bench.admit(prerequisite(text, &page));
        let first = bench.item();
        assert_eq!(first.candidate.url.as_str(), text);
        bench.frontier.finished(first.ordinal, &fetched(20), bench.now);
        bench.apply(done(&first, FetchOutcome::Finished));
        let Next::WaitUntil(wake) = bench.next() else { panic!("no wait after {name}") };
        assert_eq!(wake - bench.now, 3000);
        bench.now = wake;
    }
    let page = bench.item();
    assert_eq!(
        (page.candidate.url.as_str(), page.attempt, bench.now - start),
        ("http://h.example/", 3, 6000)
    );
    bench.frontier.finished(page.ordinal, &fetched(7000), bench.now);
    bench.apply(done(&page, FetchOutcome::Finished));
    let Next::WaitUntil(wake) = bench.next() else { panic!("no wait") };
    assert_eq!(wake - bench.now, 30_000);
    bench.now = wake;
    assert_eq!(bench.item().attempt, 1);
}

#[test]
fn retry_keeps_the_queue_waiting_with_the_item_on_top() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(FrontierOptions::default(), dir.path(), None);
    bench.admit(seed("http://h.example/1"));
    bench.admit(seed("http://h.example/2"));
    let item = bench.item();
    let outcome = FetchOutcome::Retry { delay_ms: 900_000 };
    bench.frontier.finished(item.ordinal, &FetchEnd { outcome, ..fetched(5) }, bench.now);
    bench.apply(done(&item, outcome));
    let Next::WaitUntil(wake) = bench.next() else { panic!("no wait") };
    assert_eq!(wake - bench.now, 900_000);
    bench.now = wake;
    let again = bench.item();
    assert_eq!((again.ordinal, again.attempt), (item.ordinal, 2));
}

#[test]
fn returned_item_counts_no_attempt() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(eager(), dir.path(), None);
    bench.admit(seed("http://h.example/1"));
    let item = bench.item();
    bench.frontier.returned(item.ordinal, bench.now + 50);
    assert!(matches!(bench.next(), Next::WaitUntil(MonoMs(1_000_050))));
    bench.now = bench.now + 50;
    assert_eq!(bench.item().attempt, 1);
}

#[test]
fn seen_urls_are_queued_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(eager(), dir.path(), None);
    // A link that waits in the sieve and the same URL as a seed; a seed named twice; a link seen before.
    bench.admit(link("http://h.example/1"));
    bench.admit(seed("http://h.example/1"));
    bench.admit(seed("http://h.example/1"));
    bench.flush();
    bench.admit(seed("http://h.example/1"));
    bench.admit(link("http://h.example/1"));
    bench.admit(link("http://h.example/2"));
    bench.admit(link("http://h.example/2"));
    bench.flush();
    assert_eq!(bench.novel, ["http://h.example/1", "http://h.example/2"]);
    assert_eq!(bench.frontier.counts().queued, 2);
    // A forced URL is queued whatever is known.
    let mut forced = link("http://h.example/1");
    forced.candidate.force_fetch = true;
    bench.admit(forced);
    assert_eq!(bench.frontier.counts().queued, 3);
}

#[test]
fn a_prerequisite_is_queued_once_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(FrontierOptions { in_flight_per_queue: 4, ..eager() }, dir.path(), None);
    bench.admit(seed("http://h.example/1"));
    bench.admit(seed("http://h.example/2"));
    let pages = [bench.item(), bench.item()];
    for page in &pages {
        bench.frontier.finished(page.ordinal, &deferred(), bench.now);
        bench.apply(done(page, FetchOutcome::Deferred));
        bench.admit(prerequisite("dns:h.example", page));
    }
    let first = bench.item();
    assert_eq!(first.candidate.url.as_str(), "dns:h.example");
    assert!(matches!(bench.next(), Next::Wait), "pages wait behind it");
    bench.frontier.finished(first.ordinal, &fetched(1), bench.now);
    assert!(matches!(bench.next(), Next::Wait), "until it is committed");
    bench.apply(done(&first, FetchOutcome::Finished));
    assert_eq!([bench.item().attempt, bench.item().attempt], [2, 2]);
    assert_eq!(bench.frontier.queue_of("h.example").unwrap().in_flight, 2);
    assert_eq!(bench.frontier.queue_of("h.example").unwrap().state, QueueState::Busy);
}

#[test]
fn a_resume_waits_the_full_delay() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(FrontierOptions::default(), dir.path(), None);
    bench.admit(seed("http://a.example/1"));
    bench.admit(seed("http://a.example/2"));
    bench.admit(seed("http://b.example/"));
    bench.flush();
    let item = bench.item();
    let end = FetchEnd { crawl_delay_s: Some(60.0), ..fetched(5) };
    bench.frontier.finished(item.ordinal, &end, bench.now);
    bench.apply(done(&item, FetchOutcome::Finished));
    bench.flush();
    let saved = bench.frontier.save().unwrap();
    let mut again = Bench::open(FrontierOptions::default(), dir.path(), Some(&saved.section));
    again.frontier.resumed(again.now);
    let Next::WaitUntil(wake) = again.next() else { panic!("no wait") };
    assert_eq!(wake - again.now, 3000);
    again.now = wake;
    assert_eq!(again.item().queue_key, "b.example");
    let Next::WaitUntil(wake) = again.next() else { panic!("no wait") };
    assert_eq!(wake - MonoMs(1_000_000), 60_000);
}
