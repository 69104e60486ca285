//! Bad input: a clear line with what to do, an exit code with a meaning, nothing damaged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::fixture::program::Ran;
use crate::fixture::{accept, archive, folder, pages, program};

/// Wants one line of error with these words, and the exit code.
fn check(ran: Ran, code: i32, words: &[&str]) {
    let ran = ran.expect(code);
    let lines: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("bequest: ")).collect();
    assert_eq!(lines.len(), 1, "one line of error: {}", ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    for word in words {
        assert!(lines[0].contains(word), "no {word:?} in {}", lines[0]);
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Every file below a folder with its bytes.
fn bytes_of(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                files.insert(path, bytes);
            }
        }
    }
    files
}

/// Makes the files below a folder be these again.
fn restore(root: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    for path in bytes_of(root).into_keys().filter(|path| !files.contains_key(path)) {
        std::fs::remove_file(path).unwrap();
    }
    for (path, bytes) in files {
        std::fs::write(path, bytes).unwrap();
    }
}

/// A finished job of two pages.
fn small_job(job: &Path) -> pages::Pages {
    let site =
        pages::serve("127.0.0.1", &[("/", "<a href=two.html>two</a>"), ("/two.html", "<p>the second page")]);
    crawl(&site.base, job).expect(0);
    site
}

fn crawl(seed: &str, job: &Path) -> Ran {
    program::run(["crawl", seed, "--job", text(job), "--delay", "0", "--min-free", "1MB"])
}

#[test]
fn a_seed_that_is_no_url() {
    let folder = folder();
    for seed in ["http://[bad/", "http://", "mailto:somebody@example.org", "http://example.org:port/"] {
        let job = folder.path().join("job");
        check(crawl(seed, &job), 2, &[]);
        assert!(!job.exists(), "{seed}: a folder was made");
    }
    let list = folder.path().join("seeds.txt");
    std::fs::write(&list, "http://127.0.0.1:1/\nhttp://[bad/\n").unwrap();
    let job = folder.path().join("job");
    check(
        program::run(["crawl", "--seeds", text(&list), "--job", text(&job)]),
        2,
        &["line 2", "http://[bad/"],
    );
    check(program::run(["crawl", "--job", text(&job)]), 2, &["no seed"]);
    check(program::run(["crawl", "--seeds", "/no/such/list", "--job", text(&job)]), 2, &["/no/such/list"]);
    assert!(!job.exists());
}

#[test]
fn a_job_file_with_a_wrong_key() {
    let folder = folder();
    let (job, config) = (folder.path().join("job"), folder.path().join("my.toml"));
    std::fs::write(&config, "[crawl]\n# how many at once\nwerkers = 3\n").unwrap();
    let crawl = ["crawl", "http://127.0.0.1:1/", "--job", text(&job), "--config", text(&config)];
    check(program::run(crawl), 2, &["my.toml", "line 3", "werkers", "workers"]);
    assert!(!job.exists());

    // In the folder of a job it stops the resume, and the rest of the folder stays as it was.
    let _site = small_job(&job);
    let job_file = job.join("job.toml");
    let right = std::fs::read_to_string(&job_file).unwrap();
    std::fs::write(&job_file, right.replace("urls_max", "url_max")).unwrap();
    let before = bytes_of(&job);
    check(program::run(["resume", text(&job)]), 2, &["job.toml", "line ", "url_max", "urls_max"]);
    assert!(bytes_of(&job) == before, "the folder was changed");
    std::fs::write(&job_file, right).unwrap();
    program::run(["resume", text(&job)]).expect(0);
}

#[test]
fn a_folder_that_cannot_be_used() {
    let folder = folder();
    let file = folder.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    check(crawl("http://127.0.0.1:1/", &file.join("job")), 3, &["file"]);
    check(crawl("http://127.0.0.1:1/", &file), 3, &["file"]);
    check(crawl("http://127.0.0.1:1/", Path::new("/proc/job")), 3, &["/proc/job"]);
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");

    let job = folder.path().join("job");
    let site = small_job(&job);
    let before = bytes_of(&job);
    check(crawl(&site.base, &job), 3, &["resume", text(&job)]);
    assert!(bytes_of(&job) == before, "the folder was changed");

    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    for command in [
        "resume",
        "search x --job",
        "lookup http://a.example/ --job",
        "serve --job",
        "explain http://a.example/ --job",
    ] {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.push(text(&empty));
        check(program::run(arguments), 3, &["holds no job", "empty"]);
    }
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0, "something was made in an empty folder");
    check(program::run_in(&empty, &["lookup", "http://a.example/"]), 3, &["holds no job"]);
}

#[test]
fn a_port_in_use() {
    let folder = folder();
    let job = folder.path().join("job");
    let _site = small_job(&job);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    check(program::run(["serve", "--job", text(&job), "--listen", &address]), 1, &[&address, "--listen"]);
    let ran = program::run(["serve", "--job", text(&job), "--listen", "0.0.0.0:0"]);
    check(ran, 1, &["--password-file"]);
}

