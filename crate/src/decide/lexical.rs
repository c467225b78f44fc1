//! Which texts share words with the prompt: a cheap first sieve where there are more tools than can be asked
//! about. It is not what decides.

use crate::hashing::{HashMap, HashSet};
use crate::sorting::sort_by;

/// The words of a prompt.
pub struct Words(HashSet<String>);

/// A word in a name says more than one in a description.
const NAME_WEIGHT: f64 = 2.0;

impl Words {
    pub fn of(prompt: &str) -> Words {
        Words(split(prompt).collect())
    }

    /// Sorts items by how well their name and description match, best first; ties keep their order. A word
    /// that many items share counts less.
    pub fn sort_by_match<'t, T>(&self, items: &mut Vec<T>, texts: impl Fn(&T) -> (&'t str, &'t str)) {
        let found: Vec<(HashSet<String>, HashSet<String>)> = items
            .iter()
            .map(|item| {
                let (name, description) = texts(item);
                (self.shared_with(name), self.shared_with(description))
            })
            .collect();
        let mut shared_by: HashMap<&str, f64> = HashMap::default();
        for (name, description) in &found {
            name.union(description).for_each(|word| *shared_by.entry(word).or_default() += 1.0);
        }
        let count = items.len() as f64;
        let rarity = |word: &String| (1.0 + count / shared_by.get(word.as_str()).unwrap_or(&1.0)).ln();
        let sum = |words: &HashSet<String>| {
            let mut rarities: Vec<f64> = words.iter().map(rarity).collect();
            // A set has no order, and sums of floats depend on it.
            sort_by(&mut rarities, f64::total_cmp);
            rarities.iter().sum::<f64>()
        };
        let scores = found.iter().map(|(name, description)| NAME_WEIGHT * sum(name) + sum(description));
        let mut scored: Vec<(f64, T)> = scores.collect::<Vec<_>>().into_iter().zip(items.drain(..)).collect();
        sort_by(&mut scored, |a, b| b.0.total_cmp(&a.0));
        items.extend(scored.into_iter().map(|(_, item)| item));
    }

    fn shared_with(&self, text: &str) -> HashSet<String> {
        split(text).filter(|word| self.0.contains(word)).collect()
    }
}

/// Lower-case words; `camelCase`, `snake_case` and `kebab-case` are several.
fn split(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut before_is_lower = false;
    let spaced: String = text
        .chars()
        .flat_map(|character| {
            let starts_word = character.is_uppercase() && before_is_lower;
            before_is_lower = character.is_lowercase();
            let word = if character.is_alphanumeric() { character } else { ' ' };
            starts_word.then_some(' ').into_iter().chain(word.to_lowercase())
        })
        .collect();
    spaced.split_whitespace().map(str::to_string).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(prompt: &str, items: &[(&'static str, &'static str)]) -> Vec<&'static str> {
        let mut items = items.to_vec();
        Words::of(prompt).sort_by_match(&mut items, |item| *item);
        items.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn names_count_more_than_descriptions_and_ties_keep_their_order() {
        let items =
            [("other", ""), ("b", "lists a table"), ("listTables", ""), ("table_list", ""), ("x", "")];
        assert_eq!(sorted("List the table", &items), ["table_list", "listTables", "b", "other", "x"]);
    }

    #[test]
    fn a_word_that_all_share_counts_little() {
        let items = [("get_a", ""), ("get_b", ""), ("get_invoice", ""), ("get_c", "")];
        assert_eq!(sorted("get the invoice", &items)[0], "get_invoice");
    }
}
