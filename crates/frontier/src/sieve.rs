//! The seen test: offers gather in a buffer, and a flush tells the new ones by merging with all known fingerprints.
//!
//! Follows IRLbot's DRUM and BUbiNG's sieve. What becomes of a new URL is none of its business. A fingerprint stands for
//! its URL; that two URLs share one is accepted (DESIGN: 0.03 URLs at a billion).

use std::collections::HashSet;

use model::{Fingerprint, Ordinal};

use crate::Result;
use crate::known::Known;
use crate::order::OrderKey;

/// An offer in the buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer {
    pub(crate) fingerprint: u64,
    pub(crate) key: OrderKey,
    /// Where its payload begins.
    at: u32,
    /// Bytes of payload; 0 for what has bypassed the buffer and is only to be entered.
    len: u32,
}

impl Offer {
    /// Queued at once when it came.
    pub(crate) fn has_bypassed(&self) -> bool {
        self.len == 0
    }
}

/// Buffer and known fingerprints.
pub(crate) struct Sieve {
    /// In the order of ordinals.
    offers: Vec<Offer>,
    payloads: Vec<u8>,
    /// Fingerprints in the buffer that bypassed it.
    bypassed: HashSet<u64>,
    /// Offers in the buffer that wait for the seen test: all but those that bypassed it.
    n_waiting: usize,
    pub(crate) known: Known,
}

/// Payloads of a full buffer never come near what an offset can name.
const PAYLOAD_BYTES_MAX: usize = u32::MAX as usize;

impl Sieve {
    pub(crate) fn new(known: Known) -> Sieve {
        Sieve { offers: Vec::new(), payloads: Vec::new(), bypassed: HashSet::new(), n_waiting: 0, known }
    }

    /// Adds an offer whose payload `write` appends.
    pub(crate) fn offer(
        &mut self,
        fingerprint: Fingerprint,
        key: OrderKey,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        let at = self.payloads.len();
        write(&mut self.payloads);
        let len = self.payloads.len() - at;
        assert!(self.payloads.len() <= PAYLOAD_BYTES_MAX, "a flush comes long before the buffer has 4 GiB");
        self.offers.push(Offer { fingerprint: fingerprint.0, key, at: at as u32, len: len as u32 });
        self.n_waiting += 1;
    }

    /// Enters a URL that was queued at once.
    pub(crate) fn enter(&mut self, fingerprint: Fingerprint, key: OrderKey) {
        self.bypassed.insert(fingerprint.0);
        self.offers.push(Offer { fingerprint: fingerprint.0, key, at: 0, len: 0 });
    }

    /// True if the URL was entered by an earlier flush or has bypassed the buffer since.
    pub(crate) fn is_queued(&self, fingerprint: Fingerprint) -> Result<bool> {
        Ok(self.bypassed.contains(&fingerprint.0) || self.known.contains(fingerprint.0)?)
    }

    pub(crate) fn len(&self) -> usize {
        self.offers.len()
    }

    pub(crate) fn n_waiting(&self) -> usize {
        self.n_waiting
    }

    /// Bytes in use, but for what is known.
    pub(crate) fn bytes(&self) -> usize {
        self.payloads.len() + self.offers.len() * size_of::<Offer>()
    }

    pub(crate) fn offers(&self) -> &[Offer] {
        &self.offers
    }

    pub(crate) fn payload(&self, offer: &Offer) -> &[u8] {
        &self.payloads[offer.at as usize..][..offer.len as usize]
    }

    /// Tells the new offers up to an ordinal, in the order of their ordinals, and enters them. Their payloads stay until
    /// [`Sieve::forget`].
    pub(crate) fn flush(&mut self, through: Ordinal) -> Result<Vec<Offer>> {
        let n_taking_part = self.offers.partition_point(|offer| offer.key.ordinal() <= through);
        let mut offers = self.offers[..n_taking_part].to_vec();
        // Of one fingerprint the least ordinal comes first.
        offers.sort_unstable_by_key(|offer| (offer.fingerprint, offer.key.ordinal()));
        let groups = || offers.chunk_by(|a, b| a.fingerprint == b.fingerprint);
        let mut fingerprints: Vec<u64> = groups().map(|group| group[0].fingerprint).collect();
        let is_known = self.known.test(&fingerprints)?;
        // What has bypassed the buffer is queued already: an offer that waited must not bring it again, whatever its ordinal.
        let is_waiting = |group: &&[Offer]| !group.iter().any(Offer::has_bypassed);
        let novel = groups().zip(&is_known).filter(|(_, is_known)| !**is_known).map(|(group, _)| group);
        let mut novel: Vec<Offer> = novel.filter(is_waiting).map(|group| group[0]).collect();
        let mut flags = is_known.iter();
        fingerprints.retain(|_| !*flags.next().expect("one flag each"));
        self.known.add(&fingerprints)?;
        novel.sort_unstable_by_key(|offer| offer.key.ordinal());
        Ok(novel)
    }

    /// Forgets the offers up to an ordinal, after a flush.
    pub(crate) fn forget(&mut self, through: Ordinal) {
        let n_taking_part = self.offers.partition_point(|offer| offer.key.ordinal() <= through);
        let later = self.offers.split_off(n_taking_part);
        let payloads = std::mem::take(&mut self.payloads);
        self.offers.clear();
        self.bypassed.clear();
        self.n_waiting = 0;
        for offer in later {
            let payload = &payloads[offer.at as usize..][..offer.len as usize];
            if offer.has_bypassed() {
                self.enter(Fingerprint(offer.fingerprint), offer.key);
            } else {
                self.offer(Fingerprint(offer.fingerprint), offer.key, |into| into.extend_from_slice(payload));
            }
        }
        if self.payloads.is_empty() {
            // The memory is used again: a buffer that grew once will grow again.
            self.payloads = payloads;
            self.payloads.clear();
        }
    }
}
