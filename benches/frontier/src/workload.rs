//! The offers: a fixed number of URLs on hosts whose sizes follow Zipf's law, each offered equally often, in random order.
//!
//! Uniform repeats are the worst case for whatever remembers what came last; a real crawl repeats a page's links at once.

use std::sync::Arc;

use model::entry::Admit;
use model::{Candidate, Directive, FingerprintKey, HopPath, Via};
use surt::CanonicalUrl;

/// Links of a page (IRLbot: 62.5).
pub const LINKS_PER_PAGE: u64 = 62;

/// All offers of a run.
pub struct Workload {
    offers: u64,
    distinct: u64,
    /// Number of URLs on all hosts up to each.
    ends: Vec<u64>,
    half_bits: u32,
    rule: Arc<str>,
    hop_path: HopPath,
}

impl Workload {
    /// Offers of `distinct` URLs on `hosts` hosts; sizes by Zipf's law with exponent 1.
    pub fn new(offers: u64, distinct: u64, hosts: u64) -> Workload {
        let harmonic: f64 = (1..=hosts).map(|rank| 1.0 / rank as f64).sum();
        let mut sum = 0.0;
        let mut ends: Vec<u64> = (1..=hosts)
            .map(|rank| {
                sum += distinct as f64 / harmonic / rank as f64;
                (sum as u64).min(distinct)
            })
            .collect();
        if let Some(end) = ends.last_mut() {
            *end = distinct;
        }
        let half_bits = (64 - offers.max(2).leading_zeros()).div_ceil(2);
        let hop_path = HopPath::parse("LL").expect("letters of hops");
        Workload { offers, distinct, ends, half_bits, rule: "surt-prefixed".into(), hop_path }
    }

    /// The links of a page: offers from `first` on.
    pub fn links(&self, first: u64, until: u64) -> Vec<Admit> {
        let via = self.url(mix(first) % self.distinct).0;
        (first..until).map(|offer| self.admit(self.shuffle(offer) % self.distinct, &via)).collect()
    }

    fn admit(&self, number: u64, via: &CanonicalUrl) -> Admit {
        let (url, queue_key) = self.url(number);
        Admit {
            fingerprint: FingerprintKey(7, 11).fingerprint(url.as_str()),
            candidate: Candidate {
                url,
                via: Some(Via { url: via.clone(), context: "a/@href".to_owned() }),
                hop_path: self.hop_path.clone(),
                directive: Directive::Normal,
                is_seed: false,
                force_fetch: false,
                is_sitemap: false,
                source_tag: None,
            },
            queue_key,
            precedence: 1,
            cost: 1,
            rule: self.rule.clone(),
            bypass: false,
        }
    }

    /// A URL of about 75 bytes and the name of its queue.
    fn url(&self, number: u64) -> (CanonicalUrl, String) {
        let host = self.ends.partition_point(|end| *end <= number);
        let text = format!(
            "https://www.site-{host}.example/archive/{:02}/{:08x}-a-story-of-{:05}.html",
            number % 40,
            mix(number) as u32,
            number % 99_991
        );
        let url = CanonicalUrl::parse(&text).expect("a well-formed URL");
        (url, format!("example,site-{host},www,"))
    }

    /// A random permutation of all offers: a Feistel network over the next even power of two, walked until it is inside.
    fn shuffle(&self, mut offer: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        loop {
            let (mut left, mut right) = (offer >> self.half_bits, offer & mask);
            for round in 0..4 {
                (left, right) = (right, left ^ mix(right ^ round << 60) & mask);
            }
            offer = left << self.half_bits | right;
            if offer < self.offers {
                return offer;
            }
        }
    }
}

/// splitmix64's finisher.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_url_is_offered_equally_often() {
        let workload = Workload::new(6000, 1000, 50);
        let mut counts = vec![0; 1000];
        (0..6000).for_each(|offer| counts[(workload.shuffle(offer) % 1000) as usize] += 1);
        assert!(counts.iter().all(|count| *count == 6));
        assert!(workload.ends.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
