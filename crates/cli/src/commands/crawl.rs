//! `bequest crawl`: archive what is reachable from the seeds.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crawl::{AddressRange, Embeds, JobDir, JobFile, RobotsPolicy, ScopeKind};

use crate::exit::UsageError;
use crate::{human, live};

/// Archive what is reachable from the seeds.
///
/// Follows links politely, writes everything it gets into WARC files, and can be stopped at any moment: `bequest resume`
/// goes on where it was.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// URLs to begin with; `http://` is put in front where no scheme is given
    #[arg(value_name = "SEED")]
    pub seeds: Vec<String>,
    /// A file with seeds, a line each; `#` begins a comment
    #[arg(long, value_name = "FILE")]
    pub seeds_file: Option<PathBuf>,
    /// The same as --seeds-file
    #[arg(long = "seeds", value_name = "FILE", conflicts_with = "seeds_file")]
    pub seeds_alias: Option<PathBuf>,
    /// The job's folder; must not hold a job yet [default: jobs/HOST-TIME]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// A job file to begin with; options here go before what it says
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What belongs to the crawl: the page alone, everything below the seed's folder, its host, its domain, or anything
    #[arg(long, value_enum)]
    pub scope: Option<ScopeArg>,
    /// Fetch what a page needs to be shown (images, styles, …) from any host, or only within the scope
    #[arg(long, value_enum)]
    pub embeds: Option<EmbedsArg>,
    /// Also take URLs in which this regular expression is found (^ and $ anchor it)
    #[arg(long, value_name = "REGEX")]
    pub include: Vec<String>,
    /// Leave out URLs in which this regular expression is found
    #[arg(long, value_name = "REGEX")]
    pub exclude: Vec<String>,
    /// Follow links at most that many steps from a seed; embeds and redirects do not count
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// End after that many fetches
    #[arg(long, value_name = "N")]
    pub max_urls: Option<u64>,
    /// End after that many bytes, e.g. 2G
    #[arg(long, value_name = "SIZE", value_parser = human::bytes)]
    pub max_bytes: Option<u64>,
    /// End after that time, e.g. 90s, 15m or 2h
    #[arg(long, value_name = "TIME", value_parser = human::seconds)]
    pub max_time: Option<u64>,
    /// A fixed pause in seconds between two requests to one host [default: five times the last answer's time, 3 to 30 s]
    #[arg(long, value_name = "SECONDS", value_parser = human::pause_ms)]
    pub delay: Option<u64>,
    /// Requests to one host at a time [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub parallel: Option<u32>,
    /// Requests at a time in all [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=20_000))]
    pub workers: Option<u16>,
    /// Obey robots.txt, or fetch it and go on regardless
    #[arg(long, value_enum)]
    pub robots: Option<RobotsArg>,
    /// The User-Agent to send in place of ours
    #[arg(long, value_name = "TEXT")]
    pub user_agent: Option<String>,
    /// A page that tells site owners who crawls them; goes into the User-Agent
    #[arg(long, value_name = "URL")]
    pub contact: Option<String>,
    /// Ask this name server, e.g. 192.0.2.1:53
    #[arg(long, value_name = "ADDR")]
    pub resolver: Option<std::net::SocketAddr>,
    /// Fetch from private addresses in this range too, e.g. 10.0.0.0/8; seeds' own hosts are always allowed
    #[arg(long, value_name = "CIDR")]
    pub allow_address: Vec<AddressRange>,
    /// Pause while less than that is free on the disk [default: 512MB]
    #[arg(long, value_name = "SIZE", value_parser = human::bytes)]
    pub min_free: Option<u64>,
    /// Effort of compression: 0 (store) to 12 [default: 6]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=12))]
    pub gzip_level: Option<u8>,
}

/// What belongs to the crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ScopeArg {
    /// The seeds alone
    Page,
    /// Everything below a seed's last slash
    Prefix,
    /// The seeds' hosts
    Host,
    /// The seeds' registrable domains
    Domain,
    /// Anything
    Any,
}

impl From<ScopeArg> for ScopeKind {
    fn from(scope: ScopeArg) -> ScopeKind {
        match scope {
            ScopeArg::Page => ScopeKind::Page,
            ScopeArg::Prefix => ScopeKind::Prefix,
            ScopeArg::Host => ScopeKind::Host,
            ScopeArg::Domain => ScopeKind::Domain,
            ScopeArg::Any => ScopeKind::Any,
        }
    }
}

