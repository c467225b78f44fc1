//! How the core hashes: quickly, and the same in every process. Tables are served by a hash that is cheap where
//! there is no multiplication of 128 bits, as in WebAssembly; fingerprints by one that is good.
//!
//! Somebody who writes tool descriptions could search for two with one fingerprint. All that this gives is that
//! the second one is not asked about anew when it takes the place of the first: what is shown and hidden is
//! remembered by name.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

pub type HashMap<K, V> = std::collections::HashMap<K, V, FxBuildHasher>;
pub type HashSet<T> = std::collections::HashSet<T, FxBuildHasher>;
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, FxBuildHasher>;
pub type IndexSet<T> = indexmap::IndexSet<T, FxBuildHasher>;

/// Equal for equal values, and for nothing else that could be met in practice.
pub fn fingerprint_of(value: &(impl Hash + ?Sized)) -> u64 {
    foldhash::quality::FixedState::default().hash_one(value)
}
