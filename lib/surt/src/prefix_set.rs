//! A set of SURT prefixes that answers in O(log n) whether a SURT lies under one of them.

use std::collections::BTreeSet;
use std::ops::Bound;

/// SURT prefixes, sorted. Holds millions: a tree of texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SurtPrefixSet {
    prefixes: BTreeSet<Box<str>>,
    /// A prefix may cover another: looking up then takes more than one step.
    may_nest: bool,
}

impl SurtPrefixSet {
    /// An empty set, which covers nothing.
    pub fn new() -> SurtPrefixSet {
        SurtPrefixSet::default()
    }

    /// Adds a prefix as it is; false if it was there. The empty prefix covers everything.
    pub fn insert(&mut self, prefix: &str) -> bool {
        let is_new = !self.prefixes.contains(prefix) && self.prefixes.insert(prefix.into());
        self.may_nest |= is_new && self.prefixes.len() > 1;
        is_new
    }

    /// Adds a prefix unless a shorter one covers it already, and drops those that it covers; true if it was added.
    pub fn insert_reduced(&mut self, prefix: &str) -> bool {
        if self.longest_match(prefix).is_some() {
            return false;
        }
        let covered: Vec<Box<str>> = self
            .prefixes
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(|other| other.starts_with(prefix))
            .cloned()
            .collect();
        for other in &covered {
            self.prefixes.remove(other);
        }
        self.prefixes.insert(prefix.into())
    }

    /// Drops every prefix that a shorter one covers.
    pub fn reduce(&mut self) {
        let mut kept: Option<Box<str>> = None;
        self.prefixes.retain(|prefix| {
            // A cover sorts before what it covers, with only covered ones between.
            let covered = kept.as_deref().is_some_and(|kept| prefix.starts_with(kept));
            if !covered {
                kept = Some(prefix.clone());
            }
            !covered
        });
        self.may_nest = false;
    }

    /// The longest prefix of a text that is in the set. O(log n) for each prefix that covers another; one look-up in a
    /// reduced set.
    pub fn longest_match(&self, surt: &str) -> Option<&str> {
        let mut end = surt.len();
        loop {
            let floor = self
                .prefixes
                .range::<str, _>((Bound::Unbounded, Bound::Included(&surt[..end])))
                .next_back()?;
            if surt.starts_with(&**floor) {
                return Some(floor);
            }
            if !self.may_nest {
                return None;
            }
            // Every other match is a prefix of the floor, too: go on with what both share.
            end = shared_prefix(floor, &surt[..end]);
        }
    }

    /// All prefixes of a text that are in the set, shortest first: the order in which sheets apply.
    pub fn matches<'a>(&'a self, surt: &str) -> Vec<&'a str> {
        let mut found = Vec::new();
        let mut rest = surt;
        while let Some(prefix) = self.longest_match(rest) {
            found.push(prefix);
            let Some((last, _)) = prefix.char_indices().next_back() else { break };
            rest = &rest[..last];
        }
        found.reverse();
        found
    }

    /// True if any prefix covers the text.
    pub fn covers(&self, surt: &str) -> bool {
        self.longest_match(surt).is_some()
    }

    /// The prefixes in byte order: what `surts.dump` holds, one a line.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.prefixes.iter().map(|prefix| &**prefix)
    }

    /// Number of prefixes.
    pub fn len(&self) -> usize {
        self.prefixes.len()
    }

    /// True if nothing is covered.
    pub fn is_empty(&self) -> bool {
        self.prefixes.is_empty()
    }
}

impl<T: AsRef<str>> FromIterator<T> for SurtPrefixSet {
    fn from_iter<I: IntoIterator<Item = T>>(prefixes: I) -> Self {
        SurtPrefixSet {
            prefixes: prefixes.into_iter().map(|prefix| prefix.as_ref().into()).collect(),
            may_nest: true,
        }
    }
}

/// Length of the longest common prefix, cut to a character boundary.
fn shared_prefix(left: &str, right: &str) -> usize {
    let mut length = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    while !right.is_char_boundary(length) {
        length -= 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFIXES: [&str; 6] = [
        "http://(org,archive,",
        "http://(org,example,www,)",
        "http://(org,example,home,)/pages/",
        "http://(is,bok,",
        "http://(is,",
        "http://(is,bok,www",
    ];

    #[test]
    fn reduces() {
        let reduced = [
            "http://(is,",
            "http://(org,archive,",
            "http://(org,example,home,)/pages/",
            "http://(org,example,www,)",
        ];
        let mut set = SurtPrefixSet::from_iter(PREFIXES);
        set.reduce();
        assert_eq!(set.iter().collect::<Vec<_>>(), reduced);
        let mut set = SurtPrefixSet::new();
        PREFIXES.iter().for_each(|prefix| {
            set.insert_reduced(prefix);
        });
        assert_eq!(set.iter().collect::<Vec<_>>(), reduced);
    }

    #[test]
    fn matches_shortest_first() {
        let set = SurtPrefixSet::from_iter(PREFIXES);
        let surt = "http://(is,bok,www,)/";
        assert_eq!(set.matches(surt), ["http://(is,", "http://(is,bok,", "http://(is,bok,www"]);
        assert_eq!(set.longest_match("http://(is,bok,x,)/"), Some("http://(is,bok,"));
        assert_eq!(set.longest_match("http://(org,example,home,)/foo"), None);
        assert!(!SurtPrefixSet::new().covers(""));
    }

    #[test]
    fn agrees_with_a_plain_search() {
        // Few letters, so that prefixes cover each other often; é sits on a character boundary.
        let mut state = 7u64;
        let mut text = |length_max: u64| {
            let mut next = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                state >> 33
            };
            (0..next() % length_max).map(|_| ['a', 'b', 'é', 'ê'][(next() % 4) as usize]).collect::<String>()
        };
        for _ in 0..300 {
            let prefixes: Vec<String> = (0..8).map(|_| text(5)).collect();
            let mut set = SurtPrefixSet::from_iter(&prefixes);
            let probe = text(9);
            let mut slow: Vec<&str> =
                prefixes.iter().map(String::as_str).filter(|prefix| probe.starts_with(prefix)).collect();
            slow.sort_by_key(|prefix| prefix.len());
            slow.dedup();
            assert_eq!(set.matches(&probe), slow, "{prefixes:?} {probe}");
            set.reduce();
            assert_eq!(set.covers(&probe), !slow.is_empty());
            let mut grown = SurtPrefixSet::new();
            prefixes.iter().for_each(|prefix| {
                grown.insert_reduced(prefix);
            });
            assert_eq!(grown, set);
        }
    }
}