#[test]
fn a_corrupt_warc() {
    let folder = folder();
    let job = folder.path().join("job");
    let site = small_job(&job);
    let warc = archive::warcs(&job).remove(0);
    program::run(["warc", "check", text(&warc)]).expect(0);
    let mut bytes = std::fs::read(&warc).unwrap();
    let middle = bytes.len() / 2;
    for byte in &mut bytes[middle..middle + 64] {
        *byte ^= 0x55;
    }
    std::fs::write(&warc, &bytes).unwrap();
    let ran = program::run(["warc", "check", text(&warc)]).expect(4);
    assert!(ran.out.contains("error") && ran.out.contains("offset"), "{}", ran.out);
    // What can be read is read; nothing else is touched, nothing crashes.
    let listed = program::run(["warc", "ls", text(&warc)]);
    assert!(
        listed.out.contains("warcinfo") && !listed.err.contains("panicked"),
        "{}{}",
        listed.out,
        listed.err
    );
    let url = format!("{}two.html", site.base);
    let ran = program::run(["lookup", &url, "--job", text(&job)]).expect(0);
    assert!(ran.out.contains(&url), "{}", ran.out);
    let ran = program::run(["index", "--job", text(&job)]);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    program::run(["resume", text(&job)]).expect(0);
    assert!(std::fs::read(&warc).unwrap() == bytes, "a committed file was changed");
    let none = folder.path().join("none.warc.gz");
    check(program::run(["warc", "check", text(&none)]), 1, &["none.warc.gz"]);
}

#[test]
fn a_corrupt_state_folder() {
    let folder = folder();
    let job = folder.path().join("job");
    let _site = small_job(&job);
    let state = job.join("state");
    let whole = bytes_of(&job);
    let mut damaged = 0;
    for (path, bytes) in bytes_of(&state) {
        let is_derived = !path.starts_with(state.join("journal")) && !text(&path).contains("manifest");
        if bytes.len() < 64 || is_derived {
            continue;
        }
        damaged += 1;
        let mut wrong = bytes.clone();
        let middle = wrong.len() / 2;
        wrong[middle] ^= 0xff;
        std::fs::write(&path, &wrong).unwrap();
        let before = bytes_of(&job);
        let ran = program::run(["resume", text(&job)]);
        let after = bytes_of(&job);
        if ran.code == Some(0) {
            // An older manifest and the journal say the same.
            println!("{}: resumed regardless", path.display());
        } else {
            check(ran, 4, &[]);
            assert!(after == before, "{}: the folder was changed", path.display());
        }
        for (path, bytes) in before.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "gz"))
        {
            assert!(after.get(path) == Some(bytes), "{} was changed", path.display());
        }
        restore(&job, &whole);
    }
    program::run(["resume", text(&job)]).expect(0);
    assert!(damaged > 0, "no file of the state was found");
}

#[test]
fn two_crawls_on_one_job() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let seed = format!("http://{}/", silent.local_addr().unwrap());
    let folder = folder();
    let job = folder.path().join("job");
    let running = program::start(["crawl", &seed, "--job", text(&job), "--delay", "0"]);
    let _connection = accept(&silent);
    check(program::run(["resume", text(&job)]), 3, &["another process", text(&job)]);
    check(crawl(&seed, &job), 3, &["resume"]);
    // The first goes on undisturbed, and can still be asked.
    let ran = program::run(["status", "--job", text(&job)]).expect(0);
    assert!(ran.out.contains("\"phase\""), "{}", ran.out);
    program::run(["status", "--stop", "--job", text(&job)]).expect(0);
    running.wait_at_most(Duration::from_secs(20)).expect(5);
    check(program::run(["status", "--job", text(&job)]), 1, &["no process works on the job"]);
}

#[test]
fn a_private_address_that_no_seed_names() {
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let secret = format!("http://{}/secret", other.local_addr().unwrap());
    let body = format!("<a href={secret}>x</a> <img src={secret}.png>");
    let site = pages::serve("127.0.0.2", &[("/", &body)]);
    let folder = folder();
    let job = folder.path().join("job");
    let arguments =
        ["crawl", &site.base, "--job", text(&job), "--scope", "any", "--delay", "0", "--min-free", "1MB"];
    program::run(arguments).expect(0);
    let answer = other.accept();
    assert!(answer.is_err(), "the private address was asked");
    let ran = program::run(["explain", &secret, "--job", text(&job)]).expect(0);
    assert!(ran.out.contains("is private") && ran.out.contains("allow"), "{}", ran.out);
    assert!(!archive::records(&job).iter().any(|record| record.url.starts_with(&secret)));

    // Where it is allowed it is asked.
    let job = folder.path().join("allowed");
    let mut allowed = arguments.to_vec();
    allowed[3] = text(&job);
    allowed.extend(["--allow-address", "127.0.0.1/32"]);
    let running = program::start(allowed);
    drop(accept(&other));
    running.kill();
}
