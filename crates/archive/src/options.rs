//! How records are made and files named: defaults as Heritrix's, where it has such a setting.

use std::path::PathBuf;

/// How records are made and files written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveOptions {
    /// The folder of this launch's WARC files; must exist.
    pub warcs_dir: PathBuf,
    /// First token of file names (Heritrix `prefix`).
    pub prefix: String,
    /// Template of file names without ending (Heritrix `template`); tokens: see [`crate::WarcNames`].
    pub template: String,
    /// Value of the tokens `${pid}` and `${heritrix.pid}`.
    pub pid: u32,
    /// Value of the tokens `${hostname}` and `${heritrix.hostname}`.
    pub hostname: String,
    /// Value of the tokens `${port}` and `${heritrix.port}`.
    pub port: u16,
    /// 1 to 12: a gzip member a record, `.warc.gz`. 0: members that only store. `None`: no gzip at all, `.warc`.
    pub gzip_level: Option<u8>,
    /// Bodies of media types that do not compress are only stored in their gzip member.
    pub store_incompressible: bool,
    /// Before a capture a file that is longer than this is left for a new one. Bytes; a file overshoots by at most one
    /// group of records (Heritrix `maxFileSizeBytes`).
    pub file_bytes_max: u64,
    /// A body of at least that many bytes gets a WARC file of its own, so that nobody waits for it.
    pub own_file_bytes_min: u64,
    /// DNS answers as `response` records as Heritrix writes them, instead of `resource`.
    pub dns_as_response: bool,
    /// Write `request` records.
    pub write_requests: bool,
    /// Write `metadata` records.
    pub write_metadata: bool,
    /// Outlinks in one metadata record at most; what is beyond is counted in a line of its own.
    pub metadata_outlinks_max: usize,
    /// What the first record of each file says.
    pub warcinfo: Warcinfo,
}

/// What the first record of each file says; `None` leaves the line out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Warcinfo {
    /// Program, version and address.
    pub software: String,
    /// Address of the crawling machine.
    pub ip: Option<String>,
    /// Its name.
    pub hostname: Option<String>,
    /// Who runs it.
    pub operator: Option<String>,
    /// For whom.
    pub publisher: Option<String>,
    /// Who may read it.
    pub audience: Option<String>,
    /// Name of the job.
    pub is_part_of: Option<String>,
    /// What the job is for.
    pub description: Option<String>,
    /// The robots policy, e.g. `obey`.
    pub robots: Option<String>,
    /// User-Agent that is sent.
    pub user_agent: Option<String>,
    /// From that is sent.
    pub from: Option<String>,
    /// Further lines, label and value.
    pub more: Vec<(String, String)>,
}

impl ArchiveOptions {
    /// The defaults, for a folder.
    pub fn new(warcs_dir: impl Into<PathBuf>) -> ArchiveOptions {
        ArchiveOptions {
            warcs_dir: warcs_dir.into(),
            prefix: "WEB".to_owned(),
            // Heritrix 3, WriterPoolProcessor.
            template: "${prefix}-${timestamp17}-${serialno}-${pid}~${hostname}~${port}".to_owned(),
            pid: 0,
            hostname: "localhost".to_owned(),
            port: 0,
            gzip_level: Some(6),
            store_incompressible: true,
            // Heritrix 3, WriterPoolProcessor.
            file_bytes_max: 1_000_000_000,
            own_file_bytes_min: 256 << 20,
            dns_as_response: false,
            write_requests: true,
            write_metadata: true,
            metadata_outlinks_max: 20_000,
            warcinfo: Warcinfo {
                software: concat!("bequest/", env!("CARGO_PKG_VERSION")).to_owned(),
                ..Warcinfo::default()
            },
        }
    }
}
