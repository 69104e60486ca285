//! Running a query: the best pages, each payload once, with summaries.

use model::WallMs;
use tantivy::{Searcher, TantivyDocument};

use crate::clauses::Clauses;
use crate::distinct::{Distinct, Found};
use crate::schema::Fields;
use crate::{Query, SearchError, Summary};

/// One page of a search's result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hits {
    /// Pages that match, duplicates left out. Beyond a million it may count a duplicate twice.
    pub total: u64,
    /// Those of the wanted page, best first.
    pub hits: Vec<Hit>,
}

/// A page that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// As captured.
    pub url: String,
    /// Of the page; empty if it has none.
    pub title: String,
    /// The best piece of its text; empty if not asked for.
    pub summary: Summary,
    /// When it was captured.
    pub date: WallMs,
    /// BM25 over the fields, boosted; only comparable within one search.
    pub score: f32,
    /// Payload digest as CDX files write it.
    pub digest: String,
    /// Media type.
    pub mime: String,
    /// Name of the WARC file, without folder and without `.open`.
    pub file: String,
    /// First byte of the record in that file.
    pub offset: u64,
}

pub(crate) fn search(searcher: &Searcher, fields: &Fields, query: &Query) -> Result<Hits, SearchError> {
    let clauses = Clauses::parse(&query.words);
    let (skipped, wanted) = query.window();
    let collector = Distinct { best_max: skipped + wanted, with_duplicates: query.with_duplicates };
    let mut found = Found::default();
    for attempt in clauses.attempts(fields) {
        found = searcher.search(&*attempt, &collector)?;
        if found.total > 0 {
            break;
        }
    }
    let marked = clauses.marked_terms();
    let mut hits = Vec::new();
    for (score, address) in found.best.into_iter().skip(skipped).take(wanted) {
        let document = fields.decode(&searcher.doc::<TantivyDocument>(address)?);
        let summary = match query.without_summaries {
            true => Summary::default(),
            false => Summary::of(&document.text, &marked),
        };
        hits.push(Hit {
            url: document.url,
            title: document.title,
            summary,
            date: document.date,
            score,
            digest: document.digest,
            mime: document.mime,
            file: document.file,
            offset: document.offset,
        });
    }
    Ok(Hits { total: found.total, hits })
}
