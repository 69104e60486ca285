//! Identity of a URL: partition, key and fingerprint.

use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use surt::CanonicalUrl;

use crate::planted::{Bug, is_planted};

/// Number of partitions that work is split by; fixed for ever, since keys on disk begin with it.
pub const PARTITIONS: u16 = 4096;

/// The sort key of a URL: partition (2 bytes, big-endian), host labels reversed with commas, then scheme, port and the
/// rest without loss. Rows of a partition, and in it of a host, lie together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UrlKey(pub Box<[u8]>);

impl UrlKey {
    /// The key of a URL. Two URLs have the same key exactly if their texts are equal.
    pub fn new(url: &CanonicalUrl) -> UrlKey {
        let host = url.host().unwrap_or("");
        let mut key = Vec::with_capacity(url.as_str().len() + 4);
        key.extend_from_slice(&partition(url).to_be_bytes());
        push_reversed(&mut key, host);
        key.push(b' ');
        // The text before the host (scheme, userinfo) and after it (port, path, query): nothing is lost.
        let text = url.as_str();
        match url.host().and_then(|host| text.find(host)) {
            Some(at) => {
                key.extend_from_slice(&text.as_bytes()[at + host.len()..]);
                key.push(b' ');
                key.extend_from_slice(&text.as_bytes()[..at]);
            }
            None => key.extend_from_slice(text.as_bytes()),
        }
        UrlKey(key.into_boxed_slice())
    }

    /// The partition the key begins with.
    pub fn partition(&self) -> u16 {
        u16::from_be_bytes([self.0[0], self.0[1]])
    }
}

/// `org,example,www` out of `www.example.org`; addresses stay as they are.
fn push_reversed(key: &mut Vec<u8>, host: &str) {
    let is_address = host.starts_with('[') || host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_address {
        return key.extend_from_slice(host.as_bytes());
    }
    for (index, label) in host.rsplit('.').enumerate() {
        if index > 0 {
            key.push(b',');
        }
        key.extend_from_slice(label.as_bytes());
    }
}

/// The partition of a URL: a pure function of its registrable domain (of its host where there is none; of the whole
/// opaque text's host for `dns:`), independent of any queue policy.
pub fn partition(url: &CanonicalUrl) -> u16 {
    let host = match url.scheme() {
        "dns" | "whois" => url.path(),
        _ => url.host().unwrap_or(""),
    };
    let mut hasher = SipHasher13::new();
    hasher.write(surt::registrable_domain(host).unwrap_or(host).as_bytes());
    (hasher.finish() % u64::from(PARTITIONS)) as u16
}

/// The secret of a job under which fingerprints are made, so that nobody can forge two URLs with the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FingerprintKey(pub u64, pub u64);

/// 64 bits that stand for a URL's sieve key. At a billion URLs about 0.03 are lost to equal fingerprints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint(pub u64);

impl FingerprintKey {
    /// The fingerprint of a canonical spelling (SipHash-1-3 under the job's secret).
    pub fn fingerprint(&self, canonical_text: &str) -> Fingerprint {
        let mut hasher = SipHasher13::new_with_keys(self.0, self.1);
        hasher.write(canonical_text.as_bytes());
        let bits = if is_planted(Bug::Fingerprints16Bit) { 16 } else { 64 };
        Fingerprint(hasher.finish() >> (64 - bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lose_nothing() {
        let texts = [
            "http://www.example.org/a?b=C",
            "https://www.example.org/a?b=C",
            "http://www.example.org:81/a?b=C",
            "http://u@www.example.org/a?b=C",
            "http://127.0.0.1/",
            "dns:www.example.org",
        ];
        let keys: std::collections::BTreeSet<_> =
            texts.iter().map(|text| UrlKey::new(&CanonicalUrl::parse(text).unwrap())).collect();
        assert_eq!(keys.len(), texts.len());
    }

    #[test]
    fn partition_follows_the_registrable_domain() {
        let of = |text| partition(&CanonicalUrl::parse(text).unwrap());
        assert_eq!(of("http://a.example.org/"), of("https://b.example.org:444/x"));
        assert_eq!(of("dns:a.example.org"), of("http://example.org/"));
    }
}
