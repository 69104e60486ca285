//! What a job is made of besides its file: the built-in rules, extractors and record makers, and those of crates outside.

use std::sync::Arc;

use archive::RecordMaker;
use extract::Extractor;
use scope::DecideRule;

/// Makes a thing anew for each launch.
type Make<T> = Arc<dyn Fn() -> Box<T> + Send + Sync>;

/// The built-in things and those that were added.
///
/// ```
/// use bequest_crawl::Registry;
/// let registry = Registry::builtin();
/// # let _ = registry;
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    pub(crate) rules: Vec<Make<dyn DecideRule>>,
    pub(crate) extractors: Vec<Make<dyn Extractor>>,
    pub(crate) record_makers: Vec<Make<dyn RecordMaker>>,
}

impl Registry {
    /// What comes with the program.
    pub fn builtin() -> Registry {
        Registry::default()
    }

    /// Adds a decide rule behind those of the job file: its answer, where it has one, is the last word but for
    /// prerequisites and schemes.
    #[must_use]
    pub fn with_rule(mut self, make: impl Fn() -> Box<dyn DecideRule> + Send + Sync + 'static) -> Registry {
        self.rules.push(Arc::new(make));
        self
    }

    /// Adds an extractor before the built-in ones, behind those added earlier.
    #[must_use]
    pub fn with_extractor(
        mut self,
        make: impl Fn() -> Box<dyn Extractor> + Send + Sync + 'static,
    ) -> Registry {
        self.extractors.push(Arc::new(make));
        self
    }

    /// Adds a maker of records: what it drafts is written to the WARC file in the group of its capture.
    #[must_use]
    pub fn with_record_maker(
        mut self,
        make: impl Fn() -> Box<dyn RecordMaker> + Send + Sync + 'static,
    ) -> Registry {
        self.record_makers.push(Arc::new(make));
        self
    }
}
