//! Facts by host: its addresses, and what its robots.txt says.
//!
//! A fact is kept although it has expired: whoever asks knows the time and judges. Recent facts are in memory, all in a
//! table.

use std::collections::HashMap;
use std::sync::Arc;

use model::world::Disk;
use model::{DnsFact, HostChange, HostFacts, RobotsFact, RobotsRules};
use serde::de::DeserializeOwned;
use store::{Result, Saved, Table, TableOptions, TablePlace};
use surt::CanonicalUrl;

use crate::row;

/// What a fact costs in memory beyond its texts, bytes.
const FACT_OVERHEAD_BYTES: usize = 160;

/// Options of the host facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostsOptions {
    /// Recent facts kept in memory, bytes; at the limit the older half goes and is read from disk when asked for.
    pub recent_bytes_max: usize,
    /// Of the table.
    pub table: TableOptions,
}

impl Default for HostsOptions {
    fn default() -> HostsOptions {
        HostsOptions { recent_bytes_max: 32 << 20, table: TableOptions { memory_bytes_max: 8 << 20 } }
    }
}

/// What is known of every host.
pub struct Hosts {
    table: Table,
    options: HostsOptions,
    dns: Recent<DnsFact>,
    robots: Recent<RobotsFact>,
    buffer: Vec<u8>,
}

impl Hosts {
    /// Opens the facts as they were saved; `None` for none.
    ///
    /// # Errors
    /// When a file is missing or corrupt.
    pub fn open(
        disk: Arc<dyn Disk>,
        place: TablePlace,
        options: HostsOptions,
        section: Option<&[u8]>,
    ) -> Result<Hosts> {
        let table = Table::open(disk, place, options.table, section)?;
        Ok(Hosts { table, options, dns: Recent::default(), robots: Recent::default(), buffer: Vec::new() })
    }

    /// A fetch changed what is known of a host.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn apply(&mut self, change: &HostChange) -> Result<()> {
        match change {
            HostChange::Dns { host, fact } => {
                row::encode(&mut self.buffer, fact);
                self.table.put(&table_key('d', host), &self.buffer)?;
                self.dns.insert(host, Some(fact.clone()), dns_bytes(fact));
            }
            HostChange::Robots { origin, fact } => {
                row::encode(&mut self.buffer, fact);
                self.table.put(&table_key('r', origin), &self.buffer)?;
                self.robots.insert(origin, Some(fact.clone()), robots_bytes(fact));
            }
        }
        self.forget_old();
        Ok(())
    }

    /// What is known of a URL's host and origin. For `dns:` URLs the host is the name that is asked for.
    ///
    /// # Errors
    /// When the disk fails or a row is corrupt.
    pub fn facts(&mut self, url: &CanonicalUrl) -> Result<HostFacts> {
        let host = match url.scheme() {
            "dns" => Some(url.path()),
            _ => url.host(),
        };
        let dns = match host {
            Some(host) => self.dns.get_or_read(&self.table, 'd', host, dns_bytes)?,
            None => None,
        };
        let robots = match origin(url) {
            Some(origin) => self.robots.get_or_read(&self.table, 'r', &origin, robots_bytes)?,
            None => None,
        };
        self.forget_old();
        Ok(HostFacts { dns, robots })
    }

    /// What the manifest must hold and name.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn save(&mut self) -> Result<Saved> {
        self.table.save()
    }

    fn forget_old(&mut self) {
        let half = self.options.recent_bytes_max / 2;
        self.dns.forget_old(half);
        self.robots.forget_old(half);
    }
}

/// `scheme://host[:port]`, the port only if it is not the scheme's default; `None` for URLs without host.
pub fn origin(url: &CanonicalUrl) -> Option<String> {
    Some(format!("{}://{}", url.scheme(), url.authority()?))
}

fn table_key(kind: char, name: &str) -> Vec<u8> {
    format!("{kind}{name}").into_bytes()
}

fn dns_bytes(fact: &DnsFact) -> usize {
    fact.addresses.len() * 20
}

fn robots_bytes(fact: &RobotsFact) -> usize {
    match &fact.rules {
        RobotsRules::Text(text) => text.len(),
        RobotsRules::AllowAll | RobotsRules::DisallowAll => 0,
    }
}

/// Facts that were asked for or changed lately, also that there is none.
struct Recent<T> {
    facts: HashMap<String, RecentFact<T>>,
    bytes: usize,
    /// Counts every use.
    uses: u64,
}

struct RecentFact<T> {
    fact: Option<T>,
    bytes: usize,
    last_use: u64,
}

