//! A Bloom filter whose bits for one key lie in one cache line (Putze, Sanders, Singler: Cache-, Hash- and
//! Space-Efficient Bloom Filters, 2007): about two keys in a hundred that are not there pass.

use xxhash_rust::xxh3::xxh3_64;

const LINE_WORDS: usize = 8;
const BITS_PER_ROW: u64 = 10;
const BITS_SET: u32 = 6;

pub struct Filter {
    words: Vec<u64>,
}

impl Filter {
    pub fn for_rows(rows: u64) -> Filter {
        let lines = (rows * BITS_PER_ROW).div_ceil(512).max(1) as usize;
        Filter { words: vec![0; lines * LINE_WORDS] }
    }

    pub fn insert(&mut self, key: &[u8]) {
        let (line, bits) = self.place(key);
        for bit in places(bits) {
            self.words[line + bit / 64] |= 1 << (bit % 64);
        }
    }

    pub fn may_contain(&self, key: &[u8]) -> bool {
        let (line, bits) = self.place(key);
        places(bits).all(|bit| self.words[line + bit / 64] & 1 << (bit % 64) != 0)
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        self.words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    }

    /// `None` if there is no filter: every key may be there.
    pub fn read(bytes: &[u8]) -> Option<Filter> {
        let is_whole = !bytes.is_empty() && bytes.len().is_multiple_of(LINE_WORDS * 8);
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        is_whole.then(|| Filter { words: bytes.chunks_exact(8).map(word).collect() })
    }

    /// First word of the key's line, and the hash that chooses its bits.
    fn place(&self, key: &[u8]) -> (usize, u64) {
        let hash = xxh3_64(key);
        let lines = (self.words.len() / LINE_WORDS) as u64;
        let line = ((hash >> 32) * lines) >> 32;
        // The line took the high bits: mix them in again, so that keys of one line differ in their bits.
        (line as usize * LINE_WORDS, hash.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

fn places(bits: u64) -> impl Iterator<Item = usize> {
    (0..BITS_SET).map(move |n| (bits >> (n * 9 + 10) & 511) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_all_and_passes_few() {
        let mut filter = Filter::for_rows(10_000);
        let key = |n: u32| format!("http://example.org/{n}").into_bytes();
        (0..10_000).for_each(|n| filter.insert(&key(n)));
        assert!((0..10_000).all(|n| filter.may_contain(&key(n))));
        let passed = (10_000..110_000).filter(|n| filter.may_contain(&key(*n))).count();
        assert!(passed < 2_500, "{passed} of 100,000 pass");
    }
}
