//! Queues take turns, retire, and show where they stand.

use bequest_frontier::{FetchEnd, FrontierOptions, Next, QueueState};
use model::FetchOutcome;
use model::entry::{Entry, QueueControl};

use crate::make::{Bench, done, eager, link, seed};

fn fetch(bench: &mut Bench) -> String {
    let item = bench.item();
    bench.frontier.finished(item.ordinal, &FetchEnd::default(), bench.now);
    bench.apply(done(&item, FetchOutcome::Finished));
    item.candidate.url.as_str().trim_start_matches("http://").replace(".example/", "")
}

#[test]
fn a_queue_makes_room_when_its_balance_is_spent() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(FrontierOptions { balance_replenish: 2, ..eager() }, dir.path(), None);
    for page in 1..=6 {
        bench.admit(seed(&format!("http://a.example/{page}")));
    }
    bench.admit(seed("http://b.example/1"));
    bench.admit(seed("http://b.example/2"));
    let order: Vec<String> = (0..8).map(|_| fetch(&mut bench)).collect();
    // The charge comes with the `Done`, after the queue was put back.
    assert_eq!(order, ["a1", "a2", "a3", "b1", "b2", "a4", "a5", "a6"]);
    assert!(matches!(bench.next(), Next::Empty));
}

#[test]
fn a_retired_queue_gives_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(eager(), dir.path(), None);
    bench.admit(link("http://a.example/1"));
    bench.flush();
    let control = |control| Entry::QueueControl { queue_key: "a.example".to_owned(), control };
    bench.apply(control(QueueControl::Retire));
    assert!(matches!(bench.next(), Next::Empty));
    let counts = bench.frontier.counts();
    assert_eq!(
        (counts.queued, counts.queued_retired, counts.queues.retired, counts.queues.busy),
        (0, 1, 1, 0)
    );
    bench.flush();
    let saved = bench.frontier.save().unwrap();
    let mut bench =
        Bench { sequence: bench.sequence, ..Bench::open(eager(), dir.path(), Some(&saved.section)) };
    assert_eq!(bench.frontier.queue_of("a.example").unwrap().state, QueueState::Retired);
    bench.apply(control(QueueControl::Unretire));
    assert_eq!(fetch(&mut bench), "a1");
    let counts = bench.frontier.counts();
    assert_eq!(
        (counts.queued, counts.queued_retired, counts.finished, counts.queues.exhausted),
        (0, 0, 1, 1)
    );
}

#[test]
fn a_queue_over_its_budget_is_retired() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(FrontierOptions { queue_total_budget: Some(2), ..eager() }, dir.path(), None);
    for page in 1..=3 {
        bench.admit(seed(&format!("http://a.example/{page}")));
    }
    assert_eq!([fetch(&mut bench), fetch(&mut bench)], ["a1", "a2"]);
    assert!(matches!(bench.next(), Next::Empty));
    assert_eq!(bench.frontier.counts().queued_retired, 1);
}

#[test]
fn a_flush_is_due_when_work_is_short() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(FrontierOptions { sieve_buffer_entries: 3, ..eager() }, dir.path(), None);
    assert!(!bench.frontier.flush_due(bench.now, 8));
    bench.next();
    bench.admit(link("http://a.example/1"));
    assert!(bench.frontier.flush_due(bench.now, 1));
    assert!(!bench.frontier.flush_due(bench.now, 0));
    assert!(bench.frontier.flush_due(bench.now + 10_000, 0));
    bench.admit(link("http://a.example/2"));
    bench.admit(link("http://a.example/3"));
    assert!(bench.frontier.flush_due(bench.now, 0), "full");
    assert!(bench.frontier.recently_admitted(link("http://a.example/2").fingerprint));
    bench.flush();
    assert!(!bench.frontier.flush_due(bench.now + 10_000, 8));
    let peeked = bench.frontier.peek("a.example", 2).unwrap();
    let texts: Vec<&str> = peeked.iter().map(|queued| queued.url.as_str()).collect();
    assert_eq!(texts, ["http://a.example/1", "http://a.example/2"]);
}
