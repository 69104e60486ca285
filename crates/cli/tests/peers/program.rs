//! A run of the program in a job folder of its own, and what it left there.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crawl::crawl_log::{self, CrawlLogLine};

/// How long a crawl of these tests may take.
const CRAWL_MAX: Duration = Duration::from_secs(180);

/// How a crawl of these tests is set up: no delays, and loopback addresses allowed.
#[derive(Clone)]
pub struct Setup {
    /// Milliseconds before a failed fetch is tried again.
    pub retry_delay_ms: u64,
    /// Attempts at one URL.
    pub retries_max: u32,
    /// Further lines of the job file's section `[fetch]`, and sections after it.
    pub fetch_and_more: String,
    /// Options of the command line.
    pub options: Vec<String>,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup { retry_delay_ms: 300, retries_max: 3, fetch_and_more: String::new(), options: Vec::new() }
    }
}

impl Setup {
    fn job_file(&self) -> String {
        format!(
            "[frontier]\nretry_delay_ms = {}\nretries_max = {}\n\
             [frontier.politeness]\ndelay_factor = 0.0\ndelay_ms_min = 0\n\
             [fetch]\nallow_addresses = [\"127.0.0.0/8\"]\n{}",
            self.retry_delay_ms, self.retries_max, self.fetch_and_more
        )
    }
}

/// A job folder that goes when this is dropped.
pub struct Job {
    folder: tempfile::TempDir,
    child: Option<Child>,
}

/// A response or revisit record.
pub struct Record {
    /// `WARC-Target-URI`.
    pub url: String,
    /// `WARC-Type`.
    pub kind: String,
    /// `WARC-Truncated`.
    pub truncated: Option<String>,
    /// The block; at most a mebibyte of it.
    pub block: Vec<u8>,
    /// Bytes of the block.
    pub block_bytes: u64,
}

impl Job {
    /// Starts a crawl.
    pub fn start(setup: &Setup, seeds: &[String]) -> Job {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("config.toml"), setup.job_file()).unwrap();
        std::fs::write(place("seeds.txt"), seeds.join("\n") + "\n").unwrap();
        let output = File::create(place("output.txt")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_bequest"))
            .args(["crawl", "--min-free", "1MB", "--contact", "http://127.0.0.1/contact", "--config"])
            .arg(place("config.toml"))
            .arg("--seeds-file")
            .arg(place("seeds.txt"))
            .arg("--job")
            .arg(place("job"))
            .args(&setup.options)
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Job { folder, child: Some(child) }
    }

    /// A crawl that ends well.
    pub fn run(setup: &Setup, seeds: &[String]) -> Job {
        let mut job = Job::start(setup, seeds);
        let status = job.wait(|_| ());
        assert!(status.success(), "{status}: {}", job.output());
        job
    }

    /// Waits for the end; `look` is called with the process id now and then.
    pub fn wait(&mut self, mut look: impl FnMut(u32)) -> ExitStatus {
        let started = Instant::now();
        let mut child = self.child.take().expect("waited for once");
        loop {
            look(child.id());
            if let Some(status) = child.try_wait().unwrap() {
                return status;
            }
            if started.elapsed() > CRAWL_MAX {
                drop(child.kill());
                drop(child.wait());
                panic!("the crawl did not end within {CRAWL_MAX:?}: {}", self.output());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What the program said.
    pub fn output(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("output.txt")).unwrap_or_default()
    }

    fn launch(&self) -> PathBuf {
        self.folder.path().join("job/latest")
    }

    /// crawl.log.
    pub fn log(&self) -> Vec<CrawlLogLine> {
        let text = std::fs::read_to_string(self.launch().join("logs/crawl.log")).unwrap();
        text.lines()
            .map(|line| crawl_log::parse(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }

    /// The only line of a URL in crawl.log, as `status size annotations`.
    pub fn log_of(&self, url: &str) -> String {
        let lines: Vec<_> = self.log().into_iter().filter(|line| line.url == url).collect();
        assert_eq!(lines.len(), 1, "lines of {url}: {lines:#?}");
        let size = lines[0].size.map_or("-".to_owned(), |size| size.to_string());
        let marks = lines[0].annotations.join(",");
        format!("{} {size} {marks}", lines[0].status).trim_end().to_owned()
    }

    /// Response and revisit records, checked as a whole beforehand.
    pub fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for path in self.warcs() {
            let report = warc::check(BufReader::new(File::open(&path).unwrap()), |_, _| {}).unwrap();
            assert!(report.is_ok(), "{}: {report:?}", path.display());
            read_records(&path, &mut records);
        }
        records
    }

    fn warcs(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.launch().join("warcs")).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

fn read_records(path: &Path, records: &mut Vec<Record>) {
    let mut reader = warc::Reader::new(BufReader::new(File::open(path).unwrap()));
    while let Some(head) = reader.next_record().unwrap() {
        let header = |name: &str| head.headers.get(name).map(str::to_owned);
        let kind = header("WARC-Type").unwrap_or_default();
        if kind != "response" && kind != "revisit" {
            continue;
        }
        let mut block = Vec::new();
        reader.block().take(1 << 20).read_to_end(&mut block).unwrap();
        let end = reader.end_record().unwrap().expect("a record was begun");
        let (url, truncated) = (header("WARC-Target-URI").unwrap_or_default(), header("WARC-Truncated"));
        records.push(Record { url, kind, truncated, block, block_bytes: end.block_bytes });
    }
}

/// A file of the test data beside this folder; `None` where it is absent, which is a failure in CI.
pub fn shared(path: &str) -> Option<PathBuf> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    if full.exists() {
        return Some(full);
    }
    assert!(std::env::var_os("CI").is_none(), "{path} is needed in CI");
    println!("left out: {path} is absent");
    None
}
