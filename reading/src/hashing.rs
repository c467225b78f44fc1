//! How the core hashes: quickly, and the same in every process. Tables are served by a hash that is cheap where
//! there is no multiplication of 128 bits, as in WebAssembly; fingerprints by one that is good.
//!
//! Somebody who writes tool descriptions could search for two with one fingerprint. All that this gives is that
//! the second one is not asked about anew when it takes the place of the first: what is shown and hidden is
//! remembered by name.

use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};

use rustc_hash::FxBuildHasher;

pub use crate::map::{Map as HashMap, Set as HashSet};

/// From a hash or fingerprint to the place in a list of what it stands for: the only map of the standard library's.
pub type Index = std::collections::HashMap<u64, usize, BuildHasherDefault<AsItIs>>;

/// What is a hash already is not hashed again.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash_of(bytes);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Equal for equal values, and for nothing else that could be met in practice.
pub fn fingerprint_of(value: &(impl Hash + ?Sized)) -> u64 {
    foldhash::quality::FixedState::default().hash_one(value)
}

/// Equal for equal values, and quickly made.
pub fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    FxBuildHasher.hash_one(value)
}
