//! `request` records: what was sent (WARC 1.1, 6.5).

use model::Body;
use warc::RecordType;

use super::{RecordMaker, wire_headers};
use crate::{Block, Draft, Task};

/// What was sent.
pub struct HttpRequest;

impl RecordMaker for HttpRequest {
    fn name(&self) -> &'static str {
        "http-request"
    }

    fn draft(&self, task: &Task<'_>) -> Option<Draft> {
        let exchange = task.exchange;
        if !exchange.url.is_http() || exchange.request.is_empty() || !task.options.write_requests {
            return None;
        }
        let block = Block { head: exchange.request.clone(), body: Body::empty() };
        let mut draft = Draft::new(RecordType::Request, "application/http; msgtype=request", block);
        wire_headers(&mut draft, exchange);
        Some(draft)
    }
}
