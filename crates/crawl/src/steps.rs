//! The steps with their options, as workers share them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

use archive::{OwnFiles, RecordBuilder};
use extract::Extractors;
use fetch::Fetcher;
use frontier::FrontierOptions;
use model::world::World;
use model::{Digest, EarlierCapture, Exchange, FingerprintKey};
use scope::Scope;
use surt::Canonicalization;

use crate::job_file::CrawlOptions;
use crate::stages::Stages;

/// Captures that workers know as possible originals of revisits; the ledger knows them all.
const RECENT_DIGESTS_MAX: usize = 1 << 15;

/// The steps that workers walk through. Cheap to clone.
#[derive(Clone)]
pub struct Steps(Arc<StepsInner>);

impl std::ops::Deref for Steps {
    type Target = StepsInner;
    fn deref(&self) -> &StepsInner {
        &self.0
    }
}

impl Steps {
    /// Binds the steps together.
    pub fn new(inner: StepsInner) -> Steps {
        Steps(Arc::new(inner))
    }
}

/// What [`Steps`] holds.
pub struct StepsInner {
    /// Clock, chance, network, disk.
    pub world: World,
    /// Of the crawl as a whole.
    pub options: CrawlOptions,
    /// The frontier's, for attempts and waits.
    pub frontier_options: FrontierOptions,
    /// fetch.
    pub fetcher: Arc<Fetcher>,
    /// extract.
    pub extractors: Extractors,
    /// scope: grows while the crawl runs.
    pub scope: Arc<RwLock<Scope>>,
    /// archive: makes records.
    pub records: RecordBuilder,
    /// archive: writes very large captures.
    pub own_files: OwnFiles,
    /// Which spellings of a URL count as one.
    pub canonicalization: Canonicalization,
    /// The job's secret.
    pub fingerprint_key: FingerprintKey,
    /// Recent captures by payload digest.
    pub digests: RecentDigests,
    /// The rule that admits redirects of seeds.
    pub seed_redirect_rule: Arc<str>,
    /// Stands in a `Done` until the engine puts the item's own rule there.
    pub unknown_rule: Arc<str>,
    /// Where CPU time goes.
    pub stages: Stages,
}

impl StepsInner {
    /// Scope as it is now.
    pub fn scope(&self) -> Scope {
        self.scope.read().expect("scope is never left half-changed").clone()
    }
}

/// Recent captures by payload digest, so that most revisits are known before their response is compressed in vain.
#[derive(Default)]
pub struct RecentDigests {
    known: Mutex<HashMap<Digest, EarlierCapture>>,
}

impl RecentDigests {
    /// A capture with the same payload, if one is remembered.
    pub fn earlier(&self, exchange: &Exchange) -> Option<EarlierCapture> {
        if exchange.payload.is_empty() {
            return None;
        }
        self.known.lock().expect("no panic while held").get(&exchange.payload_digest).cloned()
    }

    /// Remembers a capture; when too many are, all older ones are forgotten.
    pub fn remember(&self, digest: Digest, capture: EarlierCapture) {
        let mut known = self.known.lock().expect("no panic while held");
        if known.len() >= RECENT_DIGESTS_MAX {
            known.clear();
        }
        known.entry(digest).or_insert(capture);
    }
}
