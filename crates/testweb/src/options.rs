//! What a generated web is made of.

/// What the names of the hosts look like and where they lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Names under `.example` and `.test`; false addresses in 11.0.0.0/8, some shared, a few odd ports. Simulation.
    False,
    /// The same names, every host on a loopback address of its own and on this port. For crawls with a resolver.
    Loopback {
        /// The port of every host.
        port: u16,
    },
    /// No names: URLs carry the loopback address and this port. For crawls without a resolver.
    LoopbackNumeric {
        /// The port of every host.
        port: u16,
    },
}

/// How often things go wrong for a while. Each is a share of hosts or URLs, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultRates {
    /// URLs whose first one or two requests end before an answer.
    pub drop_before_head: u32,
    /// Leaf URLs (no links in them) whose first answer breaks off in the body.
    pub drop_mid_body: u32,
    /// Hosts whose first one or two look-ups fail.
    pub dns_failure: u32,
    /// Hosts that refuse their first one or two connections.
    pub refused: u32,
    /// Hosts that take 2 to 8 s to answer.
    pub slow_host: u32,
    /// URLs whose answer trickles in pieces over 3 to 9 s.
    pub trickle: u32,
}

impl FaultRates {
    /// At 300 hosts and 5,000 URLs at least 20 of each kind (a test proves it).
    pub const DEFAULT: FaultRates = FaultRates {
        drop_before_head: 12,
        drop_mid_body: 40,
        dns_failure: 120,
        refused: 120,
        slow_host: 100,
        trickle: 10,
    };

    /// All goes well.
    pub const NONE: FaultRates = FaultRates {
        drop_before_head: 0,
        drop_mid_body: 0,
        dns_failure: 0,
        refused: 0,
        slow_host: 0,
        trickle: 0,
    };
}

/// What a generated web is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOptions {
    /// All else follows from it.
    pub seed: u64,
    /// Number of hosts, at least 1.
    pub hosts: usize,
    /// Number of URLs (robots.txt and pages of traps not counted); every host has at least its root page.
    pub urls: usize,
    /// Names, addresses, ports.
    pub naming: Naming,
    /// Passing faults.
    pub faults: FaultRates,
    /// Lasting trouble: hosts that are down or have no address, robots.txt that fails or never comes, URLs that never
    /// answer.
    pub hostile: bool,
    /// Mazes of paths, calendars, sessions: endless, bounded by the limits of scope alone.
    pub traps: bool,
    /// Milliseconds a healthy server takes, at most; 0 for real sockets.
    pub think_ms_max: u64,
    /// Product token of the crawler, which some robots.txt name.
    pub agent: String,
    /// Bytes of a large body, at most.
    pub large_bytes_max: usize,
}

impl WebOptions {
    /// The web of the simulation: 300 hosts, 5,000 URLs, every kind of trouble.
    pub fn new(seed: u64) -> WebOptions {
        WebOptions {
            seed,
            hosts: 300,
            urls: 5_000,
            naming: Naming::False,
            faults: FaultRates::DEFAULT,
            hostile: true,
            traps: true,
            think_ms_max: 40,
            agent: "bequest".to_owned(),
            large_bytes_max: 200_000,
        }
    }

    /// A web for real sockets: quick servers, no faults, nothing that never answers.
    pub fn loopback(seed: u64, hosts: usize, urls: usize, naming: Naming) -> WebOptions {
        WebOptions {
            hosts,
            urls,
            naming,
            faults: FaultRates::NONE,
            hostile: false,
            think_ms_max: 0,
            ..WebOptions::new(seed)
        }
    }
}
