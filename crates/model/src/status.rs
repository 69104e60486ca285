//! Fetch status codes: HTTP's above 0, Heritrix's own below (heritrix `FetchStatusCodes`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A fetch status as crawl.log shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FetchStatus(pub i32);

impl FetchStatus {
    /// DNS look-up succeeded.
    pub const DNS_SUCCESS: FetchStatus = FetchStatus(1);
    /// Never tried.
    pub const UNATTEMPTED: FetchStatus = FetchStatus(0);
    /// DNS look-up failed; retried.
    pub const DNS_FAILED: FetchStatus = FetchStatus(-1);
    /// Could not connect, or no byte of an answer came; retried.
    pub const CONNECT_FAILED: FetchStatus = FetchStatus(-2);
    /// The connection broke before a meaningful response; retried.
    pub const CONNECT_LOST: FetchStatus = FetchStatus(-3);
    /// Timed out before a meaningful response.
    pub const TIMEOUT: FetchStatus = FetchStatus(-4);
    /// Unexpected error inside the crawler.
    pub const RUNTIME_EXCEPTION: FetchStatus = FetchStatus(-5);
    /// The host's DNS prerequisite failed.
    pub const DOMAIN_PREREQUISITE_FAILURE: FetchStatus = FetchStatus(-6);
    /// Cannot be fetched at all.
    pub const UNFETCHABLE: FetchStatus = FetchStatus(-7);
    /// Waits for a prerequisite.
    pub const DEFERRED: FetchStatus = FetchStatus(-50);
    /// The robots.txt prerequisite failed.
    pub const ROBOTS_PREREQUISITE_FAILURE: FetchStatus = FetchStatus(-61);
    /// The prerequisite could not be scheduled.
    pub const PREREQUISITE_UNSCHEDULABLE: FetchStatus = FetchStatus(-63);
    /// Out of scope on a second look.
    pub const OUT_OF_SCOPE: FetchStatus = FetchStatus(-5000);
    /// Forbidden by robots.txt.
    pub const ROBOTS_PRECLUDED: FetchStatus = FetchStatus(-9998);
    /// The server's address is private and no seed or allow-list names it (ours; Heritrix has no such status).
    pub const ADDRESS_NOT_ALLOWED: FetchStatus = FetchStatus(-5005);

    /// Status above 0 (Heritrix: 404 and 500 are successes too).
    pub fn is_success(self) -> bool {
        self.0 > 0
    }

    /// Refused on purpose, counted apart from failures (Heritrix "disregarded").
    pub fn is_disregarded(self) -> bool {
        matches!(self.0, -9998 | -5002 | -5000 | -5001 | -5005 | -4002 | -4001 | -6000)
    }

    /// An HTTP status 200 to 299.
    pub fn is_2xx(self) -> bool {
        (200..300).contains(&self.0)
    }

    /// An HTTP status 300 to 399.
    pub fn is_3xx(self) -> bool {
        (300..400).contains(&self.0)
    }
}

impl fmt::Display for FetchStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
