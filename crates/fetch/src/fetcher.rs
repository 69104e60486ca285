//! The fetcher: what happens to an item, in order.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use model::world::World;
use model::{
    CookieChange, Exchange, FetchItem, FetchStatus, Fetched, HostChange, HostFacts, RobotsFact, RobotsRules,
};
use surt::CanonicalUrl;

use crate::address::{AddressGuard, AddressSlots};
use crate::http::Failure;
use crate::pool::Pool;
use crate::precondition::failed;
use crate::robots_txt::{self, ParsedRobots, RobotsAnswer, RobotsRedirects, is_robots_txt, origin};
use crate::tls::Tls;
use crate::{CookieJar, FetchOptions};

/// Fetches items. Shared by all workers.
pub struct Fetcher {
    pub(crate) world: World,
    pub(crate) options: FetchOptions,
    pub(crate) scratch_folder: PathBuf,
    pub(crate) guard: AddressGuard,
    pub(crate) pool: Pool,
    pub(crate) tls: Tls,
    pub(crate) redirects: RobotsRedirects,
    pub(crate) parsed_robots: ParsedRobots,
    pub(crate) buffers: Mutex<Vec<Vec<u8>>>,
    slots: Arc<AddressSlots>,
    cookies: Mutex<CookieJar>,
}

impl Fetcher {
    /// A fetcher with an empty cookie jar that knows no seed. Large bodies go to files in `scratch_folder`, which is made
    /// if it is missing.
    pub fn new(world: World, options: FetchOptions, scratch_folder: PathBuf) -> Fetcher {
        Fetcher {
            guard: AddressGuard::new(options.allow_addresses.clone()),
            pool: Pool::new(options.idle_connections_max, options.idle_ms_max),
            slots: AddressSlots::new(options.address_requests_max),
            tls: Tls::new(),
            redirects: RobotsRedirects::default(),
            parsed_robots: ParsedRobots::default(),
            buffers: Mutex::new(Vec::new()),
            cookies: Mutex::new(CookieJar::default()),
            world,
            options,
            scratch_folder,
        }
    }

    /// The options it was made with.
    pub fn options(&self) -> &FetchOptions {
        &self.options
    }

    /// A seed names this host (as in [`CanonicalUrl::host`]): it may be fetched though its address be private.
    pub fn name_host(&self, host: &str) {
        self.guard.name_host(host);
    }

    /// Takes a cookie in, at resume. [`Fetcher::fetch`] has done so already with the changes it gives back; doing it
    /// again changes nothing.
    pub fn apply_cookie(&self, change: &CookieChange) {
        self.cookies.lock().expect("no panic while held").apply(change);
    }

    /// The cookies as they are now, e.g. to be kept over a stop.
    pub fn cookies(&self) -> CookieJar {
        self.cookies.lock().expect("no panic while held").clone()
    }

    /// Replaces all cookies.
    pub fn set_cookies(&self, jar: CookieJar) {
        *self.cookies.lock().expect("no panic while held") = jar;
    }

    /// Fetches an item, or says why not. `facts` is what is known of the URL's host and origin now.
    ///
    /// Cancelling it is safe: the connection is closed and the scratch file removed.
    pub async fn fetch(&self, item: &FetchItem, facts: &HostFacts) -> Fetched {
        match item.candidate.url.scheme() {
            "http" | "https" => self.fetch_http(item, facts).await,
            "dns" => self.fetch_dns(item).await,
            scheme => failed(FetchStatus::UNFETCHABLE, &format!("scheme {scheme} is not supported")),
        }
    }

