//! What a correct crawler fetches from a generated web: found by a walk over its graph, not by reading its pages, with
//! scope rules written anew from the description of Heritrix's default profile.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::{Hop, HopPath};

use crate::host::{Health, Host};
use crate::page::{Kind, LinkKind};
use crate::render::BASE_FOLDER;
use crate::web::{Web, split_url};

/// What the scope of a crawl is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScopeKind {
    /// The seeds alone.
    Page,
    /// Whatever begins like a seed up to its last slash.
    Prefix,
    /// The hosts of the seeds.
    Host,
    /// The registrable domains of the seeds.
    Domain,
    /// Everything.
    Any,
}

/// The scope rules that the oracle knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeModel {
    /// What is in by itself.
    pub kind: ScopeKind,
    /// What a page in scope needs to be shown, and where it redirects to, is in wherever it lies.
    pub embeds_anywhere: bool,
    /// Most hops of any kind (Heritrix `maxHops`).
    pub hops_max: u32,
    /// Most link hops; `None` for no limit.
    pub link_hops_max: Option<u32>,
    /// Most hops but redirects since the last link, for what lies out of scope (Heritrix `maxTransHops`).
    pub trans_hops_max: u32,
    /// Most slashes in a path (Heritrix `maxPathDepth`).
    pub path_segments_max: usize,
    /// A path segment repeated that often behind itself is refused (Heritrix `maxRepetitions`).
    pub path_repetitions_max: usize,
    /// robots.txt and `meta robots` are obeyed.
    pub obeys_robots: bool,
}

impl ScopeModel {
    /// Heritrix's limits, robots obeyed.
    pub fn new(kind: ScopeKind, embeds_anywhere: bool) -> ScopeModel {
        ScopeModel {
            kind,
            embeds_anywhere,
            hops_max: 20,
            link_hops_max: None,
            trans_hops_max: 2,
            path_segments_max: 20,
            path_repetitions_max: 2,
            obeys_robots: true,
        }
    }
}

/// How a URL must end in a correct crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fate {
    /// Fetched with that status.
    Status(u16),
    /// Busy at first: fetched as 503, or later as 200.
    BusyOr200,
    /// Refused by a rule of robots.txt.
    Forbidden,
    /// Refused or failed since robots.txt cannot be read.
    RobotsUnreachable,
    /// The name has no address.
    NoAddress,
    /// The server cannot be reached, or never answers.
    NoAnswer,
}

impl Fate {
    /// True if that fetch status (Heritrix's codes) is a right end.
    pub fn allows(self, status: i32) -> bool {
        match self {
            Fate::Status(expected) => status == i32::from(expected),
            Fate::BusyOr200 => status == 503 || status == 200,
            Fate::Forbidden => status == -9998,
            Fate::RobotsUnreachable | Fate::NoAddress | Fate::NoAnswer => status < 0,
        }
    }

    /// True if an answer is to be archived.
    pub fn is_fetched(self) -> bool {
        matches!(self, Fate::Status(_) | Fate::BusyOr200)
    }
}

/// A URL that a correct crawler handles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedUrl {
    /// How it must end.
    pub fate: Fate,
    /// A shortest path from a seed; a crawler may find a longer one first.
    pub hop_path: HopPath,
    /// The page it was found on; `None` for seeds.
    pub via: Option<String>,
}

/// Everything a correct crawler handles, but `dns:` URLs, robots.txt and guesses (favicons).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expected {
    /// By URL.
    pub urls: BTreeMap<String, ExpectedUrl>,
    /// Authorities whose robots.txt must be asked for.
    pub origins: BTreeSet<String>,
}

impl Expected {
    /// How often each fate is met.
    pub fn counts(&self) -> BTreeMap<Fate, usize> {
        let mut counts = BTreeMap::new();
        for url in self.urls.values() {
            *counts.entry(url.fate).or_default() += 1;
        }
        counts
    }

    /// URLs with a status of that number.
    pub fn with_status(&self, status: u16) -> impl Iterator<Item = &str> {
        self.urls
            .iter()
            .filter(move |(_, url)| url.fate == Fate::Status(status))
            .map(|(text, _)| text.as_str())
    }
}

impl Web {
    /// What a correct crawler handles from those seeds. It does not depend on the order of fetching if the seeds are
    /// [`Web::seeds`]; from fewer seeds that is so as long as no limit on hops is reached.
    pub fn expected(&self, seeds: &[String], scope: &ScopeModel) -> Expected {
        let mut walk = Walk {
            web: self,
            scope,
            seeds: Seeds::new(seeds, scope.kind),
            expected: Expected::default(),
            queue: VecDeque::new(),
        };
        for seed in seeds {
            walk.admit(seed.clone(), HopPath::seed(), None);
        }
        while let Some(url) = walk.queue.pop_front() {
            walk.visit(&url);
        }
        walk.expected
    }
}

