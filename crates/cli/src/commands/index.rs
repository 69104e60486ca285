//! `bequest index`: a job made searchable; or the CDX lines of WARC files.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use index::{Applied, Page, PageChange, PageOptions};
use replay::{Replay, WarcFile};
use search::{Document, SearchIndex, SearchWriter};

/// Make a job searchable, or print the CDX lines of WARC files.
///
/// Without FILE the pages of the job that are not yet in its search index are added; what was there already costs nothing,
/// and a run that was stopped goes on where it was. Also works while the job runs. With FILE and --format the sorted lines of
/// these files are printed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The job's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// Build the search index anew
    #[arg(long)]
    pub rebuild: bool,
    /// Take pages that ask not to be found (noindex), too
    #[arg(long)]
    pub ignore_noindex: bool,
    /// Form of the lines printed
    #[arg(long, value_enum, requires = "files", conflicts_with_all = ["job", "rebuild", "ignore_noindex"])]
    pub format: Option<Format>,
    /// WARC files whose lines are printed
    #[arg(value_name = "FILE", requires = "format")]
    pub files: Vec<PathBuf>,
}

/// Form of index lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Key, time, JSON
    Cdxj,
    /// Eleven fields: N b a m s k r M S V g
    Cdx11,
}

/// Bytes of WARC files between two commits of the index.
const COMMIT_EVERY_BYTES: u64 = 1 << 30;

/// What an indexing run did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Indexed {
    /// Pages added or replaced.
    pub n_put: u64,
    /// URLs whose page was taken out, or was never in.
    pub n_removed: u64,
    /// Pages in the index now.
    pub n_pages: u64,
}

/// Runs the command.
///
/// # Errors
/// When the folder holds no job, another process writes the index, or a file cannot be read.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let Some(format) = args.format {
        print_lines(format, &args.files)?;
        return Ok(ExitCode::SUCCESS);
    }
    let job = super::job::existing(args.job)?;
    if args.rebuild {
        let folder = replay::ArchiveFiles::of_job(&job).search_index();
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("remove {}", folder.display()));
            }
            _ => {}
        }
    }
    let indexed = index_job(&job, PageOptions { ignore_noindex: args.ignore_noindex })?;
    let Indexed { n_put, n_removed, n_pages } = indexed;
    outln!("{n_put} pages added, {n_removed} URLs that are no pages; {n_pages} pages can be searched");
    Ok(ExitCode::SUCCESS)
}

/// Adds to a job's search index what its WARC files have more.
///
/// # Errors
/// When another process writes the index, or a file cannot be read.
pub fn index_job(job: &Path, options: PageOptions) -> anyhow::Result<Indexed> {
    let replay = Replay::open(job);
    let folder = replay.files().search_index();
    let index = SearchIndex::create_or_open(&folder)?;
    let mut applied = Applied::parse(&index.payload()?).with_context(|| {
        format!("{} was written by another version; build it anew with --rebuild", folder.display())
    })?;
    let mut writer = index.writer(Default::default())?;
    let mut indexed = Indexed::default();
    let mut uncommitted_bytes = 0;
    for warc in replay.files().warcs()? {
        // What lies behind the last committed record of a file that is being written may be taken back by a resume.
        let end = if warc.is_open { Some(replay.committed_through(&warc.name)?.unwrap_or(0)) } else { None };
        let from = applied.through(&warc.name);
        let through = add_file(&warc, from, end, options, &mut writer, &mut indexed)
            .with_context(|| format!("read {}", warc.path.display()))?;
        applied.set(&warc.name, through);
        uncommitted_bytes += through - from;
        if uncommitted_bytes >= COMMIT_EVERY_BYTES {
            writer.commit(&applied.to_text())?;
            uncommitted_bytes = 0;
        }
    }
    if uncommitted_bytes > 0 {
        writer.commit(&applied.to_text())?;
    }
    writer.finish()?;
    indexed.n_pages = index.n_documents()?;
    Ok(indexed)
}

fn add_file(
    warc: &WarcFile,
    from: u64,
    end: Option<u64>,
    options: PageOptions,
    writer: &mut SearchWriter,
    indexed: &mut Indexed,
) -> anyhow::Result<u64> {
    let mut file = File::open(&warc.path)?;
    if from >= file.metadata()?.len() {
        return Ok(from);
    }
    file.seek(SeekFrom::Start(from))?;
    let report = index::read_pages(file, from, end, options, |change| {
        match change {
            PageChange::Put(page) => {
                indexed.n_put += 1;
                writer.add(&document(page, &warc.name)).map_err(io::Error::other)?;
            }
            PageChange::Remove { url } => {
                indexed.n_removed += 1;
                writer.delete(&url);
            }
        }
        Ok(())
    })?;
    for problem in report.problems {
        eprintln!("{}: {problem}", warc.path.display());
    }
    Ok(report.through)
}

fn document(page: Page, file: &str) -> Document {
    Document {
        url: page.url,
        title: page.title,
        text: page.text,
        host: page.host,
        date: page.date,
        digest: page.digest,
        mime: page.mime,
        file: file.to_owned(),
        offset: page.offset,
    }
}

/// Lines of many files are sorted in runs of this size, in bytes.
const SORT_RUN_BYTES: usize = 64 << 20;

fn print_lines(format: Format, files: &[PathBuf]) -> anyhow::Result<()> {
    let unsorted = scratch()?;
    let mut lines = BufWriter::new(unsorted);
    for path in files {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.strip_suffix(".open").unwrap_or(&name).to_owned();
        let mut text = String::new();
        let file = File::open(path).with_context(|| format!("read {}", path.display()))?;
        let problems = cdxj::lines_of_warc(file, &name, |line| {
            text.clear();
            match format {
                Format::Cdxj => line.write_cdxj(&mut text),
                Format::Cdx11 => line.write_cdx11(&mut text),
            }
            lines.write_all(text.as_bytes())
        });
        for problem in problems.with_context(|| format!("read {}", path.display()))? {
            eprintln!("{}: {problem}", path.display());
        }
    }
    let mut unsorted = lines.into_inner().map_err(|error| error.into_error())?;
    unsorted.seek(SeekFrom::Start(0))?;
    let mut out = BufWriter::new(io::stdout().lock());
    if format == Format::Cdx11 {
        writeln!(out, "{}", cdxj::CDX11_HEADER)?;
    }
    cdxj::sort(io::BufReader::new(unsorted), &mut out, SORT_RUN_BYTES, scratch)?;
    out.flush()?;
    Ok(())
}

/// A file of no name in the system's folder for such.
fn scratch() -> io::Result<File> {
    tempfile::tempfile()
}
