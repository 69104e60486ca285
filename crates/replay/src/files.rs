//! Where a job's archive lies: `index/cdxj/*.cdxj`, and WARC files in the `warcs/` of any launch.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A WARC file of a job.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WarcFile {
    /// Its name as indexes give it: without `.open`.
    pub name: String,
    /// Where it is now.
    pub path: PathBuf,
    /// It is still being written: what lies behind the last committed record may go again.
    pub is_open: bool,
}

/// The files of a job that make up its archive. Looks at the folder each time it is asked, since a crawl may be running.
#[derive(Debug, Clone)]
pub struct ArchiveFiles {
    job: PathBuf,
}

/// Added to the name of a WARC file while it is written.
const OPEN: &str = ".open";

impl ArchiveFiles {
    /// Of the job in a folder.
    pub fn of_job(job: &Path) -> ArchiveFiles {
        ArchiveFiles { job: job.to_owned() }
    }

    /// True if the folder holds a job.
    pub fn is_job(folder: &Path) -> bool {
        folder.join("job.toml").is_file() || folder.join("index/cdxj").is_dir()
    }

    /// The folder of the search index.
    pub fn search_index(&self) -> PathBuf {
        self.job.join("index/search")
    }

    /// CDXJ files in the order of bytes.
    ///
    /// # Errors
    /// When the folder cannot be read; one that is not there holds none.
    pub fn sorted_cdxj(&self) -> io::Result<Vec<PathBuf>> {
        let live = self.live_cdxj();
        let is_cdxj = |path: &PathBuf| path.extension().is_some_and(|end| end == "cdxj" || end == "cdx");
        let mut paths = entries(&self.job.join("index/cdxj"))?;
        paths.retain(|path| is_cdxj(path) && *path != live);
        Ok(paths)
    }

    /// The CDXJ file that a crawl appends to, in the order of commits.
    pub fn live_cdxj(&self) -> PathBuf {
        self.job.join("index/cdxj/current.cdxj")
    }

    /// All WARC files, by name.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn warcs(&self) -> io::Result<Vec<WarcFile>> {
        let mut found = Vec::new();
        for folder in self.warc_folders()? {
            for path in entries(&folder)? {
                let Some(file_name) = path.file_name().and_then(|name| name.to_str()) else { continue };
                let name = file_name.strip_suffix(OPEN).unwrap_or(file_name).to_owned();
                if name.contains(".warc") || name.contains(".arc") {
                    found.push(WarcFile { is_open: file_name.ends_with(OPEN), name, path });
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Where the file of that name is; `None` if it was moved away.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn find(&self, name: &str) -> io::Result<Option<PathBuf>> {
        // A name comes from an index file: it must not lead anywhere else.
        if name.contains('/') || name.contains('\\') || name.starts_with('.') {
            return Ok(None);
        }
        for folder in self.warc_folders()? {
            for file_name in [name.to_owned(), format!("{name}{OPEN}")] {
                let path = folder.join(file_name);
                if path.is_file() {
                    return Ok(Some(path));
                }
            }
        }
        Ok(None)
    }

    /// `warcs/` of every launch, newest first, and of the job itself. `latest` is a link to one of them.
    fn warc_folders(&self) -> io::Result<Vec<PathBuf>> {
        let is_launch = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            name.len() >= 14 && name.bytes().all(|byte| byte.is_ascii_digit())
        };
        let mut folders: Vec<PathBuf> = entries(&self.job)?.into_iter().filter(is_launch).collect();
        folders.reverse();
        folders.push(self.job.clone());
        Ok(folders.into_iter().map(|folder| folder.join("warcs")).filter(|folder| folder.is_dir()).collect())
    }
}

/// What a folder holds, in the order of names; nothing if it is not there.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
