//! How the core hashes: tables by a hash that is cheap where there is no multiplication of 128 bits, as in
//! WebAssembly; fingerprints by one that is good. Both are the same in every process.
//!
//! Somebody who writes tool descriptions could search for two with one fingerprint. All that this gives is that
//! the second one is not asked about anew when it takes the place of the first: what is shown and hidden is
//! remembered by name.

use std::hash::{BuildHasher, Hash};

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

pub use rustc_hash::{FxHashMap, FxHashSet};

/// A map that is walked in the order in which its keys came.
pub type FxIndexMap<K, V> = IndexMap<K, V, FxBuildHasher>;
/// A set that is walked in the order in which its items came.
pub type FxIndexSet<T> = IndexSet<T, FxBuildHasher>;

/// Equal for equal values, and for nothing else that could be met in practice.
pub fn fingerprint_of(value: &(impl Hash + ?Sized)) -> u64 {
    foldhash::quality::FixedState::default().hash_one(value)
}
