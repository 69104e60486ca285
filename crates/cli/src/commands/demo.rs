//! `bequest demo`: the whole of it on a small built-in site, without a network.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail};
use crawl::{Ending, JobDir, JobFile, Registry, ScopeKind};
use search::{Query, SearchIndex};
use server::ServeOptions;

use crate::live;

/// What the demo searches for: it stands on two pages of the site.
const WORDS: &str = "lighthouse";

/// Crawl a small built-in site, check the WARC, index it and search it. No network is needed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where the job goes [default: jobs/demo-TIME]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// Go on serving search and captures until Ctrl-C
    #[arg(long)]
    pub keep: bool,
}

/// Runs the command.
///
/// # Errors
/// When a step does not come out as it must.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let folder =
        args.job.unwrap_or_else(|| PathBuf::from("jobs").join(format!("demo-{}", live::now_digits())));
    let job = JobDir::new(&folder);
    let runtime = live::runtime()?;

    let seed = runtime.block_on(crawl_demo_site(&job))?;
    let warcs = check_warcs(&folder)?;
    let indexed = super::index::index_job(&folder, Default::default())?;
    outln!("indexed: {} pages", indexed.n_pages);
    let n_hits = search_for(&folder, WORDS)?;

    outln!("\nwhere everything lies:");
    outln!("  job       {}", folder.display());
    for warc in &warcs {
        outln!("  WARC      {}", warc.display());
    }
    outln!("  crawl.log {}", folder.join("latest/logs/crawl.log").display());
    outln!("  reports   {}", folder.join("latest/reports").display());
    outln!("  CDXJ      {}", folder.join("index/cdxj").display());
    outln!("try:");
    outln!("  bequest explain {seed}private/notes.html --job {}", folder.display());
    outln!("  bequest search digest --job {}", folder.display());
    outln!("  bequest serve --job {}", folder.display());
    outln!("done in {:.1} s", started.elapsed().as_secs_f64());
    if n_hits == 0 {
        bail!("the search found nothing, though the site has the word {WORDS:?}");
    }
    if args.keep {
        serve(&runtime, &folder)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves the site on loopback and crawls it; gives its seed.
async fn crawl_demo_site(job: &JobDir) -> anyhow::Result<String> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.context("listen on loopback")?;
    let seed = format!("http://{}/", listener.local_addr()?);
    outln!("site: {seed} (built in, served for as long as the demo crawls)");
    let _serving = testweb::sites::serve_site(testweb::sites::demo(), listener);
    let mut file = JobFile::default();
    file.scope.scope = ScopeKind::Host;
    file.crawl.name = "demo".to_owned();
    // The site is ours: no pause is needed.
    file.frontier.politeness.fixed_delay_ms = Some(0);
    file.crawl.free_bytes_min = 16 << 20;
    crawl::create_job(&crawl::real_world(None)?, job, &file, &seed)?;
    let ending = live::work(job, &Registry::builtin(), true).await?;
    if ending != Ending::Finished {
        bail!("the crawl of the demo site ended early: {}", ending.text());
    }
    Ok(seed)
}

fn check_warcs(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let files = replay::ArchiveFiles::of_job(folder).warcs()?;
    let mut paths = Vec::new();
    for file in files {
        let mut n_records = 0;
        let stream =
            std::fs::File::open(&file.path).with_context(|| format!("open {}", file.path.display()))?;
        let report = warc::check(stream, |_, _| n_records += 1)?;
        if !report.is_ok() {
            bail!("{} is not in order: {:?}", file.path.display(), report.problems);
        }
        outln!("checked: {n_records} records in order");
        paths.push(file.path);
    }
    Ok(paths)
}

fn search_for(folder: &Path, words: &str) -> anyhow::Result<u64> {
    let index = SearchIndex::open(&replay::ArchiveFiles::of_job(folder).search_index())?;
    let hits = index.search(&Query::words(words))?;
    outln!("searched: {words:?} is on {} pages", hits.total);
    for hit in &hits.hits {
        outln!("  {} - {}", hit.url, hit.title);
    }
    Ok(hits.total)
}

fn serve(runtime: &tokio::runtime::Runtime, folder: &Path) -> anyhow::Result<()> {
    runtime.block_on(async {
        let listen = "127.0.0.1:0".parse().expect("an address");
        let options = ServeOptions { listen, job_dir: folder.to_owned(), password_file: None };
        let server = server::bind(&options).await?;
        outln!("serving at http://{}/ (Ctrl-C stops)", server.address);
        server.run(async { drop(tokio::signal::ctrl_c().await) }).await
    })
}
