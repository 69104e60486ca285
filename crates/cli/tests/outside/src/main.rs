//! A crawler of somebody else's: the steps of bequest with a rule, an extractor and a record maker of its own.

use archive::{Block, Draft, RecordMaker, Task};
use crawl::{JobDir, JobFile, Registry, ScopeKind};
use extract::{Extractor, Payload, Progress, Sink};
use model::{Candidate, Hop, Verdict};
use scope::{DecideRule, RuleContext};
use warc::RecordType;

/// Leaves out whatever lies below a folder `drafts`.
struct NoDrafts;

impl DecideRule for NoDrafts {
    fn name(&self) -> &'static str {
        "no-drafts"
    }

    fn decide(&self, candidate: &Candidate, _context: &RuleContext<'_>) -> Option<Verdict> {
        candidate.url.path_and_query().contains("/drafts/").then_some(Verdict::Reject)
    }
}

/// Finds lines `see: URL` in HTML comments.
struct SeeAlso;

impl Extractor for SeeAlso {
    fn name(&self) -> &'static str {
        "see-also"
    }

    fn wants(&self, payload: &Payload) -> bool {
        payload.media_type() == "text/html"
    }

    fn extract(&self, payload: &Payload, sink: &mut Sink) -> Progress {
        let base = payload.base();
        for part in payload.text().split("see: ").skip(1) {
            let target = part.split_whitespace().next().unwrap_or("");
            if let Ok(url) = base.resolve(target) {
                sink.link(url, Hop::Navlink, "see-also");
            }
        }
        Progress::Continue
    }
}

/// Writes the length of each page's payload beside it.
struct Lengths;

impl RecordMaker for Lengths {
    fn name(&self) -> &'static str {
        "lengths"
    }

    fn draft(&self, task: &Task<'_>) -> Option<Draft> {
        let exchange = task.exchange;
        if !exchange.url.is_http() || exchange.status.0 != 200 {
            return None;
        }
        let text = format!("payload-bytes: {}\r\n", exchange.payload.len());
        Some(Draft::new(RecordType::Metadata, "text/x-lengths", Block::of(text)))
    }
}

/// `outside SEED DIR`
fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(seed), Some(folder)) = (arguments.next(), arguments.next()) else {
        anyhow::bail!("outside SEED DIR")
    };
    let registry = Registry::builtin()
        .with_rule(|| Box::new(NoDrafts))
        .with_extractor(|| Box::new(SeeAlso))
        .with_record_maker(|| Box::new(Lengths));
    let mut file = JobFile::default();
    file.scope.scope = ScopeKind::Host;
    file.frontier.politeness.fixed_delay_ms = Some(0);
    file.crawl.free_bytes_min = 1 << 20;
    let (world, job) = (crawl::real_world(None)?, JobDir::new(folder));
    crawl::create_job(&world, &job, &file, &seed)?;
    let (channels, _requests, _progress) = crawl::channels();
    let ending = tokio::runtime::Runtime::new()?.block_on(crawl::run(&world, &job, &registry, channels))?;
    println!("{}", ending.text());
    Ok(())
}
