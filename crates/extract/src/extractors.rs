//! The extractors in order, and the one function that runs them over an exchange.

use bytes::Bytes;
use model::{Candidate, Exchange, Extraction, FetchStatus, Problem};
use robots::PageRobots;
use surt::CanonicalUrl;

use crate::payload::Origin;
use crate::{ExtractOptions, Payload, Sink, coding};

/// What an extractor says when it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The next extractor may look at the payload too.
    Continue,
    /// The payload was of this extractor's kind: later ones leave it alone (Heritrix `linkExtractorFinished`).
    Finished,
}

/// Finds links in payloads of one kind. Holds its options; the same value serves all workers.
pub trait Extractor: Send + Sync {
    /// Short, unique, lower case: shown by `explain` and in problems.
    fn name(&self) -> &'static str;

    /// Whether this payload is of its kind. Looks at head, address and at most the first kilobytes.
    fn wants(&self, payload: &Payload) -> bool;

    /// Puts what it finds into the sink. Must end in time linear in the payload's length.
    fn extract(&self, payload: &Payload, sink: &mut Sink) -> Progress;
}

/// An extractor that comes with the program.
pub struct Builtin {
    /// As [`Extractor::name`].
    pub name: &'static str,
    /// What it does, one line, for the reference.
    pub about: &'static str,
    /// Makes it.
    pub make: fn(&ExtractOptions) -> Box<dyn Extractor>,
}

/// All of them, in the order in which they run (that of Heritrix's default profile, then XML and plain text).
pub const ALL: &[Builtin] = &[
    crate::http::BUILTIN,
    crate::robots_txt::BUILTIN,
    crate::sitemap::BUILTIN,
    crate::html::BUILTIN,
    crate::css::BUILTIN,
    crate::js::BUILTIN,
    crate::xml::BUILTIN,
    crate::plain::BUILTIN,
];

/// What is known of an exchange besides its bytes.
#[derive(Debug, Clone, Copy)]
pub struct ExtractContext<'a> {
    /// The candidate that was fetched.
    pub candidate: &'a Candidate,
    /// Fetched because another URL needed it: robots.txt, DNS.
    pub is_prerequisite: bool,
}

/// A list of extractors and their options.
pub struct Extractors {
    options: ExtractOptions,
    list: Vec<Box<dyn Extractor>>,
}

impl Extractors {
    /// Takes any list, in the order in which they shall run.
    pub fn new(options: ExtractOptions, list: Vec<Box<dyn Extractor>>) -> Extractors {
        Extractors { options, list }
    }

    /// The extractors of [`ALL`].
    pub fn builtin(options: ExtractOptions) -> Extractors {
        let list = ALL.iter().map(|builtin| (builtin.make)(&options)).collect();
        Extractors { options, list }
    }

    /// Adds one that runs before the built-in ones: behind them it would never see what they claim (all of HTML). What it
    /// claims itself, by [`Progress::Finished`], is kept from them.
    pub fn with(mut self, extractor: Box<dyn Extractor>) -> Extractors {
        let added = self.list.len() - ALL.len();
        self.list.insert(added, extractor);
        self
    }

    /// The options they were made with.
    pub fn options(&self) -> &ExtractOptions {
        &self.options
    }

    /// Names in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.list.iter().map(|extractor| extractor.name())
    }

    /// Everything that can be found in an exchange.
    pub fn extract(&self, exchange: &Exchange, context: ExtractContext) -> Extraction {
        let mut sink = Sink::new(&self.options);
        if exchange.status.0 <= 0 || exchange.url.scheme() == "dns" {
            return sink.into_extraction();
        }
        for value in exchange.head.iter().flat_map(|head| head.headers_named("x-robots-tag")) {
            sink.robots(PageRobots::of_header(&String::from_utf8_lossy(value), &self.options.robots_token));
        }
        let bytes = self.read(exchange, &mut sink);
        let origin = Origin {
            url: &exchange.url,
            via: context.candidate.via.as_ref().map(|via| &via.url),
            hop_path: Some(&context.candidate.hop_path),
            via_context: context.candidate.via.as_ref().map(|via| via.context.as_str()),
            is_sitemap: context.candidate.is_sitemap,
            is_prerequisite: context.is_prerequisite,
            status: exchange.status,
            head: exchange.head.as_ref(),
        };
        let payload = Payload::new(origin, exchange.header("content-type"), bytes);
        self.run(&payload, &mut sink);
        sink.into_extraction()
    }

    /// The payload with its content coding undone, within the limits.
    fn read(&self, exchange: &Exchange, sink: &mut Sink) -> Bytes {
        if exchange.status == FetchStatus(404) && !self.options.extract_404 {
            return Bytes::new();
        }
        let coded = match exchange.payload.prefix(self.options.payload_bytes_max) {
            Ok(coded) => coded,
            Err(error) => {
                sink.problem(Problem {
                    extractor: "payload",
                    message: format!("cannot read the scratch file: {error}"),
                    text: String::new(),
                });
                return Bytes::new();
            }
        };
        if exchange.payload.len() > coded.len() as u64 {
            sink.annotate("extractionCut".to_owned());
        }
        let Some(head) = &exchange.head else { return coded };
        let tokens = head.headers_named("content-encoding").map(String::from_utf8_lossy).collect::<Vec<_>>();
        coding::undo(&tokens.join(","), coded, self.options.decoded_bytes_max, sink)
    }

    fn run(&self, payload: &Payload, sink: &mut Sink) {
        for extractor in &self.list {
            if !extractor.wants(payload) {
                continue;
            }
            sink.begin(extractor.name());
            if extractor.extract(payload, sink) == Progress::Finished {
                break;
            }
        }
        if let Some(charset) = payload.charset_if_needed() {
            sink.extraction.charset = Some(charset.encoding.name().to_owned());
            sink.extraction.annotations.extend(charset.annotations.iter().cloned());
        }
    }
}

/// Links of bytes that were not fetched: for tests of suites and `bequest extract --stdin`.
pub fn extract_payload(
    extractors: &Extractors,
    base: &CanonicalUrl,
    content_type: &str,
    bytes: &[u8],
) -> Extraction {
    let mut sink = Sink::new(&extractors.options);
    let origin = Origin {
        url: base,
        via: None,
        hop_path: None,
        via_context: None,
        is_sitemap: false,
        is_prerequisite: false,
        status: FetchStatus(200),
        head: None,
    };
    let content_type = (!content_type.is_empty()).then(|| content_type.to_owned());
    let payload = Payload::new(origin, content_type, Bytes::copy_from_slice(bytes));
    extractors.run(&payload, &mut sink);
    sink.into_extraction()
}
