//! What a site asks of robots: `robots.txt` (RFC 9309), `meta name=robots`, `X-Robots-Tag`, and the sitemaps it offers.
//!
//! Reads bytes and answers questions. Fetching, caching, redirects and what an unreachable file means (RFC 9309, 2.3) are
//! the caller's business. Foreign bytes never fail: what can be read is used.
//!
//! ```
//! use bequest_robots::RobotsTxt;
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private\nAllow: /private/open$\nCrawl-delay: 2\n");
//! assert!(!robots.decide("ourbot", "/private/x?y").allowed);
//! let decision = robots.decide("ourbot", "/private/open");
//! assert!(decision.allowed);
//! assert_eq!(decision.line, Some((3, "Allow: /private/open$".to_owned())));
//! assert_eq!(robots.crawl_delay("ourbot"), Some(2.0));
//! ```

mod page;
mod pattern;
mod robots_txt;
pub mod sitemap;

pub use page::PageRobots;
pub use robots_txt::{ROBOTS_BYTES_MAX, RobotsDecision, RobotsTxt};
