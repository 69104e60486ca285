//! The fingerprints admitted last, in front of the journal: most links of a page were on the page before.

/// A table of fingerprints in which a newer one replaces an older one of the same slot.
#[derive(Debug)]
pub(crate) struct Recent {
    /// 0 is an empty slot; the fingerprint 0 is never remembered.
    slots: Box<[u64]>,
}

impl Recent {
    pub(crate) fn new(entries: usize) -> Recent {
        let len = if entries == 0 { 0 } else { entries.next_power_of_two() };
        Recent { slots: vec![0; len].into_boxed_slice() }
    }

    pub(crate) fn contains(&self, fingerprint: u64) -> bool {
        fingerprint != 0 && self.slots.get(self.slot(fingerprint)) == Some(&fingerprint)
    }

    pub(crate) fn insert(&mut self, fingerprint: u64) {
        let slot = self.slot(fingerprint);
        if let Some(place) = self.slots.get_mut(slot) {
            *place = fingerprint;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.fill(0);
    }

    fn slot(&self, fingerprint: u64) -> usize {
        fingerprint as usize & self.slots.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_replaces_older() {
        let mut recent = Recent::new(3);
        recent.insert(1);
        recent.insert(2);
        recent.insert(5);
        assert!(!recent.contains(1) && recent.contains(2) && recent.contains(5) && !recent.contains(0));
        recent.clear();
        assert!(!recent.contains(2));
        let mut none = Recent::new(0);
        none.insert(7);
        assert!(!none.contains(7));
    }
}
