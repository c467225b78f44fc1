//! Things found by a number that stands for them. One kind of map serves all, since each further kind is code
//! that the module carries.

use crate::hashing::Index;

#[derive(Debug)]
pub struct Keyed<T> {
    index: Index,
    items: Vec<T>,
}

impl<T> Default for Keyed<T> {
    fn default() -> Self {
        Keyed { index: Index::default(), items: Vec::new() }
    }
}

impl<T> Keyed<T> {
    pub fn get(&self, key: u64) -> Option<&T> {
        self.items.get(*self.index.get(&key)?)
    }

    pub fn contains(&self, key: u64) -> bool {
        self.index.contains_key(&key)
    }

    /// A thing put under a known key takes the other's place.
    pub fn put(&mut self, key: u64, item: T) {
        let place = *self.index.entry(key).or_insert(self.items.len());
        match self.items.get_mut(place) {
            Some(known) => *known = item,
            None => self.items.push(item),
        }
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thing_put_under_a_key_is_found() {
        let mut keyed = Keyed::default();
        for (key, item) in [(7, "a"), (9, "b"), (7, "c")] {
            keyed.put(key, item);
        }
        assert_eq!((keyed.get(7), keyed.get(9), keyed.get(8)), (Some(&"c"), Some(&"b"), None));
        assert_eq!(keyed.len(), 2);
    }
}
