//! The manifest: the names of all derived files, at one sequence number of the journal (rules 9 to 11).
//!
//! Each part of the engine keeps its own bytes in a section and its own files in the list; what they hold is its
//! business. Written whole and swapped in, never changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use model::planted::{Bug, is_planted};
use model::world::Disk;
use serde::{Deserialize, Serialize};

use crate::stream::{u32_at, u64_at};
use crate::{Error, Result};

/// The newest format that is read, and the one that is written.
pub const MANIFEST_VERSION: u32 = 1;

/// Largest manifest that is read, bytes: a broken length must not ask for more memory.
const MANIFEST_BYTES_MAX: u64 = 1 << 30;

const MAGIC: [u8; 8] = *b"BQMANIF\0";
/// magic, version u32, crc u32 of the rest, length u64.
const HEAD_BYTES: usize = 24;

/// A file that the manifest vouches for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NamedFile {
    /// Relative to the folder that holds the job.
    pub path: PathBuf,
    /// So many of its bytes count; logs may be longer.
    pub len: u64,
}

/// What is on disk as of one sequence number.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// All entries up to this one are in the sections and files.
    pub sequence: u64,
    /// A part's own state, by the part's name.
    pub sections: BTreeMap<String, Vec<u8>>,
    /// All files that the sections speak of.
    pub files: Vec<NamedFile>,
}

impl Manifest {
    /// Syncs every named file and its folder, then writes the manifest and swaps it in. `root` is the folder that the
    /// names are relative to. After an error the old or the new manifest is there: resume.
    ///
    /// # Errors
    /// When a named file is missing or shorter than named, or the disk fails.
    pub fn write(&self, disk: &dyn Disk, root: &Path, path: &Path) -> Result<()> {
        let mut folders = BTreeSet::new();
        for file in &self.files {
            let full = root.join(&file.path);
            check_len(disk, &full, file.len)?;
            disk.sync_file(&full)?;
            folders.insert(full.parent().unwrap_or(root).to_owned());
        }
        folders.iter().try_for_each(|folder| disk.sync_dir(folder))?;

        let body = postcard::to_stdvec(self).expect("a manifest is plain data");
        let mut bytes = Vec::with_capacity(HEAD_BYTES + body.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&MANIFEST_VERSION.to_le_bytes());
        bytes.extend_from_slice(&crc32c::crc32c(&body).to_le_bytes());
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&body);

        let temporary = path.with_extension("tmp");
        if disk.len_of(&temporary)?.is_some() {
            disk.remove_file(&temporary)?;
        }
        let mut file = disk.create_new(&temporary)?;
        file.append(&bytes)?;
        file.sync()?;
        disk.replace(&temporary, path)?;
        if !is_planted(Bug::ManifestFolderNotSynced) {
            disk.sync_dir(path.parent().unwrap_or(Path::new("")))?;
        }
        Ok(())
    }

    /// Reads the manifest; `None` if none was ever written. Sync its folder before, so that what is read stays.
    ///
    /// # Errors
    /// [`Error::Newer`], [`Error::Corrupt`]: a manifest is never torn by a crash.
    pub fn load(disk: &dyn Disk, path: &Path) -> Result<Option<Manifest>> {
        match disk.len_of(path)? {
            None => return Ok(None),
            Some(len) if len > MANIFEST_BYTES_MAX => return Err(Error::corrupt(path, 0, "it is too long")),
            Some(_) => {}
        }
        let bytes = match disk.read(path) {
            // Another process reads while it is swapped.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        if bytes.len() < HEAD_BYTES || bytes[..8] != MAGIC {
            return Err(Error::corrupt(path, 0, "it does not begin like a manifest"));
        }
        let version = u32_at(&bytes, 8);
        if version > MANIFEST_VERSION {
            return Err(Error::Newer { file: path.to_owned(), version, known: MANIFEST_VERSION });
        }
        let body = &bytes[HEAD_BYTES..];
        if u64_at(&bytes, 16) != body.len() as u64 || u32_at(&bytes, 12) != crc32c::crc32c(body) {
            return Err(Error::corrupt(path, HEAD_BYTES as u64, "its checksum differs"));
        }
        let manifest = postcard::from_bytes(body).map_err(|error| {
            Error::corrupt(path, HEAD_BYTES as u64, format!("it cannot be decoded: {error}"))
        })?;
        Ok(Some(manifest))
    }

    /// Checks that every named file is there and long enough.
    ///
    /// # Errors
    /// [`Error::Corrupt`] with the first one that is not.
    pub fn check_files(&self, disk: &dyn Disk, root: &Path) -> Result<()> {
        self.files.iter().try_for_each(|file| check_len(disk, &root.join(&file.path), file.len))
    }

    /// Deletes the files in these folders (relative to `root`, they hold only files) that are not named, and gives
    /// their paths. `keep` are files that are being written for the next manifest. Only after this one is durable.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn delete_unnamed(
        &self,
        disk: &dyn Disk,
        root: &Path,
        folders: &[&Path],
        keep: &[PathBuf],
    ) -> Result<Vec<PathBuf>> {
        let kept = keep.iter().map(|path| &**path);
        let named: BTreeSet<&Path> = self.files.iter().map(|file| &*file.path).chain(kept).collect();
        let mut deleted = Vec::new();
        for folder in folders {
            for name in disk.list(&root.join(folder))? {
                let path = folder.join(name);
                if !named.contains(&*path) {
                    disk.remove_file(&root.join(&path))?;
                    deleted.push(path);
                }
            }
        }
        Ok(deleted)
    }
}

