//! Grows the hosts of a web and the graph of their links.
//!
//! The graph is made so that what a correct crawl fetches does not depend on the order of fetching:
//! - seeds are known from the start; hosts that are no seeds are entered at their root page or at a leaf ("article");
//! - a link to another host leads from a seed's host to any host, from any other host to seeds' hosts only;
//! - within a host, links lead down (root, section, page, leaf), or home to the root.
//!
//! So no path from a seed has more than about 17 hops, whichever way is found first, and the limit of 20 hops cuts
//! nothing but traps, which hang on seeds.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};

use fastrand::Rng;

use crate::answer::Framing;
use crate::chance::{mix, rng_of};
use crate::host::{Health, Host};
use crate::options::{Naming, WebOptions};
use crate::page::{Kind, Link, LinkKind, PageId, Resource, SPELLINGS, Spelling, Target};
use crate::robots_plan::RobotsPlan;
use crate::traps::Trap;

const WORDS: [&str; 24] = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "island", "juniper", "kestrel",
    "lantern", "meadow", "nimbus", "orchard", "pebble", "quarry", "river", "summit", "thicket", "umber",
    "valley", "willow", "yarrow",
];

const LABELS: [&str; 6] = ["www", "docs", "news", "img", "shop", "old"];

/// Groups of resources with equal bytes.
const DUPLICATE_GROUPS: u32 = 12;

const ODD_STATUSES: [u16; 12] = [201, 203, 204, 299, 400, 401, 403, 410, 418, 451, 500, 502];

/// Makes all hosts.
pub(crate) fn grow(options: &WebOptions) -> Vec<Host> {
    let n_hosts = options.hosts.max(1);
    let mut rng = rng_of(options.seed, "hosts");
    let sizes = sizes(n_hosts, options.urls);
    let mut order: Vec<usize> = (0..n_hosts).collect();
    rng.shuffle(&mut order);
    let mut hosts: Vec<Host> =
        (0..n_hosts).map(|index| bare_host(options, index, order[index], &mut rng)).collect();
    let mut grown: Vec<Grown> = Vec::with_capacity(n_hosts);
    for (index, host) in hosts.iter_mut().enumerate() {
        grown.push(furnish(options, index as u32, host, sizes[order[index]]));
    }
    connect(options, &mut hosts, &grown);
    hosts
}

/// Sizes by a mild power law; every host has at least its root.
fn sizes(n_hosts: usize, urls: usize) -> Vec<usize> {
    let weights: Vec<f64> = (0..n_hosts).map(|rank| 1.0 / ((rank + 3) as f64).powf(0.7)).collect();
    let total: f64 = weights.iter().sum();
    let to_share = urls.saturating_sub(n_hosts) as f64;
    weights.iter().map(|weight| 1 + (weight / total * to_share).round() as usize).collect()
}

/// A host without content. `place` (a permutation of all indexes) deals out the kinds evenly: of each there are as many
/// in every web.
fn bare_host(options: &WebOptions, index: usize, place: usize, rng: &mut Rng) -> Host {
    let per_mille = (place * 1000 / options.hosts.max(1)) as u32;
    // Every attribute walks through the places with another stride and start, so that none hangs on another.
    let dealt =
        |stride: u32| (per_mille * stride + mix(options.seed, &stride.to_string()) as u32 % 1000) % 1000;
    let hostile = options.hostile && options.hosts >= 20 && index != 0;
    let health = match dealt(7) {
        0..15 if hostile => Health::Down,
        15..30 if hostile => Health::NoName,
        _ => Health::Fine,
    };
    let robots = match dealt(11) {
        0..400 => RobotsPlan::Rules { crawl_delay_s: None, names_agent: dealt(13) < 300 },
        400..500 => RobotsPlan::Rules { crawl_delay_s: Some(2 + dealt(13) / 100), names_agent: false },
        500..800 => RobotsPlan::Missing(404),
        800..850 => RobotsPlan::Missing(if dealt(13) < 500 { 403 } else { 410 }),
        850..900 => RobotsPlan::Empty,
        900..925 if hostile => RobotsPlan::Forbidding,
        925..950 if hostile => RobotsPlan::ServerError,
        950..965 if hostile => RobotsPlan::NeverAnswers,
        _ => RobotsPlan::Missing(404),
    };
    let faults = options.faults;
    let is_seed = index == 0 || (health == Health::Fine && !robots.is_unreachable() && dealt(17) < 600);
    let (name, port, mut address) = place_of(options, index, rng);
    if health != Health::Fine && options.naming == Naming::False {
        // It must not take down a neighbour that shares its address.
        address = address_of(index + 0x80_0000, 11);
    }
    Host {
        name,
        port,
        address,
        is_seed,
        health,
        robots,
        dns_ttl_s: 300 + rng.u32(0..86_000),
        dns_failures: if dealt(19) < faults.dns_failure { rng.u32(1..3) } else { 0 },
        refusals: if dealt(23) < faults.refused { rng.u32(1..3) } else { 0 },
        think_ms: if dealt(29) < faults.slow_host {
            rng.u64(2000..8000)
        } else {
            rng.u64(0..=options.think_ms_max)
        },
        idle_ms_max: if rng.u8(0..3) == 0 { rng.u64(1000..5000) } else { 60_000 },
        resources: Vec::new(),
        by_path: HashMap::new(),
        traps: Vec::new(),
    }
}