/// Where embeds may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum EmbedsArg {
    /// Any host
    Any,
    /// Only within the scope
    Scope,
}

impl From<EmbedsArg> for Embeds {
    fn from(embeds: EmbedsArg) -> Embeds {
        match embeds {
            EmbedsArg::Any => Embeds::Any,
            EmbedsArg::Scope => Embeds::Scope,
        }
    }
}

/// What robots.txt means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum RobotsArg {
    /// Its rules hold
    Obey,
    /// It is fetched and archived, no more
    Ignore,
}

impl From<RobotsArg> for RobotsPolicy {
    fn from(robots: RobotsArg) -> RobotsPolicy {
        match robots {
            RobotsArg::Obey => RobotsPolicy::Obey,
            RobotsArg::Ignore => RobotsPolicy::Ignore,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// When a seed, an option or the job file is wrong, or the folder cannot be used.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let job_file = job_file(&args)?;
    let seeds_text = seeds_text(&args)?;
    let seeds = crawl::check_seeds(&seeds_text).map_err(|error| UsageError(error.to_string()))?;
    crawl::check_job_file(&job_file).map_err(|error| UsageError(format!("{error:#}")))?;
    if job_file.crawl.contact.is_empty() && args.user_agent.is_none() {
        eprintln!("hint: name a page about your crawl with --contact URL, so that site owners can reach you");
    }
    let folder = args.job.clone().unwrap_or_else(|| default_folder(&seeds[0]));
    let job = JobDir::new(folder);
    live::create_and_run(&job, &job_file, &seeds_text)
}

/// The job file with the command line's options put in.
fn job_file(args: &Args) -> anyhow::Result<JobFile> {
    let mut file = match &args.config {
        None => JobFile::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
            JobFile::parse(&text).map_err(|error| UsageError(format!("{}, {error}", path.display())))?
        }
    };
    put(&mut file.scope.scope, args.scope.map(ScopeKind::from));
    put(&mut file.scope.embeds, args.embeds.map(Embeds::from));
    file.scope.include.extend(args.include.iter().cloned());
    file.scope.exclude.extend(args.exclude.iter().cloned());
    file.scope.link_hops_max = args.depth.or(file.scope.link_hops_max);
    put(&mut file.crawl.urls_max, args.max_urls);
    put(&mut file.crawl.bytes_max, args.max_bytes);
    put(&mut file.crawl.time_s_max, args.max_time);
    put(&mut file.crawl.workers, args.workers);
    put(&mut file.crawl.free_bytes_min, args.min_free);
    put(&mut file.crawl.contact, args.contact.clone());
    put(&mut file.crawl.resolver, args.resolver.map(|resolver| resolver.to_string()));
    file.frontier.politeness.fixed_delay_ms = args.delay.or(file.frontier.politeness.fixed_delay_ms);
    put(&mut file.frontier.in_flight_per_queue, args.parallel);
    put(&mut file.fetch.robots, args.robots.map(RobotsPolicy::from));
    put(&mut file.fetch.user_agent, args.user_agent.clone());
    file.fetch.allow_addresses.extend(args.allow_address.iter().copied());
    put(&mut file.archive.gzip_level, args.gzip_level);
    Ok(file)
}

fn put<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// The text of `seeds.txt`: the command line's seeds, then the file's lines.
fn seeds_text(args: &Args) -> anyhow::Result<String> {
    let mut text = String::new();
    for seed in &args.seeds {
        text.push_str(seed);
        text.push('\n');
    }
    if let Some(path) = args.seeds_file.as_ref().or(args.seeds_alias.as_ref()) {
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    Ok(text)
}

/// A file that was named on the command line and is not there.
fn unreadable(path: &Path, error: &std::io::Error) -> UsageError {
    UsageError(format!("read {}: {error}", path.display()))
}

/// `jobs/example.org-20261130180000`.
fn default_folder(first_seed: &str) -> PathBuf {
    let host = first_seed.split("://").nth(1).unwrap_or(first_seed);
    let host: String = host
        .chars()
        .take_while(|letter| !matches!(letter, '/' | '?' | '#'))
        .map(|letter| match letter {
            letter if letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-') => letter,
            _ => '_',
        })
        .collect();
    PathBuf::from("jobs").join(format!("{host}-{}", live::now_digits()))
}