impl<T> Default for Recent<T> {
    fn default() -> Recent<T> {
        Recent { facts: HashMap::new(), bytes: 0, uses: 0 }
    }
}

impl<T: Clone + DeserializeOwned> Recent<T> {
    fn get_or_read(
        &mut self,
        table: &Table,
        kind: char,
        name: &str,
        bytes_of: fn(&T) -> usize,
    ) -> Result<Option<T>> {
        self.uses += 1;
        if let Some(recent) = self.facts.get_mut(name) {
            recent.last_use = self.uses;
            return Ok(recent.fact.clone());
        }
        let row = table.get(&table_key(kind, name))?;
        let fact: Option<T> = row.map(|bytes| row::decode("host facts", &bytes)).transpose()?;
        self.insert(name, fact.clone(), fact.as_ref().map_or(0, bytes_of));
        Ok(fact)
    }

    fn insert(&mut self, name: &str, fact: Option<T>, fact_bytes: usize) {
        self.uses += 1;
        let bytes = fact_bytes + name.len() + FACT_OVERHEAD_BYTES;
        self.bytes += bytes;
        let recent = RecentFact { fact, bytes, last_use: self.uses };
        if let Some(old) = self.facts.insert(name.to_owned(), recent) {
            self.bytes -= old.bytes;
        }
    }

    /// Drops the half that was not used for longest, so that the work is spread over many inserts.
    fn forget_old(&mut self, bytes_max: usize) {
        if self.bytes <= bytes_max {
            return;
        }
        let mut uses: Vec<u64> = self.facts.values().map(|recent| recent.last_use).collect();
        let middle = uses.len() / 2;
        let (_, &mut median, _) = uses.select_nth_unstable(middle);
        self.facts.retain(|_, recent| recent.last_use > median);
        self.bytes = self.facts.values().map(|recent| recent.bytes).sum();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use model::WallMs;
    use testweb::disk::SimDisk;

    use super::*;

    fn open(disk: &SimDisk, section: Option<&[u8]>) -> Hosts {
        disk.create_dir_all(Path::new("/job/state/crawldb")).unwrap();
        let place =
            TablePlace { root: "/job".into(), folder: "state/crawldb".into(), name: "hosts".to_owned() };
        let options = HostsOptions { recent_bytes_max: 4000, table: TableOptions { memory_bytes_max: 4000 } };
        Hosts::open(Arc::new(disk.clone()), place, options, section).unwrap()
    }

    fn dns(n: u8) -> DnsFact {
        DnsFact { addresses: vec![[192, 0, 2, n].into()], expires: WallMs(u64::from(n)) }
    }

    fn robots(n: u8) -> RobotsFact {
        let text = format!("User-agent: *\nDisallow: /{n}\n").into_bytes();
        RobotsFact { rules: RobotsRules::Text(text.into()), expires: WallMs(u64::from(n)) }
    }

    fn facts(hosts: &mut Hosts, text: &str) -> HostFacts {
        hosts.facts(&CanonicalUrl::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn facts_outlive_memory_and_process() {
        let disk = SimDisk::new(1);
        let mut hosts = open(&disk, None);
        assert_eq!(facts(&mut hosts, "http://h1.example.org/x"), HostFacts::default());
        for n in 0..200 {
            let host = format!("h{n}.example.org");
            hosts.apply(&HostChange::Dns { host: host.clone(), fact: dns(n) }).unwrap();
            hosts.apply(&HostChange::Robots { origin: format!("http://{host}"), fact: robots(n) }).unwrap();
        }
        assert!(hosts.dns.facts.len() < 30, "memory is bounded");
        let saved = hosts.save().unwrap();
        for mut hosts in [hosts, open(&disk, Some(&saved.section))] {
            for n in [0, 5, 199] {
                let known = facts(&mut hosts, &format!("http://h{n}.example.org/a/b"));
                assert_eq!(known, HostFacts { dns: Some(dns(n)), robots: Some(robots(n)) });
                let other_port = facts(&mut hosts, &format!("http://h{n}.example.org:81/a/b"));
                assert_eq!(other_port, HostFacts { dns: Some(dns(n)), robots: None });
                assert_eq!(facts(&mut hosts, &format!("dns:h{n}.example.org")).dns, Some(dns(n)));
            }
        }
    }

    #[test]
    fn a_later_fact_replaces_an_earlier_one() {
        let mut hosts = open(&SimDisk::new(1), None);
        for n in [1, 2] {
            hosts.apply(&HostChange::Dns { host: "example.org".to_owned(), fact: dns(n) }).unwrap();
        }
        assert_eq!(facts(&mut hosts, "http://example.org/").dns, Some(dns(2)));
    }
}
