//! What must be known of a host before a URL of it is fetched (Heritrix PreconditionEnforcer).

use std::net::IpAddr;

use model::{DnsFact, FetchItem, FetchStatus, Fetched, Hop, HostFacts, RobotsRules, WallMs};
use surt::CanonicalUrl;

use crate::robots_txt::{is_robots_txt, origin};
use crate::{Fetcher, RobotsPolicy};

impl Fetcher {
    /// The addresses a URL may be fetched from; otherwise what becomes of the item.
    ///
    /// In this order: the host has an address that is known and fresh, it may be fetched, robots.txt is known and fresh,
    /// robots.txt allows.
    pub(crate) fn precondition(
        &self,
        item: &FetchItem,
        facts: &HostFacts,
        now: WallMs,
    ) -> Result<Vec<IpAddr>, Fetched> {
        let url = &item.candidate.url;
        let Some(host) = url.host() else {
            return Err(failed(FetchStatus::UNFETCHABLE, "the URL has no host"));
        };
        let known = addresses(host, facts.dns.as_ref(), now)?;
        let allowed: Vec<IpAddr> =
            known.iter().copied().filter(|address| self.guard.allows(host, *address)).collect();
        if allowed.is_empty() {
            self.redirects.block(url);
            let rule = format!(
                "address {} is private, and neither a seed names {host} nor does allow_addresses cover it",
                known.first().map_or_else(String::new, IpAddr::to_string),
            );
            return Err(Fetched::Refused { status: FetchStatus::ADDRESS_NOT_ALLOWED, rule });
        }
        if self.speaks_for_robots(item) {
            return Ok(allowed);
        }
        self.robots_precondition(url, facts, now)?;
        Ok(allowed)
    }

    /// Whether the item is fetched as a robots.txt: by its own path, or as the target of a redirect of one.
    pub(crate) fn speaks_for_robots(&self, item: &FetchItem) -> bool {
        let url = &item.candidate.url;
        is_robots_txt(url)
            || (item.candidate.last_hop() == Some(Hop::Prerequisite)
                && !self.redirects.waiting_for(url).is_empty())
    }

    fn robots_precondition(&self, url: &CanonicalUrl, facts: &HostFacts, now: WallMs) -> Result<(), Fetched> {
        let origin = origin(url);
        let Some(robots) = facts.robots.as_ref().filter(|robots| robots.expires > now) else {
            return match self.redirects.get(&origin) {
                Some(redirected) if redirected.is_blocked && self.options.robots == RobotsPolicy::Ignore => {
                    Ok(())
                }
                Some(redirected) if redirected.is_blocked => Err(failed(
                    FetchStatus::ROBOTS_PREREQUISITE_FAILURE,
                    &format!("robots.txt leads to {}, which may not be fetched", redirected.target),
                )),
                Some(redirected) => Err(Fetched::Prerequisite { url: redirected.target }),
                None => match CanonicalUrl::parse(&format!("{origin}/robots.txt")) {
                    Ok(url) => Err(Fetched::Prerequisite { url }),
                    Err(error) => Err(failed(FetchStatus::UNFETCHABLE, &format!("robots.txt: {error}"))),
                },
            };
        };
        if self.options.robots == RobotsPolicy::Ignore {
            return Ok(());
        }
        let text = match &robots.rules {
            RobotsRules::AllowAll => return Ok(()),
            RobotsRules::DisallowAll => {
                return Err(failed(
                    FetchStatus::ROBOTS_PREREQUISITE_FAILURE,
                    "robots.txt cannot be reached, which forbids all (RFC 9309, 2.3.1.4)",
                ));
            }
            RobotsRules::Text(text) => text,
        };
        let decision =
            self.parsed_robots.get(&origin, text).decide(&self.options.robots_agent, url.path_and_query());
        if decision.allowed {
            return Ok(());
        }
        let rule = match decision.line {
            Some((number, line)) => format!("robots.txt line {number}: {line}"),
            None => "robots.txt".to_owned(),
        };
        Err(Fetched::Refused { status: FetchStatus::ROBOTS_PRECLUDED, rule })
    }
}

/// The addresses of a host: its own if it is numeric, else what DNS said.
fn addresses(host: &str, fact: Option<&DnsFact>, now: WallMs) -> Result<Vec<IpAddr>, Fetched> {
    if let Some(address) = numeric(host) {
        return Ok(vec![address]);
    }
    match fact.filter(|fact| fact.expires > now) {
        Some(fact) if fact.addresses.is_empty() => {
            Err(failed(FetchStatus::DOMAIN_PREREQUISITE_FAILURE, "the host has no address"))
        }
        Some(fact) => Ok(fact.addresses.clone()),
        None => match CanonicalUrl::parse(&format!("dns:{host}")) {
            Ok(url) => Err(Fetched::Prerequisite { url }),
            Err(error) => Err(failed(FetchStatus::UNFETCHABLE, &format!("dns: {error}"))),
        },
    }
}

fn numeric(host: &str) -> Option<IpAddr> {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).parse().ok()
}

/// A failure before anything was tried.
pub(crate) fn failed(status: FetchStatus, reason: &str) -> Fetched {
    Fetched::Failed {
        status,
        reason: reason.to_owned(),
        retry: false,
        started: None,
        duration_ms: 0,
        host_changes: Vec::new(),
    }
}
