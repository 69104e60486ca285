//! Random bits.

/// Random bits, for record ids, secrets and salts.
pub trait Chance: Send + Sync {
    /// 64 fresh random bits.
    fn bits(&self) -> u64;

    /// A random UUID (RFC 9562 version 4) as 16 bytes.
    fn uuid(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.bits().to_be_bytes());
        bytes[8..].copy_from_slice(&self.bits().to_be_bytes());
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        bytes
    }
}

/// The operating system's generator.
pub struct OsChance;

impl Chance for OsChance {
    fn bits(&self) -> u64 {
        // `RandomState` draws its keys from the system once a thread and then counts up; hashing the counter with a
        // secret key gives distinct, unpredictable values without a system call each.
        use std::hash::{BuildHasher, Hasher};
        std::collections::hash_map::RandomState::new().build_hasher().finish()
    }
}