fn place_of(options: &WebOptions, index: usize, rng: &mut Rng) -> (String, u16, IpAddr) {
    // Domains of one to four hosts.
    let (domain, label) = (index / 3, LABELS[index % 3 + 3 * (index / 3 % 2)]);
    let word = WORDS[domain % WORDS.len()];
    let suffix = if domain % 5 == 4 { "test" } else { "example" };
    let name = format!("{label}.{word}{domain}.{suffix}");
    match options.naming {
        // 11.0.0.0/8 is ordinary unicast that no server on the web uses: neither private nor reserved.
        Naming::False => {
            let shares = domain % 3 == 0;
            let number = if shares { domain * 3 } else { index };
            let port = if rng.u8(0..20) == 0 { 8000 + rng.u16(0..100) } else { 80 };
            (name, port, address_of(number, 11))
        }
        Naming::Loopback { port } => (name, port, address_of(index, 127)),
        Naming::LoopbackNumeric { port } => {
            let address: IpAddr = address_of(index, 127);
            (address.to_string(), port, address)
        }
    }
}

fn address_of(number: usize, first: u8) -> IpAddr {
    let number = number as u32 + 256;
    Ipv4Addr::new(first, (number >> 16) as u8, (number >> 8) as u8, number as u8).into()
}

/// What `connect` needs to know of a furnished host.
struct Grown {
    /// Pages that may link to other hosts.
    pages: Vec<u32>,
    /// Leaf pages that other hosts may link to.
    articles: Vec<u32>,
    /// Images that other hosts may embed.
    images: Vec<u32>,
}

/// Grows one host.
struct Furnisher<'a> {
    rng: Rng,
    number: u32,
    host: &'a mut Host,
    sections: Vec<u32>,
    pages: Vec<u32>,
    grown: Grown,
}

fn furnish(options: &WebOptions, number: u32, host: &mut Host, size: usize) -> Grown {
    let rng = rng_of(options.seed, &format!("host {number}"));
    let grown = Grown { pages: Vec::new(), articles: Vec::new(), images: Vec::new() };
    let mut furnisher = Furnisher { rng, number, host, sections: Vec::new(), pages: Vec::new(), grown };
    furnisher.furnish(options, size);
    furnisher.grown
}

