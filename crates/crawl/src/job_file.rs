//! The job file `job.toml`: what the user wrote, with the words of the way as sections.
//!
//! Text and validated job are two types: [`JobFile`] is the text read, every key known; [`crate::Steps`] is made of it
//! and fails where a value cannot work.

use std::fmt;

use extract::ExtractOptions;
use fetch::FetchOptions;
use frontier::FrontierOptions;
use scope::ScopeOptions;
use serde::{Deserialize, Serialize};

/// A job file. Every key has a default, so that an empty file is a job; unknown keys are refused.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JobFile {
    /// The crawl as a whole: who, how much, how long.
    pub crawl: CrawlOptions,
    /// Which URLs belong to it.
    pub scope: ScopeOptions,
    /// Which URL next, and when.
    pub frontier: FrontierOptions,
    /// How requests are made.
    pub fetch: FetchOptions,
    /// Which links are found.
    pub extract: ExtractOptions,
    /// How captures are written.
    pub archive: ArchiveSection,
}

/// The crawl as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CrawlOptions {
    /// Name of the job, in reports and in `isPartOf` of warcinfo; empty for the folder's name.
    pub name: String,
    /// What it is for (warcinfo `description`).
    pub description: String,
    /// Who runs it (warcinfo `operator`).
    pub operator: String,
    /// A page that tells site owners who crawls them: part of the User-Agent (Heritrix `operatorContactUrl`).
    pub contact: String,
    /// URLs that are fetched at once, over all queues (Heritrix `maxToeThreads`).
    pub workers: u16,
    /// Fetches after which the crawl ends, prerequisites not counted; 0 for no limit.
    pub urls_max: u64,
    /// Bytes received after which the crawl ends; 0 for no limit.
    pub bytes_max: u64,
    /// Seconds of running after which the crawl ends; 0 for no limit.
    pub time_s_max: u64,
    /// The crawl pauses while less than that many bytes are free on the job's disk.
    pub free_bytes_min: u64,
    /// A redirect from a seed makes its target a seed, up to this many hops; 0 for never (Heritrix
    /// `seedsRedirectNewSeeds`, five hops).
    pub seed_redirect_hops_max: u32,
    /// Links of pages with a status below 200 or from 400 are followed too (Heritrix `processErrorOutlinks`).
    pub follow_links_of_errors: bool,
    /// Seed lines go along with everything found from them (Heritrix `sourceTagSeeds`).
    pub tag_sources: bool,
    /// Spellings of a URL that count as one: `keep-case` (nothing is lost) or `heritrix` (its six default rules).
    pub canonicalization: Canonicalization,
    /// Name servers are asked at this address and port; empty for the system's.
    pub resolver: String,
    /// Seconds between two manifests, so that a resume is short.
    pub manifest_interval_s: u64,
    /// The CPU time of each step is counted and stands in job.log at the end of a launch.
    pub measure_stages: bool,
}

/// Which spellings of a URL count as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Canonicalization {
    /// Only what cannot matter is folded.
    #[default]
    KeepCase,
    /// The six rules of Heritrix's default profile.
    Heritrix,
}

impl Default for CrawlOptions {
    fn default() -> CrawlOptions {
        CrawlOptions {
            name: String::new(),
            description: String::new(),
            operator: String::new(),
            contact: String::new(),
            workers: 100,
            urls_max: 0,
            bytes_max: 0,
            time_s_max: 0,
            free_bytes_min: 512 << 20,
            // Heritrix default, CandidatesProcessor.
            seed_redirect_hops_max: 5,
            follow_links_of_errors: false,
            tag_sources: false,
            canonicalization: Canonicalization::default(),
            resolver: String::new(),
            manifest_interval_s: 600,
            measure_stages: false,
        }
    }
}

/// How captures are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ArchiveSection {
    /// First part of WARC file names (Heritrix `prefix`).
    pub prefix: String,
    /// Template of WARC file names (Heritrix `template`).
    pub template: String,
    /// 1 to 12: effort of compression; 0: gzip members that only store.
    pub gzip_level: u8,
    /// Each record a gzip member (`.warc.gz`); else plain files.
    pub compress: bool,
    /// A file longer than this many bytes is left for a new one before the next capture.
    pub file_bytes_max: u64,
    /// A body of at least this many bytes gets a file of its own.
    pub own_file_bytes_min: u64,
    /// DNS answers as `response` records, as Heritrix writes them.
    pub dns_as_response: bool,
    /// Write request records.
    pub requests: bool,
    /// Write metadata records.
    pub metadata: bool,
}

impl Default for ArchiveSection {
    fn default() -> ArchiveSection {
        let defaults = archive::ArchiveOptions::new("");
        ArchiveSection {
            prefix: defaults.prefix,
            template: defaults.template,
            gzip_level: 6,
            compress: true,
            file_bytes_max: defaults.file_bytes_max,
            own_file_bytes_min: defaults.own_file_bytes_min,
            dns_as_response: defaults.dns_as_response,
            requests: defaults.write_requests,
            metadata: defaults.write_metadata,
        }
    }
}

/// What is wrong in a job file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFileError {
    /// Line, from 1; 0 if unknown.
    pub line: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for JobFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for JobFileError {}

impl JobFile {
    /// Reads the text of a job file.
    ///
    /// # Errors
    /// Unknown keys (with the nearest right one), values of the wrong type, and what is no TOML: each with its line.
    pub fn parse(text: &str) -> Result<JobFile, JobFileError> {
        toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text[..offset].matches('\n').count() + 1;
            JobFileError { line, message: with_nearest_key(error.message()) }
        })
    }

    /// The whole effective configuration as text.
    pub fn to_text(&self) -> String {
        toml::to_string(self).expect("plain tables of plain values")
    }
}

/// Adds the nearest right key to serde's list of all possible ones.
fn with_nearest_key(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let is_unknown_key = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let (Some(wrong), true) = (quoted.next(), is_unknown_key) else {
        return message.trim_end().replace('\n', ": ");
    };
    let what = if message.starts_with("unknown field") { "key" } else { "value" };
    match quoted.min_by_key(|right| distance(wrong, right)) {
        Some(nearest) => format!("unknown {what} `{wrong}`; did you mean `{nearest}`?"),
        None => format!("unknown {what} `{wrong}`"),
    }
}

/// Edit distance (Levenshtein) of two short texts.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, left_letter) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right_letter) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(left_letter != *right_letter);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let job = JobFile::default();
        assert_eq!(JobFile::parse(&job.to_text()).unwrap(), job);
        assert_eq!(JobFile::parse("").unwrap(), job);
    }

    #[test]
    fn wrong_keys_are_named_with_line_and_nearest() {
        let check = |text: &str, line: usize, nearest: &str| {
            let error = JobFile::parse(text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(nearest), "{error}");
        };
        check("[crawl]\n\nwerkers = 3\n", 3, "did you mean `workers`");
        check("[scoop]\n", 1, "did you mean `scope`");
        check("[crawl]\ncanonicalization = \"heretrix\"\n", 2, "did you mean `heritrix`");
        check("[crawl]\nworkers = \"many\"\n", 2, "invalid type");
        check("[crawl\n", 1, "");
    }
}