fn check_len(disk: &dyn Disk, full: &Path, len: u64) -> Result<()> {
    match disk.len_of(full)? {
        None => Err(Error::corrupt(full, 0, "the manifest names it, but it is not there")),
        Some(found) if found < len => {
            Err(Error::corrupt(full, found, format!("it ends here, but the manifest counts {len} bytes")))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testweb::disk::SimDisk;

    const PATH: &str = "/job/state/manifest";

    fn manifest(sequence: u64, files: &[(&str, u64)]) -> Manifest {
        Manifest {
            sequence,
            sections: BTreeMap::from([("frontier".to_owned(), vec![1, 2, 3])]),
            files: files.iter().map(|(path, len)| NamedFile { path: path.into(), len: *len }).collect(),
        }
    }

    fn disk() -> SimDisk {
        let disk = SimDisk::recording(3);
        disk.create_dir_all(Path::new("/job/state/runs")).unwrap();
        disk
    }

    fn load(disk: &SimDisk) -> Result<Option<Manifest>> {
        Manifest::load(disk, Path::new(PATH))
    }

    fn write(manifest: &Manifest, disk: &SimDisk) -> Result<()> {
        manifest.write(disk, Path::new("/job"), Path::new(PATH))
    }

    #[test]
    fn a_power_cut_leaves_the_old_or_the_new_one_with_all_its_files() {
        let disk = disk();
        disk.create_new(Path::new("/job/state/runs/1")).unwrap().append(b"one").unwrap();
        write(&manifest(1, &[("state/runs/1", 3)]), &disk).unwrap();
        let first_done = disk.operations();
        disk.create_new(Path::new("/job/state/runs/2")).unwrap().append(b"two!").unwrap();
        write(&manifest(2, &[("state/runs/2", 4)]), &disk).unwrap();
        manifest(2, &[("state/runs/2", 4)])
            .delete_unnamed(&disk, Path::new("/job"), &[Path::new("state/runs")], &[])
            .unwrap();
        for operations in 0..=disk.operations() {
            for seed in 0..30 {
                let cut = disk.power_cut_at(operations, &mut fastrand::Rng::with_seed(seed));
                let found = load(&cut).unwrap();
                assert!(operations < first_done || found.is_some());
                assert!(operations < disk.operations() || found.as_ref().unwrap().sequence == 2);
                if let Some(found) = found {
                    found.check_files(&cut, Path::new("/job")).unwrap();
                }
            }
        }
        assert_eq!(disk.list(Path::new("/job/state/runs")).unwrap(), ["2"]);
    }

    #[test]
    fn any_flipped_byte_is_found() {
        let disk = disk();
        write(&manifest(1, &[]), &disk).unwrap();
        let whole = disk.read(Path::new(PATH)).unwrap();
        for (at, byte) in whole.iter().enumerate() {
            disk.corrupt(Path::new(PATH), at as u64, &[byte ^ 0x10]).unwrap();
            load(&disk).unwrap_err();
            disk.corrupt(Path::new(PATH), at as u64, &[*byte]).unwrap();
        }
        disk.corrupt(Path::new(PATH), 8, &2u32.to_le_bytes()).unwrap();
        assert!(matches!(load(&disk), Err(Error::Newer { version: 2, .. })));
    }

    #[test]
    fn a_missing_or_short_file_is_refused() {
        let disk = disk();
        assert_eq!(load(&disk).unwrap(), None);
        write(&manifest(1, &[("state/runs/1", 3)]), &disk).unwrap_err();
        disk.create_new(Path::new("/job/state/runs/1")).unwrap().append(b"on").unwrap();
        write(&manifest(1, &[("state/runs/1", 3)]), &disk).unwrap_err();
        write(&manifest(1, &[("state/runs/1", 2)]), &disk).unwrap();
    }
}
