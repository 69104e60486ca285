//! A crate outside the workspace adds a decide rule, an extractor and a record maker: built and run as somebody else
//! would do it.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::fixture::{archive, folder, pages, program, workspace};

/// Building takes that long at most: most of it is built already.
const BUILD_MAX: Duration = Duration::from_secs(400);

#[test]
fn adds_a_rule_an_extractor_and_a_record_maker() {
    let crate_folder = workspace().join("crates/cli/tests/outside");
    // The same versions as ours, and no question to a registry.
    std::fs::copy(workspace().join("Cargo.lock"), crate_folder.join("Cargo.lock")).unwrap();
    let target = Path::new(env!("CARGO_BIN_EXE_bequest")).ancestors().nth(2).unwrap();
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["build", "--quiet", "--offline"])
        .current_dir(&crate_folder)
        .env("CARGO_TARGET_DIR", target);
    program::start_command(&mut command).wait_at_most(BUILD_MAX).expect(0);

    let site = pages::serve(
        "127.0.0.1",
        &[
            ("/", "<a href=a.html>a</a> <a href=/drafts/b.html>b</a> <!-- see: /hidden.html -->"),
            ("/a.html", "<p>a page"),
            ("/drafts/b.html", "<p>not to be taken"),
            ("/hidden.html", "<p>only a comment names it"),
        ],
    );
    let folder = folder();
    let job = folder.path().join("job");
    let mut command = Command::new(target.join("debug/outside"));
    let ran = program::start_command(command.arg(&site.base).arg(&job)).wait().expect(0);
    assert!(ran.out.contains("Finished"), "{}", ran.out);

    let records = archive::records(&job);
    let found = archive::captures(&records, 200);
    let urls: Vec<&str> = found.keys().map(|url| url.strip_prefix(&site.base).unwrap()).collect();
    assert_eq!(urls, ["", "a.html", "hidden.html"]);
    let job_text = job.to_str().unwrap();
    let listed = program::run(["warc", "ls", "--json", archive::warcs(&job)[0].to_str().unwrap()]).expect(0);
    assert_eq!(listed.out.matches("text/x-lengths").count(), 3, "{}", listed.out);
    let explained =
        program::run(["explain", &format!("{}hidden.html", site.base), "--job", job_text]).expect(0);
    assert!(explained.out.contains("as see-also (path L)"), "{}", explained.out);
}
