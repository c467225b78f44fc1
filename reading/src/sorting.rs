//! One stable sort for everything. The standard library's is compiled anew for each type and each order, some
//! 5 KB of module every time; this one sorts places by a function it is lent.

use std::cmp::Ordering;

/// Sorts; equal items keep their order.
pub fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    let mut unsorted: Vec<Option<T>> = std::mem::take(items).into_iter().map(Some).collect();
    items.extend(order.into_iter().filter_map(|at| unsorted.get_mut(at)?.take()));
}

#[inline(never)]
fn order(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_and_equal_ones_keep_their_order() {
        let mut items = vec![(2, "a"), (1, "b"), (2, "c"), (1, "d"), (0, "e")];
        sort_by(&mut items, |a, b| a.0.cmp(&b.0));
        assert_eq!(items, [(0, "e"), (1, "b"), (1, "d"), (2, "a"), (2, "c")]);
    }
}
