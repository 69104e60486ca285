//! How a score comes about: which word in which field adds how much.

use std::fmt;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Query as EngineQuery, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{Searcher, Term};

use crate::clauses::Clauses;
use crate::schema::Fields;
use crate::{Query, SearchError};

/// How the score of a hit comes about.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// As the search gives it: the sum of the parts.
    pub score: f32,
    /// What adds to it, in the order of the query.
    pub parts: Vec<ExplainedPart>,
}

/// A word or phrase found in a field.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedPart {
    /// As in the query.
    pub words: String,
    /// `text` (title included), `title`, `host` or `url`.
    pub field: &'static str,
    /// What it adds: BM25, times the field's weight.
    pub score: f32,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "score {:.3}", self.score)?;
        for part in &self.parts {
            writeln!(f, "  {:>8.3}  {} in {}", part.score, part.words, part.field)?;
        }
        Ok(())
    }
}

pub(crate) fn explain(
    searcher: &Searcher,
    fields: &Fields,
    query: &Query,
    url: &str,
) -> Result<Option<Explanation>, SearchError> {
    let clauses = Clauses::parse(&query.words);
    let url = Term::from_field_text(fields.url, url);
    for attempt in clauses.attempts(fields) {
        let Some(score) = score_of(searcher, attempt, &url)? else { continue };
        let mut parts = Vec::new();
        for (words, field, part) in clauses.parts(fields) {
            if let Some(score) = score_of(searcher, part, &url)? {
                parts.push(ExplainedPart { words, field, score });
            }
        }
        return Ok(Some(Explanation { score, parts }));
    }
    Ok(None)
}

/// What the document of a URL scores; `None` if it does not match. The engine's own explanation panics, in builds with
/// assertions, for parts that do not match, so each part is searched for by itself.
fn score_of(
    searcher: &Searcher,
    query: Box<dyn EngineQuery>,
    url: &Term,
) -> Result<Option<f32>, SearchError> {
    let is_it = TermQuery::new(url.clone(), IndexRecordOption::Basic);
    let both = BooleanQuery::intersection(vec![query, Box::new(ConstScoreQuery::new(Box::new(is_it), 0.0))]);
    let found = searcher.search(&both, &TopDocs::with_limit(1).order_by_score())?;
    Ok(found.first().map(|(score, _)| *score))
}
