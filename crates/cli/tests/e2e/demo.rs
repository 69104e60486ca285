//! `bequest demo`: from seed to search hit without a network.

use std::time::Instant;

use crate::fixture::{folder, program};

#[test]
fn ends_with_a_search_hit() {
    let folder = folder();
    let job = folder.path().join("demo");
    let started = Instant::now();
    let ran = program::run(["demo", "--job", job.to_str().unwrap()]).expect(0);
    assert!(started.elapsed().as_secs() < 20, "took {:?}", started.elapsed());
    for text in [
        "records in order",
        "searched: \"lighthouse\" is on ",
        "  http://127.0.0.1:",
        "where everything lies",
    ] {
        assert!(ran.out.contains(text), "no {text:?} in:\n{}", ran.out);
    }
    assert!(!ran.out.contains("is on 0 pages"), "{}", ran.out);
    // What it says to try next works.
    let job = job.to_str().unwrap();
    program::run(["search", "digest", "--job", job]).expect(0);
    let seed = ran.out.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
    let explained = program::run(["explain", &format!("{seed}private/notes.html"), "--job", job]).expect(0);
    assert!(explained.out.contains("robots.txt forbids it"), "{}", explained.out);
    let again = program::run(["demo", "--job", job]).expect(3);
    assert!(again.err.contains("resume"), "{}", again.err);
}

#[test]
fn help_names_every_command_and_exit_code() {
    let ran = program::run(["--help"]).expect(0);
    for word in [
        "demo",
        "crawl",
        "resume",
        "explain",
        "warc",
        "lookup",
        "index",
        "search",
        "serve",
        "Exit codes:",
        "130",
    ] {
        assert!(ran.out.contains(word), "no {word} in:\n{}", ran.out);
    }
}
