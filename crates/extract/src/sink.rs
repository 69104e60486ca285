//! Where extractors put what they find: repeats left out, limits kept.

use std::borrow::Cow;
use std::collections::HashSet;

use model::{Extraction, Hop, Outlink, Problem};
use robots::PageRobots;
use surt::CanonicalUrl;

use crate::{Base, ExtractOptions, Unresolved};

/// Bytes of the text that a problem quotes.
const QUOTE_BYTES_MAX: usize = 200;

/// Collects the links, annotations and problems of one payload.
pub struct Sink {
    pub(crate) extraction: Extraction,
    seen: HashSet<(CanonicalUrl, Hop)>,
    extractor: &'static str,
    outlinks_max: usize,
    problems_max: usize,
}

impl Sink {
    pub(crate) fn new(options: &ExtractOptions) -> Sink {
        Sink {
            extraction: Extraction::default(),
            seen: HashSet::new(),
            extractor: "",
            outlinks_max: options.outlinks_max,
            problems_max: options.problems_max,
        }
    }

    /// From here on problems are this extractor's.
    pub(crate) fn begin(&mut self, extractor: &'static str) {
        self.extractor = extractor;
        self.extraction.extractors.push(extractor);
    }

    /// Adds a link unless it was found before with the same hop. Beyond the limit it is counted only.
    pub fn link(&mut self, url: CanonicalUrl, hop: Hop, context: impl Into<Cow<'static, str>>) {
        self.push(Outlink { url, hop, context: context.into(), is_sitemap: false }, self.outlinks_max);
    }

    /// Adds a link of a list with a limit of its own (sitemaps).
    pub(crate) fn push(&mut self, outlink: Outlink, outlinks_max: usize) {
        // Beyond the limit repeats are not told apart: that would need memory without bound.
        if self.extraction.outlinks.len() >= outlinks_max {
            self.extraction.outlinks_dropped += 1;
        } else if self.seen.insert((outlink.url.clone(), outlink.hop)) {
            self.extraction.outlinks.push(outlink);
        }
    }

    /// Resolves a reference and adds it. Schemes that no crawler fetches are left out silently, what cannot be parsed is
    /// listed as a problem.
    pub fn reference(
        &mut self,
        base: &Base,
        reference: &str,
        hop: Hop,
        context: impl Into<Cow<'static, str>>,
    ) {
        match base.resolve(reference) {
            Ok(url) => self.link(url, hop, context),
            Err(reason) => self.unresolved(reason, reference),
        }
    }

    pub(crate) fn unresolved(&mut self, reason: Unresolved, reference: &str) {
        let message = match reason {
            Unresolved::Empty | Unresolved::Scheme => return,
            Unresolved::Template => "template text in place of a URL".to_owned(),
            Unresolved::Malformed(error) => error.to_string(),
        };
        self.problem(Problem { extractor: self.extractor, message, text: reference.to_owned() });
    }

    /// Adds what a page asks of robots.
    pub(crate) fn robots(&mut self, asked: PageRobots) {
        let meta = &mut self.extraction.robots_meta;
        meta.nofollow |= asked.nofollow;
        meta.noindex |= asked.noindex;
        meta.noarchive |= asked.noarchive;
    }

    /// Adds an annotation for crawl.log, once.
    pub fn annotate(&mut self, annotation: String) {
        if !self.extraction.annotations.contains(&annotation) {
            self.extraction.annotations.push(annotation);
        }
    }

    /// Lists a problem; beyond the limit it is left out.
    pub fn problem(&mut self, mut problem: Problem) {
        if self.extraction.problems.len() < self.problems_max {
            truncate(&mut problem.text, QUOTE_BYTES_MAX);
            self.extraction.problems.push(problem);
        }
    }

    pub(crate) fn into_extraction(mut self) -> Extraction {
        if self.extraction.outlinks_dropped > 0 {
            self.annotate(format!("dol:{}", self.extraction.outlinks_dropped));
        }
        self.extraction
    }
}

/// Cuts a text at the last character boundary before a length.
fn truncate(text: &mut String, len_max: usize) {
    if text.len() > len_max {
        let end = (0..=len_max).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
    }
}