impl Furnisher<'_> {
    fn furnish(&mut self, options: &WebOptions, size: usize) {
        let root = self.add("/".to_owned(), Kind::Page);
        self.grown.pages.push(root);
        if size >= 3 {
            let style = self.add("/style.css".to_owned(), Kind::Style);
            self.link(root, style, LinkKind::Stylesheet);
            for _ in 0..size / 12 {
                let image = self.leaf("/img/bg", ".png", Kind::Image);
                self.link(style, image, LinkKind::CssUrl);
            }
        }
        let is_healthy_seed = self.host.is_seed && self.host.robots.allows("/");
        if options.traps && is_healthy_seed && self.number.is_multiple_of(17) {
            self.host.traps.push(Trap::ALL[(self.number / 17) as usize % Trap::ALL.len()]);
        }
        if is_healthy_seed && self.number % 10 == 3 && size >= 4 {
            let set = self.add("/cookie/set".to_owned(), Kind::CookieSet);
            let read = self.add("/cookie/read".to_owned(), Kind::CookieRead);
            self.link(root, set, LinkKind::Anchor);
            self.link_spelt(set, read, LinkKind::Location, Spelling::RootRelative);
        }
        if size >= 8
            && matches!(self.host.robots, RobotsPlan::Rules { .. } | RobotsPlan::Empty)
            && self.rng.u8(0..3) == 0
        {
            self.sitemap();
        }
        while self.host.resources.len() < size {
            self.one_more(options);
        }
        for page in self.grown.pages.clone() {
            self.navigation(page);
        }
    }

    /// Adds one resource (a redirect may bring more) and a link to it.
    fn one_more(&mut self, options: &WebOptions) {
        let parent = self.any_page();
        match self.rng.u32(0..1000) {
            0..110 if self.sections.len() < 8 => {
                let name = WORDS[self.rng.usize(..WORDS.len())];
                let section = self.numbered(&format!("/{name}"), "/", Kind::Page);
                self.sections.push(section);
                self.grown.pages.push(section);
                self.link(0, section, LinkKind::Anchor);
            }
            0..450 => self.page(),
            450..540 => {
                let article = self.leaf("/articles/a", ".html", Kind::Page);
                self.grown.articles.push(article);
                self.link(parent, article, LinkKind::Anchor);
                self.link(article, 0, LinkKind::Anchor);
            }
            540..690 => {
                let ending = if self.rng.bool() { ".png" } else { ".gif" };
                let image = self.leaf("/img/i", ending, Kind::Image);
                self.grown.images.push(image);
                self.link(parent, image, LinkKind::Image);
            }
            690..710 => self.hang_on(parent, "/js/s", ".js", Kind::Script, LinkKind::Script),
            710..770 => self.redirect(parent),
            770..800 => self.hang_on(parent, "/gone/m", ".html", Kind::Missing, LinkKind::Anchor),
            800..830 => {
                let status = ODD_STATUSES[self.rng.usize(..ODD_STATUSES.len())];
                self.hang_on(parent, "/odd/o", ".html", Kind::Odd(status), LinkKind::Anchor);
            }
            830..845 => {
                let status = if self.rng.bool() { 429 } else { 503 };
                self.hang_on(parent, "/busy/b", ".html", Kind::Busy(status), LinkKind::Anchor);
            }
            845..855 => self.hang_on(parent, "/busy/once", ".txt", Kind::BusyOnce, LinkKind::Anchor),
            855..862 => self.hang_on(parent, "/large/l", ".bin", Kind::Large, LinkKind::Anchor),
            862..902 => {
                let group = self.rng.u32(..DUPLICATE_GROUPS);
                self.hang_on(parent, "/same/d", ".txt", Kind::Duplicate(group), LinkKind::Anchor);
            }
            902..935 => self.hang_on(parent, "/private/p", ".html", Kind::Text, LinkKind::Anchor),
            935..945 => self.hang_on(parent, "/private/open/q", ".txt", Kind::Text, LinkKind::Anchor),
            945..955 => self.hang_on(parent, "/cgi/run", ".cgi", Kind::Text, LinkKind::Anchor),
            955..965 => self.hang_on(parent, "/view", ".txt?print=1", Kind::Text, LinkKind::Anchor),
            965..972 => self.no_follow(parent),
            972..976 if options.hostile => {
                self.hang_on(parent, "/never/n", ".html", Kind::Hangs, LinkKind::Anchor)
            }
            _ => self.hang_on(parent, "/text/t", ".txt", Kind::Text, LinkKind::Area),
        }
    }

    /// A page under a section or, one level deeper, under another page.
    fn page(&mut self) {
        let name = WORDS[self.rng.usize(..WORDS.len())];
        let kind = Kind::Page;
        let stem = match self.rng.u8(0..6) {
            0 => format!("/Dir/{name}%20"),
            1 => format!("/lib/{name}?lang=en&copy="),
            2 => format!("/lib/{name}/deep/er/"),
            _ => format!("/lib/{name}-"),
        };
        let page = self.numbered(&stem, "", kind);
        if !self.pages.is_empty() && self.rng.u8(0..3) == 0 {
            // Leaves hang on it, but no other page.
            let above = self.pages[self.rng.usize(..self.pages.len())];
            self.link(above, page, LinkKind::Anchor);
        } else {
            let above = if self.sections.is_empty() {
                0
            } else {
                self.sections[self.rng.usize(..self.sections.len())]
            };
            self.link(above, page, LinkKind::Anchor);
            self.pages.push(page);
        }
        self.grown.pages.push(page);
        let resource = &mut self.host.resources[page as usize];
        resource.has_base = self.rng.u8(0..30) == 0;
    }

    /// A chain that ends at a leaf, a loop, or a way to the root page.
    fn redirect(&mut self, parent: u32) {
        let mut at = parent;
        let mut kind = LinkKind::Anchor;
        let length = 1 + self.rng.u8(0..12) / 4;
        let first = self.host.resources.len() as u32;
        for _ in 0..length {
            let status = [301, 302, 303, 307, 308][self.rng.usize(..5)];
            let next = self.leaf("/moved/r", "", Kind::Redirect(status));
            self.link(at, next, kind);
            (at, kind) = (next, LinkKind::Location);
        }
        match self.rng.u8(0..4) {
            0 => self.link(at, first, LinkKind::Location),
            1 => self.link(at, 0, LinkKind::Location),
            _ => self.hang_on(at, "/articles/moved", ".txt", Kind::Text, LinkKind::Location),
        }
    }

    /// A page whose links must not be followed: they lead to what exists nowhere else.
    fn no_follow(&mut self, parent: u32) {
        let page = self.leaf("/nofollow/n", ".html", Kind::NoFollow);
        self.link(parent, page, LinkKind::Anchor);
        for index in 0..2 {
            let decoy = self.host.url(&format!("/decoy/{page}-{index}.html"));
            let to = Target::Other(decoy.into());
            self.push(page, Link { to, kind: LinkKind::Anchor, spelling: Spelling::Absolute });
        }
    }

    /// A sitemap with a page that stands in it alone; sometimes under a sitemap index.
    fn sitemap(&mut self) {
        let is_index = self.rng.u8(0..3) == 0;
        let sitemap = if is_index {
            let index = self.add("/sitemap.xml".to_owned(), Kind::SitemapIndex);
            let sitemap = self.add("/sitemap-1.xml".to_owned(), Kind::Sitemap);
            self.link_spelt(index, sitemap, LinkKind::SitemapEntry, Spelling::Absolute);
            sitemap
        } else {
            self.add("/sitemap.xml".to_owned(), Kind::Sitemap)
        };
        let listed = self.leaf("/listed/only", ".html", Kind::Page);
        self.link(listed, 0, LinkKind::Anchor);
        self.link_spelt(sitemap, listed, LinkKind::SitemapEntry, Spelling::Absolute);
        self.link_spelt(sitemap, 0, LinkKind::SitemapEntry, Spelling::Absolute);
    }

    /// What every page has: the way home, sections' neighbours in the tree below, the stylesheet, repeats.
    fn navigation(&mut self, page: u32) {
        if page != 0 {
            self.link(page, 0, LinkKind::Anchor);
        }
        if page == 0 {
            for trap in self.host.traps.clone() {
                let to = Target::Other(self.host.url(trap.entry()).into());
                self.push(0, Link { to, kind: LinkKind::Anchor, spelling: Spelling::RootRelative });
            }
        }
        if self.host.by_path.contains_key("/style.css") && page != 0 {
            self.link(page, 1, LinkKind::Stylesheet);
        }
        let links = &self.host.resources[page as usize].links;
        let repeat = (!links.is_empty()).then(|| links[self.rng.usize(..links.len())].clone());
        if let Some(mut link) = repeat.filter(|link| link.kind == LinkKind::Anchor) {
            link.spelling = self.spelling();
            self.push(page, link);
        }
    }

    fn hang_on(&mut self, parent: u32, stem: &str, ending: &str, kind: Kind, link: LinkKind) {
        let leaf = self.leaf(stem, ending, kind);
        self.link(parent, leaf, link);
    }

    /// Root, section or page.
    fn any_page(&mut self) -> u32 {
        self.grown.pages[self.rng.usize(..self.grown.pages.len())]
    }

    fn leaf(&mut self, stem: &str, ending: &str, kind: Kind) -> u32 {
        self.numbered(stem, ending, kind)
    }

    fn numbered(&mut self, stem: &str, ending: &str, kind: Kind) -> u32 {
        let number = self.host.resources.len();
        self.add(format!("{stem}{number}{ending}"), kind)
    }

    fn add(&mut self, path: String, kind: Kind) -> u32 {
        let index = self.host.resources.len() as u32;
        let framing = match self.rng.u8(0..10) {
            0..3 => Framing::Chunked,
            3 => Framing::Close,
            _ => Framing::Length,
        };
        let gzip = (kind.is_html() || matches!(kind, Kind::Style | Kind::Text)) && self.rng.u8(0..8) == 0;
        self.host.by_path.insert(path.clone(), index);
        self.host.resources.push(Resource { path, kind, links: Vec::new(), framing, gzip, has_base: false });
        index
    }

    fn spelling(&mut self) -> Spelling {
        SPELLINGS[self.rng.usize(..SPELLINGS.len())]
    }

    fn link(&mut self, from: u32, to: u32, kind: LinkKind) {
        let spelling = self.spelling();
        self.link_spelt(from, to, kind, spelling);
    }

    fn link_spelt(&mut self, from: u32, to: u32, kind: LinkKind, spelling: Spelling) {
        let to = Target::Page(PageId { host: self.number, resource: to });
        self.push(from, Link { to, kind, spelling });
    }

    fn push(&mut self, from: u32, link: Link) {
        self.host.resources[from as usize].links.push(link);
    }
}

