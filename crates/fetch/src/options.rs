//! The section `[fetch]` of a job file.

use serde::{Deserialize, Serialize};

use crate::AddressRange;

/// How the crawler asks, how long it waits, how much it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FetchOptions {
    /// The `User-Agent` header.
    pub user_agent: String,
    /// The `From` header (RFC 9110, 10.1.2): a mail address of whoever runs the crawl.
    pub from: Option<String>,
    /// The product token that robots.txt rules are looked up by (RFC 9309, 2.2.1).
    pub robots_agent: String,
    /// Whether robots.txt is obeyed. It is fetched and archived in any case.
    pub robots: RobotsPolicy,
    /// The `Accept` header. Heritrix's default.
    pub accept: String,
    /// The `Accept-Encoding` header. None by default, as in Heritrix: records then hold plain pages whose digests stay
    /// equal from crawl to crawl. Bodies that come coded all the same are archived so.
    pub accept_encoding: Option<String>,
    /// The `Accept-Language` header.
    pub accept_language: Option<String>,
    /// What the request line says.
    pub http_version: HttpVersion,
    /// Connections are used again. Otherwise `Connection: close` is sent.
    pub keep_alive: bool,
    /// `Referer` is sent: not for prerequisites, and not from https to http.
    pub send_referer: bool,
    /// `If-None-Match` and `If-Modified-Since` are sent where an earlier fetch gave them.
    pub send_conditional: bool,
    /// Cookies are kept and sent.
    pub cookies: bool,
    /// To connect (TLS included), and from the request to the first byte of its answer, milliseconds.
    pub so_timeout_ms: u64,
    /// The whole of an exchange, milliseconds. Then the response is cut (`timeTrunc`).
    pub timeout_ms: u64,
    /// Between two pieces of a body, milliseconds. Then the response is cut (`timeTrunc`). Longer than `so_timeout_ms`,
    /// since a body that once began is worth waiting for.
    pub stall_timeout_ms: u64,
    /// One DNS look-up, milliseconds.
    pub dns_timeout_ms: u64,
    /// Body bytes as transferred. Then the response is cut (`lenTrunc`).
    pub body_bytes_max: u64,
    /// All heads of a response together, bytes. Then the response is cut (`headerTrunc`).
    pub head_bytes_max: usize,
    /// Bodies up to that many bytes are held in memory, longer ones in a scratch file.
    pub memory_body_bytes_max: usize,
    /// Connections that wait to be used again. Beyond it the oldest is closed.
    pub idle_connections_max: usize,
    /// How long a connection waits to be used again, milliseconds.
    pub idle_ms_max: u64,
    /// Requests in flight to one address, whatever queues they come from. Beyond it an item comes back as busy.
    pub address_requests_max: u32,
    /// How long an address is good, milliseconds; a longer TTL wins. Heritrix `ipValidityDurationSeconds`.
    pub dns_validity_ms: u64,
    /// How long it is good to know that a look-up failed, milliseconds.
    pub dns_failed_validity_ms: u64,
    /// How long robots.txt is good, milliseconds. Heritrix `robotsValidityDurationSeconds`; RFC 9309, 2.4: a day.
    pub robots_validity_ms: u64,
    /// How long it is good to know that robots.txt cannot be reached, milliseconds.
    pub robots_unreachable_validity_ms: u64,
    /// What is kept of a robots.txt, bytes. RFC 9309, 2.5: at least 500 KiB.
    pub robots_bytes_max: usize,
    /// Redirects of a robots.txt that are followed. RFC 9309, 2.3.1.2: at least five; then there are no rules.
    pub robots_redirects_max: u32,
    /// Private addresses that may be fetched though no seed names their host, e.g. `10.0.0.0/8`.
    pub allow_addresses: Vec<AddressRange>,
    /// An answer that is no HTTP/1 at all is taken for HTTP/0.9 and archived; otherwise it is a failure (-2).
    pub http09: bool,
}

/// What robots.txt means to the crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RobotsPolicy {
    /// What it forbids is not fetched.
    #[default]
    Obey,
    /// Nothing.
    Ignore,
}

/// What the request line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum HttpVersion {
    /// `HTTP/1.0`: what Heritrix asks for by default. Servers then send no chunks and close.
    #[serde(rename = "1.0")]
    Http10,
    /// `HTTP/1.1`.
    #[default]
    #[serde(rename = "1.1")]
    Http11,
}

impl Default for FetchOptions {
    fn default() -> FetchOptions {
        const MINUTE_MS: u64 = 60_000;
        FetchOptions {
            user_agent: concat!("Mozilla/5.0 (compatible; bequest/", env!("CARGO_PKG_VERSION"), ")")
                .to_owned(),
            from: None,
            robots_agent: "bequest".to_owned(),
            robots: RobotsPolicy::Obey,
            accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8".to_owned(),
            accept_encoding: None,
            accept_language: None,
            http_version: HttpVersion::Http11,
            keep_alive: true,
            send_referer: true,
            send_conditional: true,
            cookies: true,
            so_timeout_ms: 20_000,
            timeout_ms: 20 * MINUTE_MS,
            stall_timeout_ms: 2 * MINUTE_MS,
            dns_timeout_ms: 20_000,
            body_bytes_max: 20 << 30,
            head_bytes_max: 256 << 10,
            memory_body_bytes_max: 8 << 20,
            idle_connections_max: 1000,
            idle_ms_max: MINUTE_MS,
            address_requests_max: 8,
            dns_validity_ms: 6 * 60 * MINUTE_MS,
            dns_failed_validity_ms: 10 * MINUTE_MS,
            robots_validity_ms: 24 * 60 * MINUTE_MS,
            robots_unreachable_validity_ms: 60 * MINUTE_MS,
            robots_bytes_max: 512 << 10,
            robots_redirects_max: 5,
            allow_addresses: Vec::new(),
            http09: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_round_trip_and_refuse_unknown_keys() {
        let options =
            FetchOptions { allow_addresses: vec!["10.0.0.0/8".parse().unwrap()], ..FetchOptions::default() };
        let text = toml::to_string(&options).unwrap();
        assert_eq!(toml::from_str::<FetchOptions>(&text).unwrap(), options);
        assert_eq!(toml::from_str::<FetchOptions>("").unwrap(), FetchOptions::default());
        assert!(toml::from_str::<FetchOptions>("so_timeout = 3").is_err());
        assert!(toml::from_str::<FetchOptions>("allow_addresses = [\"10.0.0.0/99\"]").is_err());
    }
}
