//! A table of keyed rows that outgrows memory: recent rows in a sorted map, older ones in sorted runs.
//!
//! Not durable by itself: what was put after the last [`Table::save`] is put again out of the journal. There is no
//! background thread: runs of about the same size are merged a few rows with each `put`, so that no call takes long and
//! the same calls always make the same files.

use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::world::Disk;
use serde::{Deserialize, Serialize};

use crate::run::{Cursor, Merge, Run, RunCursor, RunWriter, check_row};
use crate::{Error, NamedFile, Result};

/// Adjacent runs of about the same size that are merged into one.
const MERGE_RUNS: usize = 8;

/// Rows that a put merges on average. Every row is merged once a tier, and eight tiers of eight are 16 million memories.
const MERGED_ROWS_PER_PUT: usize = 8;

/// Puts after which merging goes on.
const PUTS_BETWEEN_MERGING: usize = 256;

/// With more runs (many saves and few puts) the least merge is ended at once.
const RUNS_MAX: usize = 64;

/// What a row costs in memory beyond its key and value, bytes (two boxes and its part of a tree node).
const ROW_OVERHEAD_BYTES: usize = 80;

/// Format of the section.
const VERSION: u32 = 1;

/// What is done with the key and value of each row, until it says false.
pub type EachRow<'a> = dyn FnMut(&[u8], &[u8]) -> Result<bool> + 'a;

/// Rows in memory; `None` is a tombstone.
type Memory = BTreeMap<Box<[u8]>, Option<Box<[u8]>>>;

/// Options of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableOptions {
    /// Rows in memory are written to a run when they take so many bytes.
    pub memory_bytes_max: usize,
}

impl Default for TableOptions {
    fn default() -> TableOptions {
        TableOptions { memory_bytes_max: 32 << 20 }
    }
}

/// Where a table lies.
#[derive(Debug, Clone)]
pub struct TablePlace {
    /// The folder that names in the manifest are relative to.
    pub root: PathBuf,
    /// The folder of its runs, relative to `root`. Several tables may share it.
    pub folder: PathBuf,
    /// What the names of its files begin with.
    pub name: String,
}

/// What a save leaves for the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The table's section.
    pub section: Vec<u8>,
    /// The files it speaks of; not yet synced.
    pub files: Vec<NamedFile>,
    /// Files that are being written for a later save, relative to the root: they stay while the table is open.
    pub unfinished: Vec<PathBuf>,
}

/// The section of a table in the manifest.
#[derive(Serialize, Deserialize)]
struct Section {
    version: u32,
    next_number: u64,
    /// Names of the runs, the oldest first.
    runs: Vec<String>,
}

/// A table of keyed rows.
pub struct Table {
    disk: Arc<dyn Disk>,
    place: TablePlace,
    options: TableOptions,
    memory: Memory,
    memory_bytes: usize,
    /// The oldest first.
    runs: Vec<Arc<Run>>,
    next_number: u64,
    /// In the order of their runs, which do not overlap.
    mergings: Vec<Merging>,
    puts_since_merging: usize,
    /// Files that a manifest may name: not ours to delete.
    saved: BTreeSet<PathBuf>,
}

/// A merge that goes on with each put.
struct Merging {
    /// The runs `first..end` are being merged.
    first: usize,
    end: usize,
    rows: Merge<RunCursor>,
    writer: RunWriter,
    /// Nothing older is below that a tombstone would have to hide.
    drops_tombstones: bool,
}

impl Table {
    /// Opens a table as it was saved; `None` for an empty one. Writes nothing, so that other processes may do it too.
    ///
    /// # Errors
    /// When a run is missing or corrupt.
    pub fn open(
        disk: Arc<dyn Disk>,
        place: TablePlace,
        options: TableOptions,
        section: Option<&[u8]>,
    ) -> Result<Table> {
        let folder = place.root.join(&place.folder);
        let section = match section {
            None => Section { version: VERSION, next_number: 1, runs: Vec::new() },
            Some(bytes) => read_section(bytes, &folder)?,
        };
        let mut runs = Vec::new();
        for name in &section.runs {
            runs.push(Arc::new(Run::open(&*disk, &folder.join(name))?));
        }
        let saved = runs.iter().map(|run| run.path().to_owned()).collect();
        Ok(Table {
            disk,
            place,
            options,
            memory: Memory::new(),
            memory_bytes: 0,
            runs,
            next_number: section.next_number,
            mergings: Vec::new(),
            puts_since_merging: 0,
            saved,
        })
    }

