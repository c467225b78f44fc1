//! A list of bounded size and age, in which things are found by their keys.

use std::hash::Hash;

use crate::hash::fingerprint_of;

/// Forgets its oldest entries, by age and by number. It is walked from one end to the other, comparing fingerprints:
/// with a thousand entries that takes a microsecond, and each kind of map would be 2 KB of module.
#[derive(Debug)]
pub struct Cache<K, V> {
    /// The oldest first.
    entries: Vec<Entry<K, V>>,
    capacity: usize,
}

#[derive(Debug)]
struct Entry<K, V> {
    fingerprint: u64,
    key: K,
    since_ms: f64,
    value: V,
}

impl<K: Eq + Hash, V> Cache<K, V> {
    pub fn new(capacity: usize) -> Self {
        Cache { entries: Vec::new(), capacity }
    }

    /// The entry, unless it was put in `max_age_ms` ago or earlier.
    pub fn get(&self, key: &K, now_ms: f64, max_age_ms: f64) -> Option<&V> {
        let entry = self.entries.get(self.place_of(fingerprint_of(key), key)?)?;
        (now_ms - entry.since_ms < max_age_ms).then_some(&entry.value)
    }

    pub fn put(&mut self, key: K, value: V, now_ms: f64) {
        let fingerprint = fingerprint_of(&key);
        match self.place_of(fingerprint, &key) {
            Some(known) => drop(self.entries.remove(known)),
            None if self.entries.len() == self.capacity => drop(self.entries.remove(0)),
            None => {}
        }
        self.entries.push(Entry { fingerprint, key, since_ms: now_ms, value });
    }

    pub fn retain(&mut self, keeps: impl Fn(&K) -> bool) {
        self.entries.retain(|entry| keeps(&entry.key));
    }

    fn place_of(&self, fingerprint: u64, key: &K) -> Option<usize> {
        self.entries.iter().rposition(|entry| entry.fingerprint == fingerprint && entry.key == *key)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_good_until_it_is_too_old() {
        let mut cache = Cache::new(9);
        cache.put("a", 1, 100.0);
        assert_eq!(cache.get(&"a", 149.0, 50.0), Some(&1));
        assert_eq!(cache.get(&"a", 150.0, 50.0), None);
        assert_eq!(cache.get(&"a", 100.0, 0.0), None);
    }

    #[test]
    fn the_oldest_go_first() {
        let mut cache = Cache::new(2);
        for (at, key) in ["a", "b", "a", "c"].into_iter().enumerate() {
            cache.put(key, at, at as f64);
        }
        assert_eq!(cache.len(), 2);
        assert!(cache.get(&"b", 3.0, 100.0).is_none());
        assert_eq!(cache.get(&"a", 3.0, 100.0), Some(&2));
    }
}
