//! DNS answers: `resource` records of type `text/dns` (WARC 1.1, 6.4: no message around it), or `response` as Heritrix
//! writes them. No payload digest, as in Heritrix.

use warc::RecordType;

use super::{RecordMaker, wire_headers};
use crate::{Block, Draft, Task};

/// The answer to a `dns:` URL.
pub struct DnsAnswer;

impl RecordMaker for DnsAnswer {
    fn name(&self) -> &'static str {
        "dns"
    }

    fn draft(&self, task: &Task<'_>) -> Option<Draft> {
        let exchange = task.exchange;
        if exchange.url.scheme() != "dns" {
            return None;
        }
        let kind = if task.options.dns_as_response { RecordType::Response } else { RecordType::Resource };
        let block = Block { head: exchange.response_head.clone(), body: exchange.raw_body.clone() };
        let mut draft = Draft::new(kind, "text/dns", block);
        draft.block_digest = Some(exchange.block_digest);
        wire_headers(&mut draft, exchange);
        Some(draft)
    }
}