    /// The value of a key. At most one disk read a run, and few of those for a key that is not there.
    ///
    /// # Errors
    /// When a run cannot be read or is corrupt.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        if let Some(value) = self.memory.get(key) {
            return Ok(value.as_ref().map(|value| value.to_vec()));
        }
        for run in self.runs.iter().rev() {
            if let Some(value) = run.get(key)? {
                return Ok(value);
            }
        }
        Ok(None)
    }

    /// Sets the value of a key.
    ///
    /// # Errors
    /// [`Error::Limit`] for a row over [`crate::run::ROW_BYTES_MAX`]; when the disk fails.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.set(key, Some(value))
    }

    /// Removes a key, whether it is there or not.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.set(key, None)
    }

    fn set(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<()> {
        check_row(key, value)?;
        let added = value.map_or(0, <[u8]>::len);
        match self.memory.get_mut(key) {
            Some(place) => {
                self.memory_bytes -= place.as_ref().map_or(0, |old| old.len());
                *place = value.map(Into::into);
            }
            None => {
                self.memory_bytes += key.len() + ROW_OVERHEAD_BYTES;
                self.memory.insert(key.into(), value.map(Into::into));
            }
        }
        self.memory_bytes += added;
        self.puts_since_merging += 1;
        let is_full = self.memory_bytes >= self.options.memory_bytes_max;
        if is_full || self.puts_since_merging >= PUTS_BETWEEN_MERGING {
            let n_puts = std::mem::take(&mut self.puts_since_merging);
            self.merge_rows(n_puts * MERGED_ROWS_PER_PUT)?;
        }
        if is_full { self.write_memory() } else { Ok(()) }
    }

    /// Calls `each` with the rows whose keys begin with `prefix` and are not below `from`, in order, until it says false.
    ///
    /// # Errors
    /// When a run cannot be read or is corrupt; or as `each` says.
    pub fn scan(&self, prefix: &[u8], from: &[u8], each: &mut EachRow<'_>) -> Result<()> {
        let start = prefix.max(from);
        let mut cursors: Vec<Box<dyn Cursor + '_>> = vec![Box::new(MemoryCursor::new(&self.memory, start))];
        for run in self.runs.iter().rev() {
            cursors.push(Box::new(run.cursor(start)?));
        }
        let mut rows = Merge::new(cursors);
        while let Some(key) = rows.key().filter(|key| key.starts_with(prefix)) {
            if let Some(value) = rows.value()
                && !each(key, value)?
            {
                break;
            }
            rows.advance()?;
        }
        Ok(())
    }

    /// Writes what is in memory to a run and says what the manifest must name. Old files go when the manifest that
    /// does not name them is written.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn save(&mut self) -> Result<Saved> {
        self.write_memory()?;
        let mut names = Vec::new();
        let mut files = Vec::new();
        for run in &self.runs {
            let name = run.path().file_name().and_then(|name| name.to_str()).expect("we named it");
            files.push(NamedFile { path: self.place.folder.join(name), len: run.file_len() });
            names.push(name.to_owned());
        }
        self.saved = self.runs.iter().map(|run| run.path().to_owned()).collect();
        let section = Section { version: VERSION, next_number: self.next_number, runs: names };
        let section = postcard::to_stdvec(&section).expect("a section is plain data");
        let names = self.mergings.iter().filter_map(|merging| merging.writer.path().file_name());
        let unfinished = names.map(|name| self.place.folder.join(name)).collect();
        Ok(Saved { section, files, unfinished })
    }

    /// Bytes that the rows in memory take, about.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Number of runs and their bytes on disk.
    pub fn runs(&self) -> (usize, u64) {
        (self.runs.len(), self.runs.iter().map(|run| run.file_len()).sum())
    }

    fn write_memory(&mut self) -> Result<()> {
        if self.memory.is_empty() {
            return Ok(());
        }
        let mut writer = self.new_run(self.memory.len() as u64)?;
        for (key, value) in &self.memory {
            writer.push(key, value.as_deref())?;
        }
        let path = writer.path().to_owned();
        writer.finish()?;
        self.runs.push(Arc::new(Run::open(&*self.disk, &path)?));
        self.memory.clear();
        self.memory_bytes = 0;
        self.begin_merging()?;
        while self.runs.len() > RUNS_MAX && !self.mergings.is_empty() {
            self.merge_rows(PUTS_BETWEEN_MERGING)?;
        }
        Ok(())
    }

    /// Leftovers of a killed process may bear the next names.
    fn new_run(&mut self, rows_max: u64) -> Result<RunWriter> {
        let folder = self.place.root.join(&self.place.folder);
        self.disk.create_dir_all(&folder)?;
        loop {
            let path = folder.join(format!("{}-{:08}.run", self.place.name, self.next_number));
            self.next_number += 1;
            match RunWriter::create(&*self.disk, &path, rows_max) {
                Err(Error::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => return other,
            }
        }
    }

    /// Begins to merge every group of runs that is large enough and not being merged yet.
    fn begin_merging(&mut self) -> Result<()> {
        let tier = |run: &Arc<Run>| {
            let memories = run.file_len() / (self.options.memory_bytes_max as u64).max(1);
            memories.checked_ilog(MERGE_RUNS as u64).map_or(0, |tier| tier + 1)
        };
        let mut tiers: Vec<Option<u32>> = self.runs.iter().map(|run| Some(tier(run))).collect();
        for merging in &self.mergings {
            tiers[merging.first..merging.end].fill(None);
        }
        let mut first = 0;
        for group in tiers.chunk_by(|one, two| one == two) {
            let end = first + group.len();
            if group[0].is_some() && group.len() >= MERGE_RUNS {
                self.begin_merging_of(first, end)?;
            }
            first = end;
        }
        Ok(())
    }

    fn begin_merging_of(&mut self, first: usize, end: usize) -> Result<()> {
        let inputs = &self.runs[first..end];
        let cursors: Result<Vec<RunCursor>> = inputs.iter().rev().map(|run| run.cursor(&[])).collect();
        let rows = Merge::new(cursors?);
        let rows_max = inputs.iter().map(|run| run.len()).sum();
        let writer = self.new_run(rows_max)?;
        self.mergings.push(Merging { first, end, rows, writer, drops_tombstones: first == 0 });
        self.mergings.sort_by_key(|merging| merging.first);
        Ok(())
    }

    /// Goes on with the merges by so many rows, those of the newest runs first: they are the smallest and ready soon,
    /// while a large one may take millions of puts.
    fn merge_rows(&mut self, rows_max: usize) -> Result<()> {
        let mut rows_left = rows_max;
        while rows_left > 0
            && let Some(merging) = self.mergings.last_mut()
        {
            match merging.step()? {
                true => rows_left -= 1,
                false => self.end_merging()?,
            }
        }
        Ok(())
    }

    /// The newest merge has no more rows.
    fn end_merging(&mut self) -> Result<()> {
        let Some(merging) = self.mergings.pop() else { return Ok(()) };
        let path = merging.writer.path().to_owned();
        merging.writer.finish()?;
        let merged = Arc::new(Run::open(&*self.disk, &path)?);
        // Other merges are of older runs, whose places do not change.
        let old: Vec<Arc<Run>> = self.runs.splice(merging.first..merging.end, [merged]).collect();
        for run in old {
            if !self.saved.contains(run.path()) {
                self.disk.remove_file(run.path())?;
            }
        }
        self.begin_merging()
    }
}

