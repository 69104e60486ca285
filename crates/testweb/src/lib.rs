//! A small false internet from one seed number, with a false clock and disk: the only web that tests know.
//!
//! - [`Web`] grows hosts, pages, links, redirects, robots.txt, sitemaps, traps and trouble from a seed, and answers any
//!   URL as a pure function. [`Web::expected`] says what a correct crawler makes of it.
//! - [`SimNetwork`] serves a web in memory on virtual time ([`run_virtual`]); [`Loopback`] and [`DnsServer`] serve the same
//!   web on real sockets of this machine.
//! - [`Observations`] is what the servers saw; [`checks`] judges a crawl by it.
//! - [`sites`] holds sites written by hand: the worked example of Nutch's documentation, and the demo.
//!
//! What it leaves to others: it runs no crawl. TLS, HTTP/2 and odd byte sequences are tested beside the code that reads
//! them.

mod answer;
mod chance;
pub mod checks;
mod clock;
pub mod disk;
mod dns_server;
mod expected;
mod grow;
mod host;
mod loopback;
mod network;
mod observations;
mod options;
mod page;
mod render;
mod request;
mod robots_plan;
mod serve;
pub mod sites;
mod traps;
mod web;
#[cfg(test)]
mod web_tests;
mod work;
mod world;

pub use answer::{Answer, Cut, Delivery, Framing};
pub use chance::{SeededChance, mix};
pub use clock::{SIM_BEGINS, SimClock, run_virtual};
pub use dns_server::{DnsReply, DnsServer};
pub use expected::{Expected, ExpectedUrl, Fate, ScopeKind, ScopeModel};
pub use host::{Health, Host};
pub use loopback::{Loopback, Serving, serve_listener};
pub use network::{Place, SimNetwork};
pub use observations::{Breach, FaultCounts, Observations, RequestSeen};
pub use options::{FaultRates, Naming, WebOptions};
pub use request::Request;
pub use robots_plan::RobotsPlan;
pub use serve::Serve;
pub use traps::Trap;
pub use web::{RETRY_AFTER_S, Web};
pub use work::DelayedWork;
pub use world::{SimWorld, sim_world};
