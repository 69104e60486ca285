//! Questions to a job at work: `explain`, `lookup`, `serve`, `status`; and what was recorded stays as it was.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::fixture::{archive, folder, http, program, site, wait_until};

fn explain(url: &str, job: &Path) -> Value {
    let ran = program::run(["explain", url, "--json", "--job", job.to_str().unwrap()]).expect(0);
    serde_json::from_str(&ran.out).unwrap()
}

/// The lines that were recorded when they happened.
fn recorded(explanation: &Value) -> Vec<String> {
    let lines = explanation["lines"].as_array().unwrap().iter();
    lines.filter(|line| line["source"] == "recorded").map(|line| line["text"].to_string()).collect()
}

/// The last page that the start page names for the first time: with a pause of 0.1 s it waits for long.
fn last_link(site: &site::Site) -> String {
    let page = std::fs::read_to_string(site.root.join(site::POSTGRESQL.start)).unwrap();
    let mut links: Vec<&str> = Vec::new();
    for link in page.split("href=\"").skip(1).filter_map(|part| part.split('"').next()) {
        if link.ends_with(".html") && !link.contains(':') && !links.contains(&link) {
            links.push(link);
        }
    }
    links.last().unwrap().to_string()
}

#[test]
fn answers_while_a_crawl_runs() {
    let Some(site) = site::Site::of_package(&site::POSTGRESQL) else { return };
    let folder = folder();
    let job = folder.path().join("job");
    let job_text = job.to_str().unwrap();
    // Slow enough that it runs on while we ask.
    let start = site.url(site::POSTGRESQL.start);
    let arguments =
        ["crawl", &start, "--job", job_text, "--scope", "host", "--embeds", "scope", "--delay", "0.1"];
    let mut running = program::start(arguments.iter().copied().chain(["--min-free", "1MB"]));
    wait_until("a few pages", Duration::from_secs(60), || archive::log_lines(&job) > 12);

    let fetched = explain(&start, &job);
    assert_eq!((&fetched["state"], &fetched["status"]), (&"fetched".into(), &200.into()), "{fetched}");
    let queued_url = site.url(&last_link(&site));
    let queued = explain(&queued_url, &job);
    assert!(queued["state"] == "queued", "{queued}");
    let refused = explain("http://127.0.0.1:1/elsewhere", &job);
    assert_eq!(refused["state"], "never admitted", "{refused}");
    assert!(refused.to_string().contains("would be refused"), "{refused}");
    let unseen = explain(&site.url("never-linked.html"), &job);
    assert_eq!(unseen["state"], "never admitted", "{unseen}");
    assert!(unseen.to_string().contains("would be accepted"), "{unseen}");

    let looked_up = program::run(["lookup", &start, "--json", "--job", job_text]).expect(0);
    let capture: Value = serde_json::from_str(&looked_up.out).unwrap();
    let mut server = program::start(["serve", "--job", job_text, "--listen", "127.0.0.1:0"]);
    let address = server.address();
    let path = format!("/web/{}id_/{start}", capture["timestamp"].as_str().unwrap());
    let answer = http::get(&address, &path).unwrap();
    assert_eq!(answer.status, 200, "{}", answer.head);
    assert!(answer.body == std::fs::read(site.root.join("index.html")).unwrap());
    let status: Value =
        serde_json::from_str(&program::run(["status", "--job", job_text]).expect(0).out).unwrap();
    assert!(status["queued"].as_u64().unwrap() > 0 && status["phase"] == "running", "{status}");
    // What comes later is there without a new start of the server.
    let n_lines = archive::log_lines(&job);
    wait_until("the crawl gets on", Duration::from_secs(60), || archive::log_lines(&job) > n_lines + 3);
    let last = archive::crawl_log(&job).into_iter().rev().find(|line| line.status.0 == 200).unwrap();
    let digits = last.started.unwrap().0.digits14();
    wait_until("the newest capture is served", Duration::from_secs(10), || {
        http::get(&address, &format!("/web/{digits}id_/{}", last.url)).unwrap().status == 200
    });

    program::run(["status", "--pause", "--job", job_text]).expect(0);
    program::run(["status", "--unpause", "--job", job_text]).expect(0);
    assert!(running.ended().is_none(), "{}{}", running.out(), running.err());
    program::run(["status", "--stop", "--job", job_text]).expect(0);
    running.wait().expect(5);

    // Recorded lines are the same at rest, and after the scope was changed.
    let at_rest = explain(&start, &job);
    assert_eq!(recorded(&at_rest), recorded(&fetched));
    let job_file = job.join("job.toml");
    let text = std::fs::read_to_string(&job_file).unwrap();
    assert!(text.contains("exclude = []"), "{text}");
    std::fs::write(&job_file, text.replace("exclude = []", "exclude = [\".*\"]")).unwrap();
    assert_eq!(recorded(&explain(&start, &job)), recorded(&fetched));
    let before = recorded(&explain(&queued_url, &job));
    assert!(!before.is_empty());
    let now = explain(&site.url("never-linked.html"), &job).to_string();
    assert!(now.contains("would be refused"), "{now}");
}