impl Merging {
    /// Takes one row; false if there is none.
    fn step(&mut self) -> Result<bool> {
        let Some(key) = self.rows.key() else { return Ok(false) };
        let value = self.rows.value();
        if value.is_some() || !self.drops_tombstones {
            self.writer.push(key, value)?;
        }
        self.rows.advance()?;
        Ok(true)
    }
}

fn read_section(bytes: &[u8], folder: &Path) -> Result<Section> {
    let section: Section = postcard::from_bytes(bytes).map_err(|error| {
        Error::corrupt(folder, 0, format!("its section in the manifest is broken: {error}"))
    })?;
    if section.version > VERSION {
        return Err(Error::Newer { file: folder.to_owned(), version: section.version, known: VERSION });
    }
    Ok(section)
}

/// The rows in memory.
struct MemoryCursor<'a> {
    rest: btree_map::Range<'a, Box<[u8]>, Option<Box<[u8]>>>,
    current: Option<(&'a [u8], Option<&'a [u8]>)>,
}

impl<'a> MemoryCursor<'a> {
    fn new(memory: &'a Memory, from: &[u8]) -> MemoryCursor<'a> {
        let rest = memory.range::<[u8], _>((Bound::Included(from), Bound::Unbounded));
        let mut cursor = MemoryCursor { rest, current: None };
        cursor.step();
        cursor
    }

    fn step(&mut self) {
        self.current = self.rest.next().map(|(key, value)| (&**key, value.as_deref()));
    }
}

impl Cursor for MemoryCursor<'_> {
    fn key(&self) -> Option<&[u8]> {
        self.current.map(|(key, _)| key)
    }

