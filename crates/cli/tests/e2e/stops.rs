//! Stops, limits and how to go on: each with its exit code.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::fixture::{accept, archive, folder, program, site, wait_until};
use crate::sites::crawl_arguments;

#[test]
fn ctrl_c_stops_cleanly_and_resume_goes_on() {
    let Some(site) = site::Site::of_package(&site::POSTGRESQL) else { return };
    let folder = folder();
    let job = folder.path().join("job");
    let running = program::start(crawl_arguments(&site.url(site::POSTGRESQL.start), &job));
    wait_until("the crawl gets on", Duration::from_secs(60), || archive::log_lines(&job) > 100);
    let asked = Instant::now();
    running.signal(Signal::INT);
    let ran = running.wait_at_most(Duration::from_secs(15)).expect(5);
    assert!(asked.elapsed() < Duration::from_secs(10), "took {:?}", asked.elapsed());
    assert!(ran.out.contains(&format!("go on with: bequest resume {}", job.display())), "{}", ran.out);
    let before = archive::records(&job);
    assert!(before.len() > 100, "{} records", before.len());

    // A limit that is raised in the job file holds for the next launch.
    let job_file = job.join("job.toml");
    let text = std::fs::read_to_string(&job_file).unwrap();
    std::fs::write(&job_file, text.replace("urls_max = 0", "urls_max = 600")).unwrap();
    let resume = ["resume", job.to_str().unwrap()];
    let ran = program::run(resume).expect(6);
    assert!(ran.out.contains("limit"), "{}", ran.out);
    std::fs::write(&job_file, text).unwrap();
    program::run(resume).expect(0);
    let found = archive::captures(&archive::records(&job), 200);
    assert!(found.len() >= 1_173, "{} pages", found.len());
    assert!(found.values().all(|count| *count == 1), "some are stored twice");
    // Nothing is left to do: that is no error.
    program::run(resume).expect(0);
    assert_eq!(archive::captures(&archive::records(&job), 200), found);
}

#[test]
fn a_second_ctrl_c_stops_at_once() {
    // A server that never answers: a clean stop waits for it a while.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let seed = format!("http://{}/", silent.local_addr().unwrap());
    let folder = folder();
    let job = folder.path().join("job");
    let running = program::start(crawl_arguments(&seed, &job));
    let connection = accept(&silent);
    running.signal(Signal::INT);
    wait_until("it says so", Duration::from_secs(10), || running.err().contains("once more stops at once"));
    running.signal(Signal::INT);
    running.wait_at_most(Duration::from_secs(10)).expect(130);
    drop(connection);
    // The seed is still to be fetched.
    let explained = program::run(["explain", &seed, "--job", job.to_str().unwrap()]).expect(0);
    assert!(
        explained.out.contains("not tried yet") || explained.out.contains("prerequisite"),
        "{}",
        explained.out
    );
}
