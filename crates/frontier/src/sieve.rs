//! The seen test: offers gather in a buffer, and a flush tells the new ones by merging with sorted fingerprints.
//!
//! Follows IRLbot's DRUM and BUbiNG's sieve. What becomes of a new URL is none of its business. A fingerprint stands for
//! its URL; that two URLs share one is accepted (DESIGN: 0.03 URLs at a billion).

use std::collections::HashSet;

use model::{Fingerprint, Ordinal};

use crate::order::OrderKey;

/// An offer in the buffer.
#[derive(Debug, Clone, Copy)]
struct Offer {
    fingerprint: u64,
    key: OrderKey,
    /// Where its payload begins.
    at: u32,
    /// Bytes of payload; 0 for what has bypassed the buffer and is only to be entered.
    len: u32,
}

/// An offer that turned out to be new.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Novel {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) key: OrderKey,
    at: u32,
    len: u32,
}

/// Buffer and known fingerprints.
#[derive(Debug, Default)]
pub(crate) struct Sieve {
    offers: Vec<Offer>,
    payloads: Vec<u8>,
    /// Fingerprints in the buffer that bypassed it.
    bypassed: HashSet<u64>,
    known: Vec<u64>,
}

impl Sieve {
    /// Adds an offer whose payload `write` appends.
    pub(crate) fn offer(&mut self, fingerprint: Fingerprint, key: OrderKey, write: impl FnOnce(&mut Vec<u8>)) {
        let at = self.payloads.len();
        write(&mut self.payloads);
        let len = self.payloads.len() - at;
        self.offers.push(Offer { fingerprint: fingerprint.0, key, at: at as u32, len: len as u32 });
    }

    /// Enters a URL that was queued at once.
    pub(crate) fn enter(&mut self, fingerprint: Fingerprint, key: OrderKey) {
        self.bypassed.insert(fingerprint.0);
        self.offers.push(Offer { fingerprint: fingerprint.0, key, at: 0, len: 0 });
    }

    /// True if the URL was queued by an earlier flush or has bypassed the buffer since.
    pub(crate) fn is_queued(&self, fingerprint: Fingerprint) -> bool {
        self.bypassed.contains(&fingerprint.0) || self.known.binary_search(&fingerprint.0).is_ok()
    }

    pub(crate) fn len(&self) -> usize {
        self.offers.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.payloads.len()
    }

    pub(crate) fn payload(&self, novel: &Novel) -> &[u8] {
        &self.payloads[novel.at as usize..][..novel.len as usize]
    }

    /// Tells the new offers up to an ordinal, in the order of their ordinals, and enters them. Their payloads stay until
    /// [`Sieve::clear`].
    pub(crate) fn flush(&mut self, through: Ordinal) -> Vec<Novel> {
        assert!(self.offers.last().is_none_or(|offer| offer.key.ordinal() <= through), "flush leaves nothing behind");
        // Stable: of one fingerprint the least ordinal stays first.
        self.offers.sort_by_key(|offer| offer.fingerprint);
        let mut novel = Vec::new();
        let mut fresh = Vec::new();
        for group in self.offers.chunk_by(|a, b| a.fingerprint == b.fingerprint) {
            let first = group[0];
            if self.known.binary_search(&first.fingerprint).is_ok() {
                continue;
            }
            fresh.push(first.fingerprint);
            // Queued already, whatever its ordinal: an offer that waited here must not bring it again.
            if group.iter().all(|offer| offer.len > 0) {
                let fingerprint = Fingerprint(first.fingerprint);
                novel.push(Novel { fingerprint, key: first.key, at: first.at, len: first.len });
            }
        }
        self.known.extend(fresh);
        self.known.sort_unstable();
        novel.sort_unstable_by_key(|novel| novel.key.ordinal());
        novel
    }

    /// Forgets the buffer after a flush.
    pub(crate) fn clear(&mut self) {
        self.offers.clear();
        self.payloads.clear();
        self.bypassed.clear();
    }
}
