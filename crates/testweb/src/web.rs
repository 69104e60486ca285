//! The generated web: hosts, and what they answer.

use std::collections::HashMap;
use std::io::Write as _;

use crate::answer::{Answer, Cut, Delivery, Framing};
use crate::chance::{mix, rng_of};
use crate::host::{Health, Host};
use crate::network::Place;
use crate::options::WebOptions;
use crate::page::{Kind, Link, LinkKind, PageId, Resource, Target};
use crate::render;
use crate::request::Request;
use crate::robots_plan::RobotsPlan;
use crate::serve::Serve;

/// Seconds that busy servers ask to wait.
pub const RETRY_AFTER_S: u64 = 30;

/// A small internet that follows from one seed number. What a URL answers is a pure function of the options, the URL
/// and the number of requests for it so far (which only decides whether a passing fault is over).
#[derive(Debug)]
pub struct Web {
    options: WebOptions,
    hosts: Vec<Host>,
    by_authority: HashMap<String, u32>,
    by_name: HashMap<String, u32>,
}

impl Web {
    /// Grows a web. The same options give the same web.
    pub fn generate(options: WebOptions) -> Web {
        let hosts = crate::grow::grow(&options);
        let index =
            |text: fn(&Host) -> String| hosts.iter().zip(0..).map(|(host, i)| (text(host), i)).collect();
        let (by_authority, by_name) = (index(Host::authority), index(|host| host.name.clone()));
        Web { options, by_authority, by_name, hosts }
    }

    /// What it was grown from.
    pub fn options(&self) -> &WebOptions {
        &self.options
    }

    /// All hosts.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The host of that name.
    pub fn host_named(&self, name: &str) -> Option<&Host> {
        Some(&self.hosts[*self.by_name.get(name)? as usize])
    }

    /// The host of a `name` or `name:port`.
    pub fn host_at(&self, authority: &str) -> Option<&Host> {
        Some(&self.hosts[self.host_index(authority)? as usize])
    }

    /// Root pages of the seeds' hosts. With all of them as seeds [`Web::expected`] is exact.
    pub fn seeds(&self) -> Vec<String> {
        self.hosts.iter().filter(|host| host.is_seed).map(|host| host.url("/")).collect()
    }

    /// Root pages of all hosts.
    pub fn roots(&self) -> Vec<String> {
        self.hosts.iter().map(|host| host.url("/")).collect()
    }

    /// Number of URLs, without robots.txt and traps.
    pub fn n_urls(&self) -> usize {
        self.hosts.iter().map(|host| host.resources.len()).sum()
    }

    /// What a URL (absolute, without fragment) answers in the end, when all passing faults are over; `None` if no
    /// server can be reached there.
    pub fn settled(&self, url: &str) -> Option<Answer> {
        let (authority, path) = split_url(url)?;
        let host = self.host_at(authority)?;
        (host.health == Health::Fine)
            .then(|| self.respond(&Request::get(&host.name, host.port, path), u32::MAX))
    }

    /// Where the hosts lie, for [`crate::SimNetwork`] and [`crate::DnsServer`].
    pub fn places(&self) -> Vec<Place> {
        self.hosts.iter().map(Place::of).collect()
    }

    pub(crate) fn host_index(&self, authority: &str) -> Option<u32> {
        self.by_authority.get(authority).copied()
    }

    pub(crate) fn resource(&self, host: &Host, path: &str) -> Option<Resource> {
        host.by_path.get(path).map(|index| host.resources[*index as usize].clone())
    }

    pub(crate) fn address_of(&self, link: &Link) -> String {
        match &link.to {
            Target::Page(PageId { host, resource }) => {
                let host = &self.hosts[*host as usize];
                host.url(&host.resources[*resource as usize].path)
            }
            Target::Other(text) => text.to_string(),
        }
    }

    /// Absolute URLs of the sitemaps that robots.txt of a host names.
    pub(crate) fn sitemaps_of(&self, host: &Host) -> Vec<String> {
        host.by_path.contains_key("/sitemap.xml").then(|| host.url("/sitemap.xml")).into_iter().collect()
    }

    fn answer_of(&self, host: &Host, request: &Request) -> (Answer, Option<Kind>) {
        if request.path == "/robots.txt" {
            return (self.robots(host), None);
        }
        if let Some(index) = host.by_path.get(request.path.as_str()) {
            let resource = &host.resources[*index as usize];
            return (self.resource_answer(host, resource, request), Some(resource.kind));
        }
        if let Some(next) = host.traps.iter().find_map(|trap| trap.next(&request.path)) {
            return (Answer::new(200, "text/html", render::trap_page(&next)), None);
        }
        (not_found(), None)
    }

    fn robots(&self, host: &Host) -> Answer {
        match host.robots.text(&self.options.agent, &self.sitemaps_of(host)) {
            Some(text) => Answer::new(200, "text/plain", text),
            None => match host.robots {
                RobotsPlan::Missing(status) => Answer { status, ..not_found() },
                RobotsPlan::NeverAnswers => never(),
                _ => Answer::new(500, "text/plain", "the robots are out of order\n"),
            },
        }
    }

