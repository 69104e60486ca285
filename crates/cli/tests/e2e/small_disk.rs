//! A file system of 64 MB that fills up: the job pauses, stays up, and goes on by itself when space is freed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::fixture::program::Running;
use crate::fixture::{archive, folder, judges, program, site, wait_until};
use crate::sites::crawl_arguments;

/// A small file system, for as long as it lives.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// `None` where nothing may be mounted.
    fn mount() -> Option<SmallDisk> {
        let folder = folder();
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=64m", "tmpfs"]).arg(folder.path());
        if !command.output().is_ok_and(|output| output.status.success()) {
            judges::leave_out("a file system of 64 MB can only be mounted as root");
            return None;
        }
        Some(SmallDisk { folder })
    }

    fn free_bytes(&self) -> u64 {
        let free = rustix::fs::statvfs(self.folder.path()).unwrap();
        free.f_bavail * free.f_frsize
    }

    /// Takes all but so many bytes.
    fn fill(&self, leave_bytes: u64) -> PathBuf {
        let path = self.folder.path().join("ballast");
        let len = self.free_bytes() - leave_bytes;
        std::fs::write(&path, vec![0; len as usize]).unwrap();
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.folder.path()).output());
    }
}

fn phase(job: &Path) -> String {
    let ran = program::run(["status", "--job", job.to_str().unwrap()]);
    let status: Value = serde_json::from_str(&ran.out).unwrap_or_default();
    status["phase"].as_str().unwrap_or("").to_owned()
}

fn wait_for_pause(job: &Path, running: &mut Running) {
    wait_until("the job pauses", Duration::from_secs(90), || {
        assert!(running.ended().is_none(), "it ended: {}{}", running.out(), running.err());
        std::thread::sleep(Duration::from_millis(100));
        phase(job).starts_with("paused")
    });
}

#[test]
fn pauses_and_goes_on() {
    let Some(site) = site::Site::of_package(&site::POSTGRESQL) else { return };
    let Some(disk) = SmallDisk::mount() else { return };
    let job = disk.folder.path().join("job");
    let mut arguments = crawl_arguments(&site.url(site::POSTGRESQL.start), &job);
    let least = arguments.iter_mut().find(|argument| *argument == "1MB").unwrap();
    *least = "8MB".to_owned();

    // Room for a part of the crawl above what must stay free.
    let ballast = disk.fill((8 << 20) + (2 << 20));
    let mut running = program::start(&arguments);
    wait_for_pause(&job, &mut running);
    assert!(disk.free_bytes() > 4 << 20, "it wrote on: {} bytes are free", disk.free_bytes());
    let n_lines = archive::log_lines(&job);
    std::thread::sleep(Duration::from_secs(2));
    assert!(archive::log_lines(&job) <= n_lines + 8, "it went on fetching");
    std::fs::remove_file(&ballast).unwrap();
    wait_until("it goes on", Duration::from_secs(30), || {
        archive::log_lines(&job) > n_lines + 16 || running.ended().is_some()
    });

    // The disk fills again; this time it is stopped while it waits, and resumed.
    if running.ended().is_none() {
        let ballast = disk.fill(4 << 20);
        wait_for_pause(&job, &mut running);
        program::run(["status", "--stop", "--job", job.to_str().unwrap()]).expect(0);
        running.wait_at_most(Duration::from_secs(30)).expect(5);
        std::fs::remove_file(ballast).unwrap();
    }
    program::run(["resume", job.to_str().unwrap()]).expect(0);
    let found = archive::captures(&archive::records(&job), 200);
    assert!(found.values().all(|count| *count == 1), "some are stored twice");
    let Some(lists) = judges::suite("sites/paths/postgresql.ok.txt.gz") else { return };
    let expected: BTreeSet<String> = archive::gzip_lines(&lists).iter().map(|path| site.url(path)).collect();
    let lost: Vec<_> = expected.iter().filter(|url| !found.contains_key(*url)).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
}
