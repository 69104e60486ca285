//! The fetch step: from an item to its exchange, or to the reason why there is none.
//!
//! [`Fetcher::fetch`] answers for one item at a time: another URL must be fetched first (its host's address, its
//! robots.txt), it may not be fetched, its server is busy, it failed, or here is the [`model::Exchange`]. Every request
//! is one that the frontier handed out; nothing is fetched behind its back. Redirects are not followed here (they are
//! outlinks), retries and pauses are the frontier's, and what is learnt of a host goes back as a [`model::HostChange`].
//!
//! Follows RFC 9112 as the web does (`http1`), RFC 9309 for robots.txt, RFC 6265bis for cookies, and Heritrix's
//! PreconditionEnforcer, FetchDNS and FetchHTTP for order, defaults and status codes.

mod address;
mod connection;
mod cookies;
mod dns;
mod fetcher;
mod http;
mod options;
mod pool;
mod precondition;
mod recorder;
mod request;
mod robots_txt;
mod tls;

pub use address::{AddressRange, is_private};
pub use cookies::{Cookie, CookieJar};
pub use fetcher::Fetcher;
pub use options::{FetchOptions, HttpVersion, RobotsPolicy};
