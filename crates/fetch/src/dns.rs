//! `dns:` items: a look-up whose answer is archived (Heritrix FetchDNS).

use std::time::Duration;

use bytes::Bytes;
use model::world::DnsFailure;
use model::{Body, Digest, DnsFact, Exchange, FetchItem, FetchStatus, Fetched, HostChange};
use sha1::{Digest as _, Sha1};
use tokio::time::timeout;

use crate::Fetcher;

impl Fetcher {
    /// Asks for the addresses of a `dns:` URL's host.
    ///
    /// The body is the 14-digit time of the look-up and the records in master-file form, a line each. A name without
    /// usable address is a failure, and that is known for a while, so that the host's pages fail at once (-6).
    pub(crate) async fn fetch_dns(&self, item: &FetchItem) -> Fetched {
        let url = &item.candidate.url;
        let host = url.path();
        let (started, mono) = (self.world.clock.wall(), self.world.clock.mono());
        let limit = Duration::from_millis(self.options.dns_timeout_ms);
        let answer = timeout(limit, self.world.network.resolve(host))
            .await
            .unwrap_or_else(|_| Err(DnsFailure::Temporary("no answer: timed out".to_owned())));
        let duration_ms = self.world.clock.mono() - mono;
        let now = self.world.clock.wall();
        let answer = answer.and_then(|mut answer| {
            // Sink-holes answer so (heritrix3 issue 428).
            answer.addresses.retain(|address| !address.is_unspecified());
            match answer.addresses.is_empty() {
                true => Err(DnsFailure::NoSuchName("no usable address".to_owned())),
                false => Ok(answer),
            }
        });
        let answer = match answer {
            Ok(answer) => answer,
            Err(failure) => {
                let (reason, retry) = match failure {
                    DnsFailure::NoSuchName(reason) => (reason, false),
                    DnsFailure::Temporary(reason) => (reason, true),
                };
                let fact =
                    DnsFact { addresses: Vec::new(), expires: now + self.options.dns_failed_validity_ms };
                return Fetched::Failed {
                    status: FetchStatus::DNS_FAILED,
                    reason: format!("DNS: {reason}"),
                    retry,
                    started: Some(started),
                    duration_ms,
                    host_changes: vec![HostChange::Dns { host: host.to_owned(), fact }],
                };
            }
        };
        let mut text = started.digits14();
        text.push('\n');
        for record in &answer.records {
            text.push_str(record);
            text.push('\n');
        }
        let validity_ms = self.options.dns_validity_ms.max(u64::from(answer.ttl_s) * 1000);
        let fact = DnsFact { addresses: answer.addresses, expires: now + validity_ms };
        let digest = Digest(Sha1::digest(text.as_bytes()).into());
        let body = Body::Memory(Bytes::from(text));
        let exchange = Exchange {
            url: url.clone(),
            status: FetchStatus::DNS_SUCCESS,
            request: Bytes::new(),
            response_head: Bytes::new(),
            head: None,
            raw_body: body.clone(),
            payload: body,
            block_digest: digest,
            payload_digest: digest,
            address: answer.server,
            started,
            duration_ms,
            truncated: None,
            protocol: "dns",
            tls: None,
            annotations: Vec::new(),
        };
        Fetched::Exchange {
            exchange: Box::new(exchange),
            host_changes: vec![HostChange::Dns { host: host.to_owned(), fact }],
            cookie_changes: Vec::new(),
        }
    }
}
