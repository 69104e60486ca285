//! `response` records: head and body as they came over the wire (WARC 1.1, 6.3.2).

use warc::RecordType;

use super::{RecordMaker, wire_headers};
use crate::{Block, Draft, Task};

/// A whole HTTP response.
pub struct HttpResponse;

impl RecordMaker for HttpResponse {
    fn name(&self) -> &'static str {
        "http-response"
    }

    fn draft(&self, task: &Task<'_>) -> Option<Draft> {
        let exchange = task.exchange;
        if !exchange.url.is_http() || task.earlier.is_some() {
            return None;
        }
        let block = Block { head: exchange.response_head.clone(), body: exchange.raw_body.clone() };
        let mut draft = Draft::new(RecordType::Response, "application/http; msgtype=response", block);
        draft.block_digest = Some(exchange.block_digest);
        draft.is_incompressible = is_incompressible(exchange);
        draft.header("WARC-Payload-Digest", exchange.payload_digest.to_string());
        wire_headers(&mut draft, exchange);
        if let Some(truncated) = exchange.truncated {
            draft.header("WARC-Truncated", truncated.warc_value());
        }
        Some(draft)
    }
}

/// By the content coding, else by the media type.
fn is_incompressible(exchange: &model::Exchange) -> bool {
    // Below a few kilobytes most of the record is headers.
    if exchange.raw_body.len() < 4096 {
        return false;
    }
    let is_coded = exchange.header("content-encoding").is_some_and(|coding| {
        ["gzip", "x-gzip", "br", "zstd", "deflate", "compress"]
            .contains(&coding.trim().to_ascii_lowercase().as_str())
    });
    is_coded || exchange.media_type().is_some_and(|media_type| warc::is_incompressible(&media_type))
}
