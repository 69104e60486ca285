//! Chance from a seed: the same number gives the same run.

use std::sync::Mutex;

use model::world::Chance;

/// Random bits that follow from a seed.
pub struct SeededChance {
    rng: Mutex<fastrand::Rng>,
}

impl SeededChance {
    /// Starts the sequence of a seed.
    pub fn new(seed: u64) -> SeededChance {
        SeededChance { rng: Mutex::new(fastrand::Rng::with_seed(seed)) }
    }
}

impl Chance for SeededChance {
    fn bits(&self) -> u64 {
        self.rng.lock().expect("no panic while held").u64(..)
    }
}

/// A number that depends on all bits of a seed and a text (FNV-1a, then the finaliser of SplitMix64).
pub fn mix(seed: u64, text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

/// A generator of its own for everything that hangs on one text.
pub(crate) fn rng_of(seed: u64, text: &str) -> fastrand::Rng {
    fastrand::Rng::with_seed(mix(seed, text))
}
