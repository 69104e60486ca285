//! Record makers, one a file: which records an exchange gives, in their order.
//!
//! The first maker that gives something makes the *capture*; all later records are `WARC-Concurrent-To` it. Adding one is
//! a file and a line in [`ALL`]; makers from outside come in through [`crate::RecordBuilder::with`].

mod dns;
mod http_request;
mod http_response;
mod metadata;
mod revisit;

use crate::{Draft, Task};

pub use revisit::{IDENTICAL_PAYLOAD_PROFILE, RevisitParts};

/// Makes one kind of record.
pub trait RecordMaker: Send + Sync {
    /// Its name in options and reports.
    fn name(&self) -> &'static str;

    /// The record; `None` if the exchange gives none of that kind.
    fn draft(&self, task: &Task<'_>) -> Option<Draft>;
}

/// All makers, in the order of their records.
pub const ALL: [&dyn RecordMaker; 5] = [
    &dns::DnsAnswer,
    &revisit::Revisit,
    &http_response::HttpResponse,
    &http_request::HttpRequest,
    &metadata::Metadata,
];

/// Adds the fields that say how the bytes came over the wire.
fn wire_headers(draft: &mut Draft, exchange: &model::Exchange) {
    if let Some(address) = exchange.address {
        draft.header("WARC-IP-Address", address.ip().to_canonical().to_string());
    }
    protocol_headers(draft, exchange);
}

/// Adds protocol and cipher suite (community fields of 2024: one `WARC-Protocol` a layer).
fn protocol_headers(draft: &mut Draft, exchange: &model::Exchange) {
    draft.header("WARC-Protocol", exchange.protocol);
    if let Some(tls) = &exchange.tls {
        draft.header("WARC-Protocol", tls.protocol.clone());
        draft.header("WARC-Cipher-Suite", tls.cipher_suite.clone());
    }
}
