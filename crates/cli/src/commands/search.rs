//! `bequest search`: pages of a job by words.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use search::{Document, Hit, Query, SearchIndex};
use serde_json::{Value, json};

/// Search the pages of a job.
///
/// Words that must be there: +word. Words that must not: -word. "A phrase" in quotes. One site: site:example.org. Ends with
/// exit code 1 if nothing is found. A query that begins with a minus stands behind `--`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is looked for
    #[arg(required_unless_present = "queries")]
    pub words: Vec<String>,
    /// The job's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub job: Option<PathBuf>,
    /// Page of the result
    #[arg(long, default_value_t = 1)]
    pub page: u32,
    /// Hits on a page
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub per_page: u32,
    /// Show pages with the same content each
    #[arg(long)]
    pub duplicates: bool,
    /// Say for each hit how its score comes about
    #[arg(long)]
    pub explain: bool,
    /// Print a line of JSON a hit, after one of the whole
    #[arg(long)]
    pub json: bool,
    /// A search index outside a job
    #[arg(long, value_name = "DIR", conflicts_with = "job")]
    pub index: Option<PathBuf>,
    /// Run many queries, of lines {"qid", "text"}, for an evaluation
    #[arg(long, value_name = "FILE", requires = "trec", conflicts_with = "words")]
    pub queries: Option<PathBuf>,
    /// Hits a query in an evaluation
    #[arg(long, default_value_t = 100, requires = "queries")]
    pub k: u32,
    /// Print the run in TREC's form
    #[arg(long, requires = "queries")]
    pub trec: bool,
}

/// Runs the command.
///
/// # Errors
/// When there is no job, no index, or the index cannot be read.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let folder = match &args.index {
        Some(folder) => folder.clone(),
        None => replay::ArchiveFiles::of_job(&super::job::existing(args.job.clone())?).search_index(),
    };
    let index = SearchIndex::open(&folder)?;
    if let Some(queries) = &args.queries {
        evaluate(&index, queries, args.k)?;
        return Ok(ExitCode::SUCCESS);
    }
    let query = Query {
        words: args.words.join(" "),
        page: args.page,
        per_page: args.per_page,
        with_duplicates: args.duplicates,
        without_summaries: false,
    };
    let hits = index.search(&query)?;
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        writeln!(out, "{}", json!({ "query": query.words, "total": hits.total, "page": args.page.max(1) }))?;
    } else {
        let pages = if hits.total == 1 { "page" } else { "pages" };
        writeln!(out, "{} {pages}", hits.total)?;
    }
    let is_terminal = io::stdout().is_terminal();
    for hit in &hits.hits {
        if args.json {
            writeln!(out, "{}", hit_json(hit))?;
        } else {
            write_hit(&mut out, hit, is_terminal)?;
        }
        if args.explain {
            let explanation = index.explain(&query, &hit.url)?;
            write!(out, "{}", explanation.map(|explanation| explanation.to_string()).unwrap_or_default())?;
        }
    }
    out.flush()?;
    Ok(if hits.hits.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Writes a hit for a person: title, address, summary.
///
/// # Errors
/// When nobody takes the output.
pub fn write_hit(out: &mut impl Write, hit: &Hit, is_terminal: bool) -> io::Result<()> {
    let (before, after) = if is_terminal { ("\x1b[1m", "\x1b[0m") } else { ("[", "]") };
    let title = if hit.title.is_empty() { "(no title)" } else { &hit.title };
    let summary = hit.summary.with_marks("\u{1}", "\u{2}");
    // A page's text could hold a terminal's commands: only our own marks become any.
    let summary = printable(&summary).replace('\u{1}', before).replace('\u{2}', after);
    writeln!(
        out,
        "\n{}\n  {}  {}\n  {summary}",
        printable(title),
        printable(&hit.url),
        hit.date.iso_seconds()
    )
}

/// Without control characters, but for our two marks.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\u{1}' | '\u{2}')).collect()
}

fn hit_json(hit: &Hit) -> Value {
    json!({
        "url": hit.url, "title": hit.title, "summary": hit.summary.plain(), "marked": hit.summary.with_marks("[", "]"),
        "date": hit.date.iso_seconds(), "score": hit.score, "digest": hit.digest, "mime": hit.mime,
        "file": hit.file, "offset": hit.offset,
    })
}

/// Prints a run in TREC's form: query, Q0, document, rank, score, name.
fn evaluate(index: &SearchIndex, queries: &Path, k: u32) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(queries).with_context(|| format!("read {}", queries.display()))?;
    let mut out = BufWriter::new(io::stdout().lock());
    for row in rows(&text) {
        let row = row.with_context(|| format!("read {}", queries.display()))?;
        let query = Query {
            words: field(&row, "text"),
            page: 1,
            per_page: k,
            with_duplicates: true,
            without_summaries: true,
        };
        let id = field(&row, "qid");
        for (rank, hit) in index.search(&query)?.hits.iter().enumerate() {
            writeln!(out, "{id} Q0 {} {} {} bequest", hit.url, rank + 1, hit.score)?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Makes an index of documents given as lines {"id", "title", "text"}, for an evaluation.
#[derive(Debug, clap::Args)]
pub struct IndexArgs {
    /// The documents
    #[arg(long, value_name = "FILE")]
    pub docs: PathBuf,
    /// Folder of the new index
    #[arg(long, value_name = "DIR")]
    pub index: PathBuf,
}

/// Runs `bequest search-index`.
///
/// # Errors
/// When the documents cannot be read or the index not be written.
pub fn run_index(args: IndexArgs) -> anyhow::Result<ExitCode> {
    let shown = args.docs.display();
    let text = std::fs::read_to_string(&args.docs).with_context(|| format!("read {shown}"))?;
    let index = SearchIndex::create_or_open(&args.index)?;
    let mut writer = index.writer(Default::default())?;
    for row in rows(&text) {
        let row = row.with_context(|| format!("read {shown}"))?;
        let (title, text) = (field(&row, "title"), field(&row, "text"));
        // The collections repeat the title at the head of the text; pages as we read them do not.
        let body = text.strip_prefix(&title).unwrap_or(&text).to_owned();
        writer.add(&Document { url: field(&row, "id"), title, text: body, ..Document::default() })?;
    }
    writer.commit("")?;
    writer.finish()?;
    outln!("{} documents", index.n_documents()?);
    Ok(ExitCode::SUCCESS)
}

fn rows(text: &str) -> impl Iterator<Item = serde_json::Result<Value>> {
    text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str)
}

/// A field as text, also if it is a number.
fn field(row: &Value, name: &str) -> String {
    match &row[name] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
