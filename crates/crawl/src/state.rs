//! Everything that follows from the journal's entries and is kept in memory: the same code applies them live and at replay.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, RwLock};

use crawldb::Hosts;
use fetch::Fetcher;
use frontier::Frontier;
use model::entry::{Admit, Done, Entry};
use model::{HostChange, HostFacts, Ordinal, RobotsFact, RobotsRules};
use scope::Scope;
use serde::{Deserialize, Serialize};
use surt::CanonicalUrl;

use crate::manifest::EngineSection;
use crate::resume::BaseScope;
use crate::statistics::Statistics;

/// Origins whose Crawl-delay is remembered; beyond that all are forgotten and read again.
const CRAWL_DELAYS_MAX: usize = 100_000;

/// An action file's progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ActionProgress {
    /// Lines in the journal.
    pub lines_done: u64,
    /// All of them.
    pub is_done: bool,
}

/// Small facts that a manifest must hold, besides the large tables.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Facts {
    /// Launches so far.
    pub launches: u32,
    /// The folder of the last one.
    pub launch_folder: String,
    /// Launch folders in which WARC files may lie.
    pub launch_folders: Vec<String>,
    /// SURT prefixes that scope grew by, with their seeds, in order.
    pub scope_changes: Vec<(String, CanonicalUrl)>,
    /// The configuration of the last launch, as text.
    pub config_text: String,
    /// Action files.
    pub actions: BTreeMap<String, ActionProgress>,
}

/// What is known, in memory.
pub struct State {
    /// Which URL next.
    pub frontier: Frontier,
    /// DNS answers and robots.txt.
    pub hosts: Hosts,
    /// Sums.
    pub statistics: Statistics,
    /// Small facts.
    pub facts: Facts,
    /// Learns cookies and which hosts seeds name.
    pub fetcher: Arc<Fetcher>,
    /// Grows with seeds.
    pub scope: Arc<RwLock<Scope>>,
    /// Makes the scope that a configuration begins with.
    pub base_scope: BaseScope,
    crawl_delays: HashMap<String, Option<f64>>,
}

impl State {
    /// What a manifest knew; the frontier and the hosts opened.
    pub fn new(
        frontier: Frontier,
        hosts: Hosts,
        engine: EngineSection,
        fetcher: Arc<Fetcher>,
        scope: Arc<RwLock<Scope>>,
        base_scope: BaseScope,
    ) -> State {
        let EngineSection { facts, statistics, .. } = engine;
        let state = State {
            frontier,
            hosts,
            statistics,
            facts,
            fetcher,
            scope,
            base_scope,
            crawl_delays: HashMap::new(),
        };
        state.grow_scope_as_recorded();
        state
    }

    /// Lets scope and fetcher know the seeds of earlier launches.
    fn grow_scope_as_recorded(&self) {
        let scope = self.scope.read().expect("scope is never left half-changed");
        for (surt_prefix, _) in &self.facts.scope_changes {
            scope.apply_change(surt_prefix);
        }
        for seed in self.statistics.seeds.keys().filter_map(|seed| CanonicalUrl::parse(seed).ok()) {
            name_host(&self.fetcher, &seed);
        }
    }

    /// Applies a committed entry. `novel` is told of each URL that enters a queue for the first time.
    ///
    /// # Errors
    /// When the disk fails at a flush.
    pub fn apply(
        &mut self,
        sequence: u64,
        entry: Entry,
        novel: &mut dyn FnMut(Ordinal, &Admit),
    ) -> anyhow::Result<()> {
        match &entry {
            Entry::Launch { number, folder, .. } => {
                self.facts.launches = *number;
                self.facts.launch_folder.clone_from(folder);
                if self.facts.launch_folders.last() != Some(folder) {
                    self.facts.launch_folders.push(folder.clone());
                }
            }
            Entry::Config { text } => self.configure(text),
            Entry::ScopeChange { surt_prefix, seed } => self.grow_scope(surt_prefix, seed),
            Entry::Action { name, lines_done, end } => {
                let progress = ActionProgress { lines_done: *lines_done, is_done: *end };
                self.facts.actions.insert(name.clone(), progress);
            }
            Entry::Admit(admit) if admit.candidate.is_seed => {
                self.statistics.seed(admit.candidate.url.as_str());
                name_host(&self.fetcher, &admit.candidate.url);
            }
            Entry::Done(done) => self.learn(done)?,
            _ => {}
        }
        self.frontier.apply(sequence, entry, novel)?;
        Ok(())
    }

    fn grow_scope(&mut self, surt_prefix: &str, seed: &CanonicalUrl) {
        self.facts.scope_changes.push((surt_prefix.to_owned(), seed.clone()));
        self.scope.read().expect("scope is never left half-changed").apply_change(surt_prefix);
    }

    /// A configuration begins with the scope of the job file; the entries behind it say what seeds add.
    fn configure(&mut self, text: &str) {
        self.facts.config_text = text.to_owned();
        self.facts.scope_changes.clear();
        *self.scope.write().expect("scope is never left half-changed") = (self.base_scope)();
    }

    fn learn(&mut self, done: &Done) -> anyhow::Result<()> {
        self.statistics.apply(done);
        for change in &done.host_changes {
            if let HostChange::Robots { origin, fact } = change {
                self.crawl_delays.remove(origin);
                self.learn_crawl_delay(&done.queue_key, fact);
            }
            self.hosts.apply(change)?;
        }
        for change in &done.cookie_changes {
            self.fetcher.apply_cookie(change);
        }
        Ok(())
    }

    /// The queue that asked for robots.txt keeps to its Crawl-delay from now on, also behind a resume.
    fn learn_crawl_delay(&mut self, queue_key: &str, fact: &RobotsFact) {
        if let Some(seconds) = self.crawl_delay_in(fact) {
            self.frontier.crawl_delay_known(queue_key, seconds);
        }
    }

    /// Crawl-delay in a robots.txt, seconds.
    fn crawl_delay_in(&self, fact: &RobotsFact) -> Option<f64> {
        let RobotsRules::Text(text) = &fact.rules else { return None };
        robots::RobotsTxt::parse(text).crawl_delay(&self.fetcher.options().robots_agent)
    }

    /// The longest Crawl-delay that a fetch has just brought, seconds: it holds from that very fetch on.
    pub fn crawl_delay_brought(&self, changes: &[HostChange]) -> Option<f64> {
        let delays = changes.iter().filter_map(|change| match change {
            HostChange::Robots { fact, .. } => self.crawl_delay_in(fact),
            HostChange::Dns { .. } => None,
        });
        delays.max_by(f64::total_cmp)
    }

    /// Crawl-delay of a URL's origin in seconds, by the robots.txt that is known of it.
    pub fn crawl_delay_s(&mut self, url: &CanonicalUrl, facts: &HostFacts) -> Option<f64> {
        let fact = facts.robots.as_ref()?;
        let origin = crawldb::origin(url)?;
        if let Some(known) = self.crawl_delays.get(&origin) {
            return *known;
        }
        if self.crawl_delays.len() >= CRAWL_DELAYS_MAX {
            self.crawl_delays.clear();
        }
        let delay = self.crawl_delay_in(fact);
        self.crawl_delays.insert(origin, delay);
        delay
    }
}

/// A seed's host may be fetched though its address be private.
fn name_host(fetcher: &Fetcher, seed: &CanonicalUrl) {
    if let Some(host) = seed.host() {
        fetcher.name_host(host);
    }
}
