//! What is remembered for a time: the things used last, up to a number and an age.

use std::hash::Hash;
use std::num::NonZeroUsize;

use lru::LruCache;
use rustc_hash::FxBuildHasher;

/// Values by key. Whatever was put in longest ago goes first.
#[derive(Debug)]
pub struct Recent<K: Eq + Hash, V>(LruCache<K, Entry<V>, FxBuildHasher>);

#[derive(Debug)]
struct Entry<V> {
    since_ms: f64,
    value: V,
}

impl<K: Eq + Hash + Clone, V> Recent<K, V> {
    /// Room for `capacity` values, at least one.
    pub fn new(capacity: usize) -> Self {
        let capacity = NonZeroUsize::new(capacity).unwrap_or(NonZeroUsize::MIN);
        Recent(LruCache::with_hasher(capacity, FxBuildHasher))
    }

    /// The value under a key, whenever it was put in.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0.peek(key).map(|entry| &entry.value)
    }

    /// The value under a key, unless it was put in `max_age_ms` ago or earlier.
    pub fn get_within(&self, key: &K, now_ms: f64, max_age_ms: f64) -> Option<&V> {
        let entry = self.0.peek(key)?;
        (now_ms - entry.since_ms < max_age_ms).then_some(&entry.value)
    }

    /// Puts a value under a key, in the place of the one that is there.
    pub fn put(&mut self, key: K, value: V, now_ms: f64) {
        self.0.put(key, Entry { since_ms: now_ms, value });
    }

    /// Forgets the value under a key.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.0.pop(key).map(|entry| entry.value)
    }

    /// Forgets all values whose keys are not wanted.
    pub fn retain(&mut self, keeps: impl Fn(&K) -> bool) {
        let gone: Vec<K> = self.0.iter().map(|(key, _)| key).filter(|key| !keeps(key)).cloned().collect();
        gone.iter().for_each(|key| drop(self.0.pop(key)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_good_until_it_is_too_old() {
        let mut recent = Recent::new(9);
        recent.put("a", 1, 100.0);
        assert_eq!(recent.get_within(&"a", 149.0, 50.0), Some(&1));
        assert_eq!(recent.get_within(&"a", 150.0, 50.0), None);
        assert_eq!(recent.get_within(&"a", 100.0, 0.0), None);
    }

    #[test]
    fn what_was_put_in_longest_ago_goes_first() {
        let mut recent = Recent::new(2);
        for (at, key) in ["a", "b", "a", "c"].into_iter().enumerate() {
            recent.put(key, at, at as f64);
        }
        assert_eq!((recent.get(&"a"), recent.get(&"b"), recent.get(&"c")), (Some(&2), None, Some(&3)));
    }

    #[test]
    fn looking_at_a_value_does_not_keep_it() {
        let mut recent = Recent::new(2);
        recent.put("a", 0, 0.0);
        recent.put("b", 1, 1.0);
        recent.get(&"a");
        recent.put("c", 2, 2.0);
        assert_eq!(recent.get(&"a"), None);
    }
}