    fn value(&self) -> Option<&[u8]> {
        self.current?.1
    }

    fn advance(&mut self) -> Result<()> {
        self.step();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testweb::disk::SimDisk;

    use crate::Manifest;

    fn place() -> TablePlace {
        TablePlace { root: "/job".into(), folder: "state/runs".into(), name: "urls".to_owned() }
    }

    fn open(disk: &SimDisk, section: Option<&[u8]>) -> Table {
        let options = TableOptions { memory_bytes_max: 2000 };
        Table::open(Arc::new(disk.clone()), place(), options, section).unwrap()
    }

    fn rows_of(table: &Table, prefix: &[u8], from: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut rows = Vec::new();
        let mut each = |key: &[u8], value: &[u8]| {
            rows.push((key.to_vec(), value.to_vec()));
            Ok(true)
        };
        table.scan(prefix, from, &mut each).unwrap();
        rows
    }

    #[derive(Debug, Clone)]
    enum Step {
        Put(u16, u8),
        Delete(u16),
        /// A manifest is written; files it does not name go.
        Save,
        /// The process ends: what was put after the last manifest is gone.
        Reopen,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            40 => (0u16..400, any::<u8>()).prop_map(|(key, value)| Step::Put(key, value)),
            10 => (0u16..400).prop_map(Step::Delete),
            1 => Just(Step::Save),
            1 => Just(Step::Reopen),
        ]
    }

    fn key(number: u16) -> Vec<u8> {
        format!("{:02}/{number}", number % 7).into_bytes()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn is_a_sorted_map(steps in prop::collection::vec(step(), 1..3000)) {
            let disk = SimDisk::new(1);
            disk.create_dir_all(Path::new("/job/state/runs")).unwrap();
            let mut manifest = Manifest::default();
            let mut table = open(&disk, None);
            let mut model = BTreeMap::new();
            let mut saved_model = BTreeMap::new();
            for step in steps {
                match step {
                    Step::Put(number, byte) => {
                        table.put(&key(number), &vec![byte; usize::from(byte)]).unwrap();
                        model.insert(key(number), vec![byte; usize::from(byte)]);
                    }
                    Step::Delete(number) => {
                        table.delete(&key(number)).unwrap();
                        model.remove(&key(number));
                    }
                    Step::Save => {
                        let saved = table.save().unwrap();
                        manifest.sequence += 1;
                        manifest.files = saved.files;
                        manifest.sections.insert("urls".to_owned(), saved.section);
                        manifest.write(&disk, Path::new("/job"), Path::new("/job/state/manifest")).unwrap();
                                                let folders = [Path::new("state/runs")];
                        manifest.delete_unnamed(&disk, Path::new("/job"), &folders, &saved.unfinished).unwrap();
                        saved_model = model.clone();
                    }
                    Step::Reopen => {
                        table = open(&disk, manifest.sections.get("urls").map(|section| &**section));
                        model = saved_model.clone();
                    }
                }
            }
            let all: Vec<_> = model.clone().into_iter().collect();
            prop_assert_eq!(rows_of(&table, b"", b""), all.clone());
            for number in 0..400 {
                prop_assert_eq!(table.get(&key(number)).unwrap(), model.get(&key(number)).cloned());
            }
            let from = key(200);
            let tail: Vec<_> = all.into_iter().filter(|(key, _)| key.starts_with(b"04") && *key >= from).collect();
            prop_assert_eq!(rows_of(&table, b"04", &from), tail);
            prop_assert!(table.runs().0 <= RUNS_MAX);
        }
    }
}
