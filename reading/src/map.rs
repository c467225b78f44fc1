//! Maps and sets that keep the order in which things came. All kinds of them share the one [`Index`], since each kind
//! of the standard library's map is 2 KB of the module; a kind of these is a few hundred bytes.

use std::borrow::Borrow;
use std::hash::Hash;

use crate::hashing::{hash_of, Index};

#[derive(Clone, Debug)]
pub struct Map<K, V> {
    /// By the hash of a key the place of an entry that has it. Where another key has the same hash, which hardly ever
    /// happens, its entry is looked for among all.
    index: Index,
    entries: Vec<Entry<K, V>>,
}

#[derive(Clone, Debug)]
pub struct Entry<K, V> {
    hash: u64,
    key: K,
    value: V,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map { index: Index::default(), entries: Vec::new() }
    }
}

impl<K, V> Map<K, V> {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn clear(&mut self) {
        self.index.clear();
        self.entries.clear();
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.index.reserve(more);
        self.entries.reserve(more);
    }

    pub fn iter(&self) -> <&Self as IntoIterator>::IntoIter {
        self.into_iter()
    }

    pub fn keys(&self) -> impl Iterator<Item = &K> + Clone {
        self.entries.iter().map(|entry| &entry.key)
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|entry| &entry.value)
    }
}

impl<K: Hash + Eq, V> Map<K, V> {
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let place = self.place_of(hash_of(key), key)?;
        self.entries.get(place).map(|entry| &entry.value)
    }

    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.place_of(hash_of(key), key)?;
        self.entries.get_mut(place).map(|entry| &mut entry.value)
    }

    pub fn contains_key<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place_of(hash_of(key), key).is_some()
    }

    /// Puts a value under a key, and returns the one that was there.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let hash = hash_of(&key);
        match self.place_of(hash, &key) {
            Some(place) => Some(std::mem::replace(&mut self.entries[place].value, value)),
            None => {
                self.push(hash, key, value);
                None
            }
        }
    }

    pub fn entry(&mut self, key: K) -> Slot<'_, K, V> {
        Slot { map: self, key }
    }

    /// Takes a key out; the last one comes to stand in its place.
    pub fn swap_remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.place_of(hash_of(key), key)?;
        let Entry { hash, value, .. } = self.entries.swap_remove(place);
        if let Some(moved) = self.entries.get(place) {
            self.index.insert(moved.hash, place);
        }
        match self.entries.iter().position(|entry| entry.hash == hash) {
            Some(other) => drop(self.index.insert(hash, other)),
            None => drop(self.index.remove(&hash)),
        }
        Some(value)
    }

    fn push(&mut self, hash: u64, key: K, value: V) {
        self.index.entry(hash).or_insert(self.entries.len());
        self.entries.push(Entry { hash, key, value });
    }

    fn place_of<Q: Eq + ?Sized>(&self, hash: u64, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        let is_it = |entry: &Entry<K, V>| entry.key.borrow() == key;
        let place = *self.index.get(&hash)?;
        match self.entries.get(place).is_some_and(is_it) {
            true => Some(place),
            false => self.entries.iter().position(is_it),
        }
    }
}

/// The place of a key, whether anything is there or not.
pub struct Slot<'a, K, V> {
    map: &'a mut Map<K, V>,
    key: K,
}

impl<'a, K: Hash + Eq, V> Slot<'a, K, V> {
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        let hash = hash_of(&self.key);
        let place = self.map.place_of(hash, &self.key).unwrap_or_else(|| {
            self.map.push(hash, self.key, value());
            self.map.len() - 1
        });
        &mut self.map.entries[place].value
    }

    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K: Hash + Eq, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, more: I) {
        let more = more.into_iter();
        self.reserve(more.size_hint().0);
        more.for_each(|(key, value)| drop(self.insert(key, value)));
    }
}

impl<K: Hash + Eq, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(all: I) -> Self {
        let mut map = Map::default();
        map.extend(all);
        map
    }
}

/// Equal maps have equal values under equal keys, in whatever order.
impl<K: Hash + Eq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = std::iter::Map<std::slice::Iter<'a, Entry<K, V>>, fn(&'a Entry<K, V>) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter().map(|entry| (&entry.key, &entry.value))
    }
}

/// For a key that is there.
impl<K: Hash + Eq + Borrow<Q>, V, Q: Hash + Eq + ?Sized> std::ops::Index<&Q> for Map<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        let nowhere = self.entries.len();
        &self.entries[self.place_of(hash_of(key), key).unwrap_or(nowhere)].value
    }
}

/// A set, which is a map to nothing.
#[derive(Clone, Debug)]
pub struct Set<T>(Map<T, ()>);

impl<T> Default for Set<T> {
    fn default() -> Self {
        Set(Map::default())
    }
}

impl<T> Set<T> {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.0.reserve(more);
    }

    pub fn iter(&self) -> <&Self as IntoIterator>::IntoIter {
        self.into_iter()
    }
}

impl<T: Hash + Eq> Set<T> {
    pub fn contains<Q: Hash + Eq + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(item)
    }

    /// Whether it was not there.
    pub fn insert(&mut self, item: T) -> bool {
        self.0.insert(item, ()).is_none()
    }

    /// Whether it was there.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.swap_remove(item).is_some()
    }
}

impl<T: Hash + Eq> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        self.0.extend(more.into_iter().map(|item| (item, ())));
    }
}

impl<T: Hash + Eq> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut set = Set::default();
        set.extend(all);
        set
    }
}

impl<T: Hash + Eq> PartialEq for Set<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<'a, T> IntoIterator for &'a Set<T> {
    type Item = &'a T;
    type IntoIter = std::iter::Map<std::slice::Iter<'a, Entry<T, ()>>, fn(&'a Entry<T, ()>) -> &'a T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.entries.iter().map(|entry| &entry.key)
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.entries.into_iter().map(|entry| entry.key).collect::<Vec<_>>().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Of which many have the same hash.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Clashing(u32);

    impl Hash for Clashing {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            (self.0 % 3).hash(state);
        }
    }

    #[test]
    fn things_are_found_in_whatever_order_they_come_and_go_even_with_one_hash() {
        let mut map = Map::default();
        let mut known = BTreeMap::new();
        let mut random = 7u32;
        for step in 0..2_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = (random >> 16) % 20;
            if random >> 30 == 0 {
                assert_eq!(map.swap_remove(&Clashing(key)), known.remove(&key));
            } else {
                assert_eq!(map.insert(Clashing(key), step), known.insert(key, step));
            }
            assert_eq!(map.len(), known.len());
            for key in 0..20 {
                assert_eq!(map.get(&Clashing(key)), known.get(&key));
            }
        }
    }

    #[test]
    fn things_keep_the_order_in_which_they_came() {
        let mut map: Map<&str, usize> = ["c", "a", "b"].into_iter().zip(0..).collect();
        *map.entry("a").or_default() += 10;
        *map.entry("d").or_insert(1) += 10;
        assert_eq!(map.iter().collect::<Vec<_>>(), [(&"c", &0), (&"a", &11), (&"b", &2), (&"d", &11)]);
        map.swap_remove("c");
        assert_eq!(map.keys().collect::<Vec<_>>(), [&"d", &"a", &"b"]);
    }

    #[test]
    fn sets_are_equal_in_any_order() {
        let set = |text: &str| text.chars().collect::<Set<char>>();
        assert_eq!(set("abc"), set("cabba"));
        assert_ne!(set("abc"), set("ab"));
        assert_ne!(set("abc"), set("abd"));
    }
}
