//! A map of bounded size and age.

use crate::hashing::HashMap;
use std::collections::VecDeque;
use std::hash::Hash;

/// A map that forgets its oldest entries, by age and by number.
#[derive(Debug)]
pub struct Cache<K, V> {
    entries: HashMap<K, (f64, V)>,
    order: VecDeque<K>,
    capacity: usize,
}

impl<K: Clone + Eq + Hash, V> Cache<K, V> {
    pub fn new(capacity: usize) -> Self {
        Cache { entries: HashMap::default(), order: VecDeque::new(), capacity }
    }

    /// The entry, unless it was put in `max_age_ms` ago or earlier.
    pub fn get(&self, key: &K, now_ms: f64, max_age_ms: f64) -> Option<&V> {
        let (since, value) = self.entries.get(key)?;
        (now_ms - since < max_age_ms).then_some(value)
    }

    pub fn put(&mut self, key: K, value: V, now_ms: f64) {
        if self.entries.insert(key.clone(), (now_ms, value)).is_some() {
            self.order.retain(|known| *known != key);
        }
        self.order.push_back(key);
        while self.order.len() > self.capacity {
            if let Some(oldest) = self.order.pop_front() {
                self.entries.remove(&oldest);
            }
        }
    }

    pub fn retain(&mut self, keeps: impl Fn(&K) -> bool) {
        self.entries.retain(|key, _| keeps(key));
        self.order.retain(|key| keeps(key));
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
