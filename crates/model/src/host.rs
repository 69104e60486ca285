//! What is known of a host and what a fetch changes about it.

use std::net::IpAddr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use surt::CanonicalUrl;

use crate::WallMs;

/// The answer to a host's last DNS look-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DnsFact {
    /// Addresses in the order of preference; empty after a failed look-up.
    pub addresses: Vec<IpAddr>,
    /// From then on it must be asked again.
    pub expires: WallMs,
}

/// What robots.txt of an authority says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsFact {
    /// What may be fetched.
    pub rules: RobotsRules,
    /// From then on it must be fetched again.
    pub expires: WallMs,
}

/// The three things robots.txt can come to (RFC 9309, 2.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RobotsRules {
    /// Fetched: the text as received, cut at the parser's limit.
    Text(Arc<[u8]>),
    /// Unavailable (2.3.1.3): no rules.
    AllowAll,
    /// Unreachable (2.3.1.4): nothing may be fetched.
    DisallowAll,
}

/// All that is known of a URL's host when its turn comes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostFacts {
    /// By host name; numeric hosts have none and need none.
    pub dns: Option<DnsFact>,
    /// By scheme and authority.
    pub robots: Option<RobotsFact>,
}

/// What a fetch changes about a host: part of its `Done` entry, so that a resume knows it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostChange {
    /// A DNS answer.
    Dns {
        /// The host name.
        host: String,
        /// What was answered.
        fact: DnsFact,
    },
    /// A robots.txt was fetched or given up.
    Robots {
        /// `scheme://host[:port]`.
        origin: String,
        /// What it came to.
        fact: RobotsFact,
    },
}

/// A Set-Cookie header that was met: replayed into the cookie jar at resume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CookieChange {
    /// The URL that set it.
    pub url: CanonicalUrl,
    /// The header's value as received.
    pub set_cookie: Vec<u8>,
    /// When it was received.
    pub at: WallMs,
}