    async fn fetch_http(&self, item: &FetchItem, facts: &HostFacts) -> Fetched {
        let addresses = match self.precondition(item, facts, self.world.clock.wall()) {
            Ok(addresses) => addresses,
            Err(fetched) => return fetched,
        };
        // The address that will most likely be connected to; if another one answers, its number is exceeded by one.
        let Some(_slot) = self.slots.take(addresses[0]) else { return Fetched::Busy };
        let (started, mono) = (self.world.clock.wall(), self.world.clock.mono());
        match self.exchange(item, &addresses).await {
            Ok(exchange) => self.succeeded(item, exchange),
            Err(Failure { status, reason, .. }) if status == FetchStatus::ADDRESS_NOT_ALLOWED => {
                Fetched::Refused { status, rule: reason }
            }
            Err(Failure { status, reason, retry }) => Fetched::Failed {
                status,
                reason,
                retry,
                started: Some(started),
                duration_ms: self.world.clock.mono() - mono,
                host_changes: self.robots_unreachable(item),
            },
        }
    }

    fn succeeded(&self, item: &FetchItem, exchange: Exchange) -> Fetched {
        let cookie_changes = self.cookie_changes(&exchange);
        let host_changes =
            if self.speaks_for_robots(item) { self.robots_answered(&exchange) } else { Vec::new() };
        Fetched::Exchange { exchange: Box::new(exchange), host_changes, cookie_changes }
    }

    /// The origins that a robots.txt speaks for, with the redirects that led to it.
    fn robots_origins(&self, url: &CanonicalUrl) -> Vec<(String, u32)> {
        let mut origins = self.redirects.waiting_for(url);
        let own = origin(url);
        if is_robots_txt(url) && !origins.iter().any(|(origin, _)| *origin == own) {
            origins.push((own, 0));
        }
        origins
    }

    fn robots_answered(&self, exchange: &Exchange) -> Vec<HostChange> {
        let answer = robots_txt::read(exchange, self.options.robots_bytes_max);
        let mut changes = Vec::new();
        for (origin, hops) in self.robots_origins(&exchange.url) {
            let rules = match &answer {
                RobotsAnswer::Redirect(target) if hops < self.options.robots_redirects_max => {
                    self.redirects.set(&origin, target.clone(), hops + 1);
                    continue;
                }
                // RFC 9309, 2.3.1.2: too many redirects are like a file that is not there.
                RobotsAnswer::Redirect(_) => RobotsRules::AllowAll,
                RobotsAnswer::Rules(rules) => rules.clone(),
            };
            self.redirects.remove(&origin);
            changes.push(self.robots_change(origin, rules));
        }
        changes
    }

    /// No answer: until one comes, nothing of the origin may be fetched (RFC 9309, 2.3.1.4).
    fn robots_unreachable(&self, item: &FetchItem) -> Vec<HostChange> {
        if !self.speaks_for_robots(item) {
            return Vec::new();
        }
        let origins = self.robots_origins(&item.candidate.url);
        origins.into_iter().map(|(origin, _)| self.robots_change(origin, RobotsRules::DisallowAll)).collect()
    }

    fn robots_change(&self, origin: String, rules: RobotsRules) -> HostChange {
        let validity_ms = match rules {
            RobotsRules::DisallowAll => self.options.robots_unreachable_validity_ms,
            RobotsRules::Text(_) | RobotsRules::AllowAll => self.options.robots_validity_ms,
        };
        let expires = self.world.clock.wall() + validity_ms;
        HostChange::Robots { origin, fact: RobotsFact { rules, expires } }
    }

    pub(crate) fn cookie_header(&self, url: &CanonicalUrl) -> Option<String> {
        if !self.options.cookies {
            return None;
        }
        self.cookies.lock().expect("no panic while held").header(url, self.world.clock.wall())
    }

    fn cookie_changes(&self, exchange: &Exchange) -> Vec<CookieChange> {
        let Some(head) = exchange.head.as_ref().filter(|_| self.options.cookies) else { return Vec::new() };
        let at = self.world.clock.wall();
        let changes: Vec<CookieChange> = head
            .headers_named("set-cookie")
            .map(|value| CookieChange { url: exchange.url.clone(), set_cookie: value.to_vec(), at })
            .collect();
        if !changes.is_empty() {
            let mut jar = self.cookies.lock().expect("no panic while held");
            changes.iter().for_each(|change| jar.apply(change));
        }
        changes
    }
}