#[cfg(test)]
impl Web {
    /// Hops of the longest way that a URL may be found by first, over all orders of fetching (an upper bound: links to
    /// what is known already by then are left out only if they lead to a seed or home to the root page).
    pub(crate) fn longest_way(&self, scope: &ScopeModel) -> u32 {
        let seeds = self.seeds();
        let walk = Walk {
            web: self,
            scope,
            seeds: Seeds::new(&seeds, scope.kind),
            expected: Expected::default(),
            queue: VecDeque::new(),
        };
        let mut longest = 0;
        let mut known = BTreeMap::new();
        for seed in &seeds {
            let mut way = vec![seed.clone()];
            longest = longest.max(walk.longest_from(seed, &mut way, &mut known));
        }
        longest
    }
}

#[cfg(test)]
impl Walk<'_> {
    fn longest_from(&self, url: &str, way: &mut Vec<String>, known: &mut BTreeMap<String, u32>) -> u32 {
        if let Some(hops) = known.get(url) {
            return *hops;
        }
        let mut longest = 0;
        let Some((authority, path)) = split_url(url) else { return 0 };
        let Some(host) = self.web.host_at(authority) else { return 0 };
        // Robots.txt and sitemap are two hops more.
        let sitemaps = if path == "/" { self.web.sitemaps_of(host) } else { Vec::new() };
        let links = self
            .links(host, path)
            .into_iter()
            .map(|(to, _)| (to, 1))
            .chain(sitemaps.into_iter().map(|to| (to, 2)));
        for (to, hops) in links.collect::<Vec<_>>() {
            let (to_authority, to_path) = split_url(&to).expect("made by the web");
            let to_seed = to_path == "/" && self.web.host_at(to_authority).is_some_and(|host| host.is_seed);
            // A page links home to a root that is known, unless the host was entered at an article: two hops more.
            if to_seed || way.contains(&to) {
                continue;
            }
            way.push(to.clone());
            longest = longest.max(hops + self.longest_from(&to, way, known));
            way.pop();
        }
        known.insert(url.to_owned(), longest);
        longest
    }
}

struct Walk<'a> {
    web: &'a Web,
    scope: &'a ScopeModel,
    seeds: Seeds,
    expected: Expected,
    queue: VecDeque<String>,
}

impl Walk<'_> {
    fn offer(&mut self, url: String, hop_path: HopPath, via: &str) {
        if !self.expected.urls.contains_key(&url) && self.accepts(&url, &hop_path) {
            self.admit(url, hop_path, Some(via.to_owned()));
        }
    }

    fn admit(&mut self, url: String, hop_path: HopPath, via: Option<String>) {
        let fate = self.fate(&url);
        self.queue.push_back(url.clone());
        self.expected.urls.entry(url).or_insert(ExpectedUrl { fate, hop_path, via });
    }

    /// Offers what a URL leads to.
    fn visit(&mut self, url: &str) {
        let (fate, hop_path) = (self.expected.urls[url].fate, self.expected.urls[url].hop_path.clone());
        let Some((authority, path)) = split_url(url) else { return };
        let Some(host) = self.web.host_at(authority).filter(|host| host.health == Health::Fine) else {
            return;
        };
        if self.expected.origins.insert(authority.to_owned()) && host.robots.text("", &[]).is_some() {
            let through_robots = hop_path.then(Hop::Prerequisite).then(Hop::Manifest);
            for sitemap in self.web.sitemaps_of(host) {
                self.offer(sitemap, through_robots.clone(), &host.url("/robots.txt"));
            }
        }
        if !fate.is_fetched() {
            return;
        }
        for (to, kind) in self.links(host, path) {
            self.offer(to, hop_path.then(kind.hop()), url);
        }
    }

    fn links(&self, host: &Host, path: &str) -> Vec<(String, LinkKind)> {
        let Some(resource) = self.web.resource(host, path) else {
            let next = host.traps.iter().find_map(|trap| trap.next(path));
            return next.map(|next| (host.url(&next), LinkKind::Anchor)).into_iter().collect();
        };
        if resource.kind == Kind::NoFollow && self.scope.obeys_robots {
            return Vec::new();
        }
        // A base is a link itself (as Heritrix takes it), though the web has nothing there.
        let base = resource.has_base.then(|| (host.url(BASE_FOLDER), LinkKind::Anchor));
        let links = resource.links.iter().map(|link| (self.web.address_of(link), link.kind));
        base.into_iter().chain(links).collect()
    }

    fn fate(&self, url: &str) -> Fate {
        let Some((authority, path)) = split_url(url) else { return Fate::NoAnswer };
        let Some(host) = self.web.host_at(authority) else { return Fate::NoAddress };
        match host.health {
            Health::NoName => return Fate::NoAddress,
            Health::Down => return Fate::NoAnswer,
            Health::Fine => {}
        }
        if self.scope.obeys_robots {
            if host.robots.is_unreachable() {
                return Fate::RobotsUnreachable;
            }
            if !host.robots.allows(path) {
                return Fate::Forbidden;
            }
        }
        match self.web.resource(host, path).map(|resource| resource.kind) {
            None if host.traps.iter().any(|trap| trap.next(path).is_some()) => Fate::Status(200),
            None | Some(Kind::Missing) => Fate::Status(404),
            Some(Kind::Redirect(status) | Kind::Odd(status) | Kind::Busy(status)) => Fate::Status(status),
            Some(Kind::CookieSet) => Fate::Status(302),
            Some(Kind::BusyOnce) => Fate::BusyOr200,
            Some(Kind::Hangs) => Fate::NoAnswer,
            Some(_) => Fate::Status(200),
        }
    }

    /// The rules of the default profile in their order; the last that speaks wins.
    fn accepts(&self, url: &str, hop_path: &HopPath) -> bool {
        let scope = self.scope;
        let mut accepted = self.seeds.cover(url);
        if hop_path.hop_count() > scope.hops_max
            || scope.link_hops_max.is_some_and(|max| hop_path.link_hop_count() > max)
        {
            accepted = false;
        }
        if scope.embeds_anywhere && is_transcluded(hop_path, scope.trans_hops_max) {
            accepted = true;
        }
        let path = split_url(url).map_or("/", |(_, path)| path.split('?').next().unwrap_or("/"));
        accepted
            && !is_repetitive(path, scope.path_repetitions_max)
            && path.matches('/').count() <= scope.path_segments_max
    }
}

