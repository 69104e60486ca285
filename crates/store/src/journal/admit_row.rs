//! An `Admit` as a frame holds it: what it shares with the `Admit` before it is left out.
//!
//! Links of one page share via, hop path, rule, queue and most of the URL. Leaving them out costs a few comparisons and
//! saves most of the bytes that would go through the compressor, which is the larger part of an offer's cost.

use std::borrow::Cow;
use std::sync::Arc;

use model::entry::Admit;
use model::{Candidate, Directive, Fingerprint, HopPath, Via};
use serde::{Deserialize, Serialize};
use surt::CanonicalUrl;

const IS_SEED: u8 = 1;
const FORCE_FETCH: u8 = 2;
const IS_SITEMAP: u8 = 4;
const BYPASS: u8 = 8;
const HAS_VIA: u8 = 16;

/// `None` means: as in the `Admit` before it in the frame.
#[derive(Serialize, Deserialize)]
pub struct AdmitRow<'a> {
    /// Bytes at the front of the URL that are those of the last one.
    url_shared: u32,
    url_rest: &'a str,
    flags: u8,
    directive: Directive,
    precedence: u8,
    cost: u8,
    fingerprint: [u8; 8],
    via_url: Option<&'a str>,
    context: Option<&'a str>,
    #[serde(borrow)]
    hop_path: Option<Cow<'a, HopPath>>,
    queue_key: Option<&'a str>,
    rule: Option<&'a str>,
    source_tag: Option<Option<&'a str>>,
}

impl<'a> AdmitRow<'a> {
    /// The row of an `Admit` that follows `last` in its frame.
    pub fn new(admit: &'a Admit, last: Option<&Admit>) -> AdmitRow<'a> {
        let candidate = &admit.candidate;
        let url = candidate.url.as_str();
        let last_candidate = last.map(|last| &last.candidate);
        let url_shared = last_candidate.map_or(0, |last| shared_bytes(url, last.url.as_str()));
        let last_via = last_candidate.and_then(|last| last.via.as_ref());
        let differs = |is_same: Option<bool>| is_same != Some(true);
        let via = candidate.via.as_ref();
        AdmitRow {
            url_shared: url_shared as u32,
            url_rest: &url[url_shared..],
            flags: [
                (candidate.is_seed, IS_SEED),
                (candidate.force_fetch, FORCE_FETCH),
                (candidate.is_sitemap, IS_SITEMAP),
                (admit.bypass, BYPASS),
                (via.is_some(), HAS_VIA),
            ]
            .into_iter()
            .fold(0, |flags, (is_set, flag)| if is_set { flags | flag } else { flags }),
            directive: candidate.directive,
            precedence: admit.precedence,
            cost: admit.cost,
            fingerprint: admit.fingerprint.0.to_le_bytes(),
            via_url: via
                .filter(|via| differs(last_via.map(|last| last.url == via.url)))
                .map(|via| via.url.as_str()),
            context: via
                .filter(|via| differs(last_via.map(|last| last.context == via.context)))
                .map(|via| &*via.context),
            hop_path: differs(last_candidate.map(|last| last.hop_path == candidate.hop_path))
                .then_some(Cow::Borrowed(&candidate.hop_path)),
            queue_key: differs(last.map(|last| last.queue_key == admit.queue_key))
                .then_some(&admit.queue_key),
            rule: differs(last.map(|last| Arc::ptr_eq(&last.rule, &admit.rule) || last.rule == admit.rule))
                .then_some(&admit.rule),
            source_tag: differs(last_candidate.map(|last| last.source_tag == candidate.source_tag))
                .then_some(candidate.source_tag.as_deref()),
        }
    }

    /// The `Admit` again; `None` if the row cannot follow `last`.
    pub fn admit(self, last: Option<&Admit>) -> Option<Admit> {
        let last_candidate = last.map(|last| &last.candidate);
        let shared =
            last_candidate.map_or(Some(""), |last| last.url.as_str().get(..self.url_shared as usize))?;
        let mut text = String::with_capacity(shared.len() + self.url_rest.len());
        text.push_str(shared);
        text.push_str(self.url_rest);
        let url = CanonicalUrl::parse(&text).ok()?;
        let last_via = last_candidate.and_then(|last| last.via.as_ref());
        let via = if self.flags & HAS_VIA == 0 {
            None
        } else {
            let url = match self.via_url {
                Some(text) => CanonicalUrl::parse(text).ok()?,
                None => last_via?.url.clone(),
            };
            let context = match self.context {
                Some(text) => text.to_owned(),
                None => last_via?.context.clone(),
            };
            Some(Via { url, context })
        };
        Some(Admit {
            candidate: Candidate {
                url,
                via,
                hop_path: match self.hop_path {
                    Some(path) => path.into_owned(),
                    None => last_candidate?.hop_path.clone(),
                },
                directive: self.directive,
                is_seed: self.flags & IS_SEED != 0,
                force_fetch: self.flags & FORCE_FETCH != 0,
                is_sitemap: self.flags & IS_SITEMAP != 0,
                source_tag: match self.source_tag {
                    Some(tag) => tag.map(str::to_owned),
                    None => last_candidate?.source_tag.clone(),
                },
            },
            fingerprint: Fingerprint(u64::from_le_bytes(self.fingerprint)),
            queue_key: match self.queue_key {
                Some(key) => key.to_owned(),
                None => last?.queue_key.clone(),
            },
            precedence: self.precedence,
            cost: self.cost,
            rule: match self.rule {
                Some(rule) => rule.into(),
                None => last?.rule.clone(),
            },
            bypass: self.flags & BYPASS != 0,
        })
    }
}

/// Length of the longest common front that ends between characters.
fn shared_bytes(one: &str, two: &str) -> usize {
    let mut shared = one.bytes().zip(two.bytes()).take_while(|(one, two)| one == two).count();
    while !one.is_char_boundary(shared) || !two.is_char_boundary(shared) {
        shared -= 1;
    }
    shared
}