/// Links between hosts.
fn connect(options: &WebOptions, hosts: &mut [Host], grown: &[Grown]) {
    let mut rng = rng_of(options.seed, "between hosts");
    let seeds: Vec<u32> = (0..hosts.len() as u32).filter(|index| hosts[*index as usize].is_seed).collect();
    let open_seeds: Vec<u32> =
        seeds.iter().copied().filter(|index| hosts[*index as usize].robots.allows("/")).collect();
    for index in 0..hosts.len() as u32 {
        let host = index as usize;
        if !hosts[host].is_seed && !open_seeds.is_empty() {
            // Whatever is no seed is linked from the root page of one at least.
            let from = PageId { host: open_seeds[rng.usize(..open_seeds.len())], resource: 0 };
            let to = Target::Page(PageId { host: index, resource: 0 });
            push(hosts, from, Link { to, kind: LinkKind::Anchor, spelling: between(&mut rng) });
        }
        let pages = &grown[host].pages;
        for _ in 0..pages.len().div_ceil(2) {
            let from = PageId { host: index, resource: pages[rng.usize(..pages.len())] };
            let other = if hosts[host].is_seed {
                rng.u32(..hosts.len() as u32)
            } else {
                seeds[rng.usize(..seeds.len())]
            };
            if other == index {
                continue;
            }
            let (articles, images) = (&grown[other as usize].articles, &grown[other as usize].images);
            let (resource, kind) = match rng.u8(0..4) {
                0 if !articles.is_empty() => (articles[rng.usize(..articles.len())], LinkKind::Anchor),
                1 if !images.is_empty() => (images[rng.usize(..images.len())], LinkKind::Image),
                _ => (0, LinkKind::Anchor),
            };
            let to = Target::Page(PageId { host: other, resource });
            push(hosts, from, Link { to, kind, spelling: between(&mut rng) });
        }
        // Some redirects end elsewhere, some pages refresh to elsewhere, some names do not exist.
        if rng.u8(0..6) == 0 && !open_seeds.is_empty() {
            let to = Target::Page(PageId { host: open_seeds[rng.usize(..open_seeds.len())], resource: 0 });
            let path = format!("/away{}", hosts[host].resources.len());
            let away = add_redirect(&mut hosts[host], path);
            push(
                hosts,
                PageId { host: index, resource: away },
                Link { to, kind: LinkKind::Location, spelling: Spelling::Absolute },
            );
            let to = Target::Page(PageId { host: index, resource: away });
            push(
                hosts,
                PageId { host: index, resource: 0 },
                Link { to, kind: LinkKind::Anchor, spelling: Spelling::RootRelative },
            );
        }
        if rng.u8(0..12) == 0 && !grown[host].articles.is_empty() {
            let article = grown[host].articles[rng.usize(..grown[host].articles.len())];
            let to = Target::Page(PageId { host: index, resource: 0 });
            push(
                hosts,
                PageId { host: index, resource: article },
                Link { to, kind: LinkKind::Refresh, spelling: Spelling::Absolute },
            );
        }
        let has_names = !matches!(options.naming, Naming::LoopbackNumeric { .. });
        if options.hostile && has_names && rng.u8(0..25) == 0 {
            let to = Target::Other(format!("http://no-such-name-{index}.example/").into());
            push(
                hosts,
                PageId { host: index, resource: 0 },
                Link { to, kind: LinkKind::Anchor, spelling: Spelling::Absolute },
            );
        }
    }
}

fn between(rng: &mut Rng) -> Spelling {
    [Spelling::Absolute, Spelling::SchemeRelative, Spelling::UpperHost][rng.usize(..3)]
}

fn push(hosts: &mut [Host], from: PageId, link: Link) {
    hosts[from.host as usize].resources[from.resource as usize].links.push(link);
}

fn add_redirect(host: &mut Host, path: String) -> u32 {
    let index = host.resources.len() as u32;
    host.by_path.insert(path.clone(), index);
    host.resources.push(Resource {
        path,
        kind: Kind::Redirect(302),
        links: Vec::new(),
        framing: Framing::Length,
        gzip: false,
        has_base: false,
    });
    index
}
