//! Adding and removing documents.

use tantivy::{IndexWriter, Term};

use crate::{Document, SearchError, SearchIndex};

/// How much the writer may use.
#[derive(Debug, Clone, Copy)]
pub struct WriterOptions {
    /// Threads that build the index; 1 to 8.
    pub n_threads: usize,
    /// Memory of all threads together, in bytes; at least 15 MB a thread is taken.
    pub memory_bytes_max: usize,
}

impl Default for WriterOptions {
    /// Two threads and 64 MB: indexing goes on beside a crawl.
    fn default() -> Self {
        WriterOptions { n_threads: 2, memory_bytes_max: 64 << 20 }
    }
}

/// The one writer of an index. What is not committed when it is dropped is lost, and nothing else.
pub struct SearchWriter {
    writer: IndexWriter,
    fields: crate::schema::Fields,
}

impl SearchWriter {
    pub(crate) fn new(index: &SearchIndex, options: WriterOptions) -> Result<SearchWriter, SearchError> {
        let n_threads = options.n_threads.clamp(1, 8);
        // tantivy refuses less than 15 MB a thread.
        let memory_bytes = options.memory_bytes_max.max(n_threads * 15_000_000);
        let writer = index.index.writer_with_num_threads(n_threads, memory_bytes)?;
        Ok(SearchWriter { writer, fields: index.fields })
    }

    /// Adds a document in place of an earlier one of its URL. Seen by searches after the next commit.
    ///
    /// # Errors
    /// When an indexing thread has died, e.g. of a full disk: the writer is of no more use.
    pub fn add(&mut self, document: &Document) -> Result<(), SearchError> {
        self.delete(&document.url);
        self.writer.add_document(self.fields.encode(document))?;
        Ok(())
    }

    /// Removes the document of a URL, if there is one.
    pub fn delete(&mut self, url: &str) {
        self.writer.delete_term(Term::from_field_text(self.fields.url, url));
    }

    /// Makes everything since the last commit durable and visible, together with `payload` (e.g. how far a source was read).
    ///
    /// # Errors
    /// As the disk says; the index stays as it was.
    pub fn commit(&mut self, payload: &str) -> Result<(), SearchError> {
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(payload);
        prepared.commit()?;
        Ok(())
    }

    /// Waits for merges that run in the background, so that the process may end without losing their work.
    ///
    /// # Errors
    /// When a merge failed; the committed documents are whole all the same.
    pub fn finish(self) -> Result<(), SearchError> {
        Ok(self.writer.wait_merging_threads()?)
    }
}
