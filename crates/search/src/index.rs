//! The index in a folder: opening, searching, explaining.

use std::path::{Path, PathBuf};

use tantivy::directory::MmapDirectory;
use tantivy::{Index, IndexReader, ReloadPolicy};

use crate::schema::Fields;
use crate::{Explanation, Hits, Query, SearchError, SearchWriter, WriterOptions, explanation, hits, tokens};

/// An index in a folder. Cheap to clone; many may read while one writes.
#[derive(Clone)]
pub struct SearchIndex {
    pub(crate) index: Index,
    pub(crate) fields: Fields,
    reader: IndexReader,
}

impl SearchIndex {
    /// Opens the index in `folder`.
    ///
    /// # Errors
    /// `Absent` if there is none, `OtherVersion` if its fields differ, else as the disk says.
    pub fn open(folder: &Path) -> Result<SearchIndex, SearchError> {
        if !folder.join("meta.json").is_file() {
            return Err(SearchError::Absent(folder.to_owned()));
        }
        Self::of(Index::open_in_dir(folder)?, folder.to_owned())
    }

    /// Opens the index in `folder`, or makes an empty one (and the folder) if there is none.
    ///
    /// # Errors
    /// As for [`SearchIndex::open`]; `Folder` if the folder cannot be made.
    pub fn create_or_open(folder: &Path) -> Result<SearchIndex, SearchError> {
        if folder.join("meta.json").is_file() {
            return Self::open(folder);
        }
        std::fs::create_dir_all(folder).map_err(|error| SearchError::Folder(folder.to_owned(), error))?;
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let index = Index::create(directory, Fields::schema(), Default::default())?;
        Self::of(index, folder.to_owned())
    }

    /// An index in memory, for tests.
    ///
    /// # Errors
    /// None in practice.
    pub fn in_memory() -> Result<SearchIndex, SearchError> {
        Self::of(Index::create_in_ram(Fields::schema()), PathBuf::new())
    }

    fn of(index: Index, folder: PathBuf) -> Result<SearchIndex, SearchError> {
        let fields = Fields::of(&index.schema()).ok_or(SearchError::OtherVersion(folder))?;
        tokens::register(&index);
        // Reloaded at each search, which costs one small file read: hits are as fresh as the last commit, without a watcher.
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(SearchIndex { index, fields, reader })
    }

    /// The one writer of the index.
    ///
    /// # Errors
    /// `Busy` if there is another, in this process or elsewhere.
    pub fn writer(&self, options: WriterOptions) -> Result<SearchWriter, SearchError> {
        SearchWriter::new(self, options)
    }

    /// The text that the last commit carried; empty if none. Atomic with the documents of that commit.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn payload(&self) -> Result<String, SearchError> {
        Ok(self.index.load_metas()?.payload.unwrap_or_default())
    }

    /// Documents in the index as of the last commit, duplicates counted.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn n_documents(&self) -> Result<u64, SearchError> {
        self.reader.reload()?;
        Ok(self.reader.searcher().num_docs())
    }

    /// The best hits. Any text is a query: what makes no sense in it is taken as words.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn search(&self, query: &Query) -> Result<Hits, SearchError> {
        self.reader.reload()?;
        hits::search(&self.reader.searcher(), &self.fields, query)
    }

    /// How the score of `url` for the query comes about; `None` if the page is no hit.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn explain(&self, query: &Query, url: &str) -> Result<Option<Explanation>, SearchError> {
        self.reader.reload()?;
        explanation::explain(&self.reader.searcher(), &self.fields, query, url)
    }
}