    fn resource_answer(&self, host: &Host, resource: &Resource, request: &Request) -> Answer {
        let url = host.url(&resource.path);
        let mut rng = rng_of(self.options.seed, &url);
        let addresses: Vec<String> = resource.links.iter().map(|link| self.address_of(link)).collect();
        let answer = match resource.kind {
            Kind::Page => Answer::new(
                200,
                "text/html; charset=utf-8",
                render::html(host, resource, &addresses, false, &mut rng),
            ),
            Kind::NoFollow => {
                Answer::new(200, "text/html", render::html(host, resource, &addresses, true, &mut rng))
            }
            Kind::Style => Answer::new(200, "text/css", render::css(host, resource, &addresses, &mut rng)),
            Kind::Script => {
                let text = format!("function f{0}(a) {{ return a * {0} + 1; }}\n", rng.u16(..));
                Answer::new(200, "application/javascript", text)
            }
            Kind::Image => {
                let media_type = if resource.path.ends_with(".gif") { "image/gif" } else { "image/png" };
                Answer::new(200, media_type, render::image(&resource.path, &mut rng))
            }
            Kind::Text | Kind::BusyOnce => Answer::new(200, "text/plain", render::prose(&mut rng, 12)),
            Kind::Duplicate(group) => {
                let mut rng = rng_of(self.options.seed, &format!("group {group}"));
                Answer::new(200, "text/plain", render::prose(&mut rng, 20))
            }
            Kind::Large => {
                let len_max = self.options.large_bytes_max.max(2);
                Answer::new(200, "application/octet-stream", render::noise(&mut rng, len_max / 2..len_max))
            }
            Kind::Redirect(status) => redirect(status, host, resource, &addresses),
            Kind::CookieSet => {
                redirect(302, host, resource, &addresses).with("Set-Cookie", "visitor=known; Path=/cookie")
            }
            Kind::CookieRead => {
                let came = request.header("cookie").is_some_and(|cookie| cookie.contains("visitor=known"));
                Answer::new(200, "text/plain", if came { "welcome back\n" } else { "who are you\n" })
            }
            Kind::Missing => not_found(),
            Kind::Odd(401) => Answer::new(401, "text/plain", "not without a name\n")
                .with("WWW-Authenticate", "Basic realm=\"odd\""),
            Kind::Odd(status) => {
                Answer::new(status, "text/plain", format!("an odd answer, {status}, of {url}\n"))
            }
            Kind::Busy(status) => busy(status),
            Kind::Hangs => never(),
            Kind::Sitemap => Answer::new(200, "application/xml", render::sitemap(&addresses, false)),
            Kind::SitemapIndex => Answer::new(200, "text/xml", render::sitemap(&addresses, true)),
        };
        let answer = Answer { framing: resource.framing, ..answer };
        if resource.gzip { gzipped(answer) } else { answer }
    }

    /// What goes wrong for a while at this URL.
    fn deliver(&self, answer: &mut Answer, host: &Host, url: &str, is_leaf: bool, visit: u32) {
        let rates = &self.options.faults;
        let chance = mix(self.options.seed ^ 0x5eed, url);
        let dealt = |shift: u32| ((chance >> shift) % 1000) as u32;
        let delivery = &mut answer.delivery;
        delivery.think_ms = host.think_ms;
        delivery.reset = chance & 1 == 1;
        if delivery.cut.is_some() {
            return;
        }
        if dealt(4) < rates.drop_before_head && visit < 1 + (chance >> 1 & 1) as u32 {
            delivery.cut = Some(Cut::BeforeHead);
        } else if is_leaf && dealt(16) < rates.drop_mid_body && visit == 0 && answer.body.len() > 20 {
            delivery.cut = Some(Cut::MidBody);
        }
        if dealt(28) < rates.trickle {
            let pieces = 3 + (chance >> 40 & 3) as u32;
            (delivery.pieces, delivery.pause_ms) = (pieces, 1000 + (chance >> 44 & 0x1ff));
        }
    }
}

impl Serve for Web {
    fn respond(&self, request: &Request, visit: u32) -> Answer {
        let authority = if request.port == 80 {
            request.host.clone()
        } else {
            format!("{}:{}", request.host, request.port)
        };
        let Some(host) = self.host_at(&authority) else {
            return Answer::new(421, "text/plain", "no such host here\n");
        };
        let (mut answer, kind) = self.answer_of(host, request);
        if kind == Some(Kind::BusyOnce) && visit == 0 {
            answer = busy(503);
        }
        // A body that may break off has no links, so that what is found does not hang on the fault; and its end is
        // marked, so that the break can be seen.
        let is_leaf = kind.is_some_and(|kind| {
            matches!(kind, Kind::Image | Kind::Text | Kind::Large | Kind::Script)
                && answer.status == 200
                && answer.framing != Framing::Close
        });
        self.deliver(&mut answer, host, &request.url(), is_leaf, visit);
        answer
    }
}

/// Authority and path of an http URL.
pub(crate) fn split_url(url: &str) -> Option<(&str, &str)> {
    let rest = url.strip_prefix("http://")?;
    Some(rest.split_at(rest.find('/')?))
}

fn not_found() -> Answer {
    Answer::new(
        404,
        "text/html",
        "<html><head><title>404</title></head><body>There is no such page.</body></html>\n",
    )
}

fn busy(status: u16) -> Answer {
    Answer::new(status, "text/plain", "come back later\n").with("Retry-After", RETRY_AFTER_S.to_string())
}

fn never() -> Answer {
    let delivery = Delivery { cut: Some(Cut::Never), ..Delivery::default() };
    Answer { delivery, ..Answer::new(200, "text/plain", "") }
}

fn redirect(status: u16, host: &Host, resource: &Resource, addresses: &[String]) -> Answer {
    let answer = Answer::new(status, "text/plain", "it has moved\n");
    let folder = render::folder_of(&resource.path);
    let to = resource.links.iter().zip(addresses).find(|(link, _)| link.kind == LinkKind::Location);
    match to {
        Some((link, address)) => answer.with("Location", render::spell(host, folder, link, address)),
        None => answer,
    }
}

fn gzipped(mut answer: Answer) -> Answer {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&answer.body).expect("writing to memory");
    answer.body = encoder.finish().expect("writing to memory").into();
    if answer.framing == Framing::Close {
        answer.framing = Framing::Length;
    }
    answer.with("Content-Encoding", "gzip")
}
