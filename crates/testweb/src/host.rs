//! A host of the generated web: its name, its place, its moods and what it serves.

use std::collections::HashMap;
use std::net::IpAddr;

use crate::page::Resource;
use crate::robots_plan::RobotsPlan;

/// Whether a host can be reached at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Health {
    /// It answers.
    Fine,
    /// Every connection is refused.
    Down,
    /// The name has an address that the name server never tells.
    NoName,
}

/// A host of the generated web.
#[derive(Debug)]
pub struct Host {
    /// Its name, or its address as text.
    pub name: String,
    /// Its only port.
    pub port: u16,
    /// Where it lies; hosts of one domain may share an address.
    pub address: IpAddr,
    /// Its root page is a seed. Other hosts are found by links.
    pub is_seed: bool,
    /// Whether it can be reached.
    pub health: Health,
    /// What its robots.txt is.
    pub robots: RobotsPlan,
    /// Time to live of its address record, seconds.
    pub dns_ttl_s: u32,
    /// Look-ups that fail before the first that works.
    pub dns_failures: u32,
    /// Connections that are refused before the first that is taken.
    pub refusals: u32,
    /// Milliseconds to answer any request.
    pub think_ms: u64,
    /// A connection that is idle that long is closed, milliseconds.
    pub idle_ms_max: u64,
    /// Everything it serves but robots.txt and traps. The first is the root page.
    pub(crate) resources: Vec<Resource>,
    pub(crate) by_path: HashMap<String, u32>,
    /// Traps it sets, linked from the root page.
    pub(crate) traps: Vec<crate::traps::Trap>,
}

impl Host {
    /// `name` or `name:port`.
    pub fn authority(&self) -> String {
        if self.port == 80 { self.name.clone() } else { format!("{}:{}", self.name, self.port) }
    }

    /// The absolute URL of a path and query.
    pub fn url(&self, path: &str) -> String {
        crate::request::url_text(&self.name, self.port, path)
    }

    /// Paths (with query) of everything it serves, in order of making.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.resources.iter().map(|resource| resource.path.as_str())
    }
}