/// Heritrix's `TransclusionDecideRule`, without the count of speculative hops: the web has none.
fn is_transcluded(hop_path: &HopPath, trans_hops_max: u32) -> bool {
    let tail = hop_path.transclusion_tail();
    let n_needed = tail.chars().filter(|letter| *letter != 'R').count() as u32;
    !tail.is_empty() && n_needed <= trans_hops_max
}

/// True if some path segment stands `repetitions_max` times or more behind itself.
fn is_repetitive(path: &str, repetitions_max: usize) -> bool {
    let segments: Vec<&str> = path.split_inclusive('/').filter(|segment| segment.ends_with('/')).collect();
    let mut run = 0;
    for pair in segments.windows(2) {
        run = if pair[0] == pair[1] { run + 1 } else { 0 };
        if run >= repetitions_max {
            return true;
        }
    }
    false
}

/// What the seeds themselves bring into scope.
struct Seeds {
    kind: ScopeKind,
    texts: BTreeSet<String>,
}

impl Seeds {
    fn new(seeds: &[String], kind: ScopeKind) -> Seeds {
        Seeds { kind, texts: seeds.iter().filter_map(|seed| Seeds::part(seed, kind)).collect() }
    }

    /// The part of a URL that decides.
    fn part(url: &str, kind: ScopeKind) -> Option<String> {
        let (authority, _) = split_url(url)?;
        match kind {
            ScopeKind::Page => Some(url.to_owned()),
            ScopeKind::Prefix => Some(url[..=url.split('?').next()?.rfind('/')?].to_owned()),
            ScopeKind::Host => Some(authority.to_owned()),
            ScopeKind::Domain => {
                let name = authority.split(':').next()?;
                Some(surt::registrable_domain(name).unwrap_or(name).to_owned())
            }
            ScopeKind::Any => Some(String::new()),
        }
    }

    fn cover(&self, url: &str) -> bool {
        match self.kind {
            ScopeKind::Prefix => self.texts.iter().any(|prefix| url.starts_with(prefix.as_str())),
            kind => Seeds::part(url, kind).is_some_and(|part| self.texts.contains(&part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_repetitive(path: &str, expected: bool) {
        assert_eq!(is_repetitive(path, 2), expected, "{path}");
    }

    #[test]
    fn repetitions() {
        check_repetitive("/a/a/b", false);
        check_repetitive("/a/a/a/b", true);
        check_repetitive("/a/a/a", false);
        check_repetitive("/x/a/b/a/b/a/b/", false);
    }

    fn check_transcluded(path: &str, expected: bool) {
        assert_eq!(is_transcluded(&HopPath::parse(path).unwrap(), 2), expected, "{path}");
    }

    #[test]
    fn transclusion() {
        check_transcluded("L", false);
        check_transcluded("LE", true);
        check_transcluded("LR", true);
        check_transcluded("LREE", true);
        check_transcluded("LEEE", false);
        check_transcluded("LEM", false);
    }
}
