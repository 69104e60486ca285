//! A job's folder (DESIGN: a job on disk) and who may work in it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::world::{Disk, FileLock, World};

/// Places in a job's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobDir {
    root: PathBuf,
}

/// Why a folder cannot be used as asked.
#[derive(Debug)]
pub enum JobError {
    /// It holds a job already.
    Exists(PathBuf),
    /// It holds no job.
    Missing(PathBuf),
    /// Another process works on it.
    Locked(PathBuf),
    /// The disk failed or refused.
    Disk(PathBuf, std::io::Error),
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JobError::Exists(path) => {
                let path = path.display();
                write!(f, "{path} holds a job already; go on with it by: bequest resume {path}")
            }
            JobError::Missing(path) => {
                write!(
                    f,
                    "{} holds no job (there is no job.toml in it); name one with --job DIR",
                    path.display()
                )
            }
            JobError::Locked(path) => {
                write!(
                    f,
                    "another process works on the job in {}; wait for it or stop it first",
                    path.display()
                )
            }
            JobError::Disk(path, error) => {
                write!(f, "cannot use {} as a job folder: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for JobError {}

impl JobDir {
    /// A folder, existing or not.
    pub fn new(root: impl Into<PathBuf>) -> JobDir {
        JobDir { root: root.into() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `job.toml`.
    pub fn job_file(&self) -> PathBuf {
        self.root.join("job.toml")
    }

    /// `seeds.txt`.
    pub fn seeds(&self) -> PathBuf {
        self.root.join("seeds.txt")
    }

    /// `job.log`.
    pub fn log(&self) -> PathBuf {
        self.root.join("job.log")
    }

    /// `state`.
    pub fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    /// `state/actions`: files from outside, taken over.
    pub fn actions(&self) -> PathBuf {
        self.state().join("actions")
    }

    /// `state/secret`: 32 hexadecimal digits.
    pub fn secret(&self) -> PathBuf {
        self.state().join("secret")
    }

    /// `state/journal`.
    pub fn journal(&self) -> PathBuf {
        self.state().join("journal")
    }

    /// `state/queues`: the frontier's files.
    pub fn queues(&self) -> PathBuf {
        self.state().join("queues")
    }

    /// `state/crawldb`.
    pub fn crawldb(&self) -> PathBuf {
        self.state().join("crawldb")
    }

    /// `state/scratch`: bodies under way; emptied at each start.
    pub fn scratch(&self) -> PathBuf {
        self.state().join("scratch")
    }

    /// `state/control.sock`.
    pub fn control_socket(&self) -> PathBuf {
        self.state().join("control.sock")
    }

    /// `index/cdxj`.
    pub fn cdxj(&self) -> PathBuf {
        self.root.join("index").join("cdxj")
    }

    /// `index/cdxj/current.cdxj`: lines in the order of commits.
    pub fn cdxj_current(&self) -> PathBuf {
        self.cdxj().join("current.cdxj")
    }

    /// A launch's folder.
    pub fn launch(&self, folder: &str) -> LaunchDir {
        LaunchDir { root: self.root.join(folder) }
    }

    /// Names of the launch folders, oldest first.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn launches(&self, disk: &dyn Disk) -> std::io::Result<Vec<String>> {
        let mut names = disk.list(&self.root)?;
        names.retain(|name| name.len() >= 14 && name.bytes().all(|byte| byte.is_ascii_digit()));
        Ok(names)
    }

    /// True if a job lies here.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn exists(&self, disk: &dyn Disk) -> std::io::Result<bool> {
        Ok(disk.len_of(&self.job_file())?.is_some())
    }

    /// Takes the folder for this process, until the lock is dropped.
    ///
    /// # Errors
    /// [`JobError::Locked`] if another process has it.
    pub fn lock(&self, disk: &Arc<dyn Disk>) -> Result<Box<dyn FileLock>, JobError> {
        let path = self.state().join("lock");
        disk.lock(&path)
            .map_err(|error| JobError::Disk(self.root.clone(), error))?
            .ok_or_else(|| JobError::Locked(self.root.clone()))
    }

    /// Makes a new job of the folder: its files are durable when this returns; `job.toml` comes last, so that a folder
    /// that a crash left half-made holds no job.
    ///
    /// # Errors
    /// [`JobError::Exists`] if it holds one, [`JobError::Disk`] if it cannot be written.
    pub fn create(&self, world: &World, job_text: &str, seeds_text: &str) -> Result<(), JobError> {
        let disk = &*world.disk;
        let at = |error| JobError::Disk(self.root.clone(), error);
        if self.exists(disk).map_err(at)? {
            return Err(JobError::Exists(self.root.clone()));
        }
        let secret = format!("{:016x}{:016x}\n", world.chance.bits(), world.chance.bits());
        self.create_files(disk, job_text, seeds_text, &secret).map_err(at)
    }

    fn create_files(
        &self,
        disk: &dyn Disk,
        job_text: &str,
        seeds_text: &str,
        secret: &str,
    ) -> std::io::Result<()> {
        for folder in
            [self.journal(), self.queues(), self.crawldb(), self.scratch(), self.actions(), self.cdxj()]
        {
            disk.create_dir_all(&folder)?;
        }
        for (path, text) in [(self.secret(), secret), (self.seeds(), seeds_text), (self.job_file(), job_text)]
        {
            write_durably(disk, &path, text.as_bytes())?;
        }
        Ok(())
    }
}

/// Writes a small file so that either all of it is there or what was before.
///
/// # Errors
/// When the disk fails.
pub fn write_durably(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = path.with_extension("tmp");
    if disk.len_of(&temporary)?.is_some() {
        disk.remove_file(&temporary)?;
    }
    let mut file = disk.create_new(&temporary)?;
    file.append(bytes)?;
    file.sync()?;
    drop(file);
    disk.replace(&temporary, path)?;
    disk.sync_dir(path.parent().expect("a file lies in a folder"))
}

/// Places in a launch's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchDir {
    root: PathBuf,
}

impl LaunchDir {
    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `warcs`.
    pub fn warcs(&self) -> PathBuf {
        self.root.join("warcs")
    }

    /// `logs`.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// `reports`.
    pub fn reports(&self) -> PathBuf {
        self.root.join("reports")
    }

    /// `logs/crawl.log`.
    pub fn crawl_log(&self) -> PathBuf {
        self.logs().join("crawl.log")
    }

    /// Creates the folders.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn create(&self, disk: &dyn Disk) -> std::io::Result<()> {
        for folder in [self.warcs(), self.logs(), self.reports()] {
            disk.create_dir_all(&folder)?;
        }
        Ok(())
    }
}
