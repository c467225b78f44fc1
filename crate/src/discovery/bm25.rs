//! A BM25 index over documents of weighted fields (k1 0.9, b 0.4). What a document is, and what comes of a hit,
//! is left to the caller; how text becomes terms, to [`super::words`] and [`super::stem`].
//!
//! The postings lie in flat arrays: for each term the documents that hold it, together with what it adds to their
//! scores. A search sums those up.
//!
//! The crate `bm25` 2.3 was measured with these words and constants: indexing 5,000 tools takes ten times as
//! long and a search some hundred times. It has no weighted fields, and without them recall@5 on LiveMCPBench falls
//! from 0.398 to 0.367, though recall@20 rises from 0.539 to 0.555.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use strsim::levenshtein;

use super::stem::stem;
use super::words;
use crate::hash::FxIndexSet;

const K1: f32 = 0.9;
const B: f32 = 0.4;

/// A shorter word is near to too many others.
const SHORTEST_MISSPELT: usize = 4;

/// A document that matches a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// The document's number in the order in which documents were added, from zero.
    pub(crate) document: u32,
    /// Above zero; higher is better. Scores of one search can be compared with each other only.
    pub(crate) score: f32,
}

impl Eq for Hit {}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The better hit is the lesser one: a list in order begins with the best.
impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.document.cmp(&other.document))
    }
}

/// Documents that can be searched by words; made by a [`Builder`].
#[derive(Debug, Default)]
pub(crate) struct Index {
    terms: Terms,
    /// Where the postings of each term begin; one more entry than terms.
    starts: Vec<u32>,
    /// The document of each posting.
    documents: Vec<u32>,
    /// What each posting adds to the score of its document.
    gains: Vec<f32>,
    document_count: usize,
}

impl Index {
    /// The number of documents.
    pub(crate) fn len(&self) -> usize {
        self.document_count
    }

    /// The best documents for a query, at most `limit`, best first; of equal ones the earlier first.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.rank(query, limit, |word| self.terms.find(stem(word)))
    }

    /// The same with each word of the query replaced by the nearest known one, if that is a letter or two away.
    pub(crate) fn search_nearby(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.rank(query, limit, |word| match word.len() >= SHORTEST_MISSPELT {
            true => self.nearest(stem(word)),
            false => None,
        })
    }

    /// The term that is the fewest letters away; of equally near ones the one that came first.
    fn nearest(&self, wanted: &str) -> Option<u32> {
        let allowed = 1 + wanted.len() / 8;
        self.terms
            .iter()
            .filter(|(_, term)| term.len().abs_diff(wanted.len()) <= allowed)
            .map(|(id, term)| (levenshtein(wanted, term), id))
            .filter(|(distance, _)| *distance <= allowed)
            .min()
            .map(|(_, id)| id)
    }

    /// Each term counts once, however often it is asked for.
    fn rank(&self, query: &str, limit: usize, term_of: impl Fn(&str) -> Option<u32>) -> Vec<Hit> {
        let mut terms = FxIndexSet::default();
        words::for_each(query, &mut |word| {
            if !words::is_stop_word(word) {
                terms.extend(term_of(word));
            }
        });
        let mut scores = vec![0.0f32; self.document_count];
        for term in terms {
            let postings = self.starts[term as usize] as usize..self.starts[term as usize + 1] as usize;
            for (document, gain) in self.documents[postings.clone()].iter().zip(&self.gains[postings]) {
                scores[*document as usize] += gain;
            }
        }
        best(&scores, limit)
    }
}

/// The documents with the highest scores above zero.
fn best(scores: &[f32], limit: usize) -> Vec<Hit> {
    let mut worst_first = BinaryHeap::with_capacity(limit.min(scores.len()));
    for (document, &score) in (0..).zip(scores) {
        if score <= 0.0 {
            continue;
        }
        if worst_first.len() < limit {
            worst_first.push(Hit { document, score });
        } else if let Some(mut worst) = worst_first.peek_mut().filter(|worst| score > worst.score) {
            *worst = Hit { document, score };
        }
    }
    worst_first.into_sorted_vec()
}

/// Takes documents, one after another, and their fields.
#[derive(Default)]
pub(crate) struct Builder {
    terms: Terms,
    /// Words as they were written, so that each is stemmed once, and the term that each stands for.
    written: Terms,
    term_of_written: Vec<Option<u32>>,
    /// For each term its newest occurrence.
    newest: Vec<u32>,
    occurrences: Vec<Occurrence>,
    /// Where the occurrences of each document begin.
    starts: Vec<u32>,
    /// The sum of the weights of all words of each document.
    lengths: Vec<f32>,
}

/// A term in a document.
struct Occurrence {
    term: u32,
    /// How often it stands there, each time as often as the weight of its field.
    frequency: f32,
}

impl Builder {
    /// Opens the next document; what is added from here on is its own.
    pub(crate) fn begin_document(&mut self) {
        self.starts.push(self.occurrences.len() as u32);
        self.lengths.push(0.0);
    }

    /// Adds a text to the document that was begun last; each of its words counts as often as `weight` says.
    /// Before the first document it is left out.
    pub(crate) fn add(&mut self, text: &str, weight: f32) {
        if self.starts.is_empty() {
            return;
        }
        words::for_each(text, &mut |word| {
            if let Some(term) = self.term(word) {
                self.count(term, weight);
            }
        });
    }

    /// The term that a word stands for; none for a stop word.
    fn term(&mut self, word: &str) -> Option<u32> {
        let written = self.written.add(word) as usize;
        if written == self.term_of_written.len() {
            let is_stop_word = words::is_stop_word(word);
            self.term_of_written.push((!is_stop_word).then(|| self.terms.add(stem(word))));
        }
        self.term_of_written[written]
    }

    fn count(&mut self, term: u32, weight: f32) {
        let (Some(&start), Some(length)) = (self.starts.last(), self.lengths.last_mut()) else { return };
        *length += weight;
        let next = self.occurrences.len() as u32;
        if term as usize == self.newest.len() {
            self.newest.push(next);
        } else if self.newest[term as usize] >= start {
            self.occurrences[self.newest[term as usize] as usize].frequency += weight;
            return;
        } else {
            self.newest[term as usize] = next;
        }
        self.occurrences.push(Occurrence { term, frequency: weight });
    }

    /// The index over all documents that were added.
    pub(crate) fn finish(self) -> Index {
        let document_count = self.lengths.len();
        let average = (self.lengths.iter().sum::<f32>() / document_count.max(1) as f32).max(1.0);
        let mut starts = vec![0u32; self.terms.len() + 1];
        for occurrence in &self.occurrences {
            starts[occurrence.term as usize + 1] += 1;
        }
        let rarities: Vec<f32> =
            starts[1..].iter().map(|&holders| rarity(holders as f32, document_count as f32)).collect();
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let postings = self.occurrences.len();
        let (mut documents, mut gains) = (vec![0; postings], vec![0.0; postings]);
        for (document, &start) in self.starts.iter().enumerate() {
            let end = self.starts.get(document + 1).map_or(postings, |&end| end as usize);
            let norm = K1 * (1.0 - B + B * self.lengths[document] / average);
            for &Occurrence { term, frequency } in &self.occurrences[start as usize..end] {
                let place = next[term as usize] as usize;
                next[term as usize] += 1;
                documents[place] = document as u32;
                gains[place] = rarities[term as usize] * frequency * (K1 + 1.0) / (frequency + norm);
            }
        }
        Index { terms: self.terms, starts, documents, gains, document_count }
    }
}

/// The inverse document frequency of a term that `holders` of `count` documents hold.
fn rarity(holders: f32, count: f32) -> f32 {
    (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln()
}

/// Words by number, from zero, in the order in which they came.
#[derive(Debug, Default)]
struct Terms(FxIndexSet<Box<str>>);

impl Terms {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..).zip(self.0.iter().map(|term| &**term))
    }

    fn find(&self, word: &str) -> Option<u32> {
        self.0.get_index_of(word).map(|id| id as u32)
    }

    fn add(&mut self, word: &str) -> u32 {
        self.find(word).unwrap_or_else(|| self.0.insert_full(word.into()).0 as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(documents: &[&str]) -> Index {
        let mut builder = Builder::default();
        for text in documents {
            builder.begin_document();
            builder.add(text, 1.0);
        }
        builder.finish()
    }

    fn found(index: &Index, query: &str, limit: usize) -> Vec<u32> {
        index.search(query, limit).iter().map(|hit| hit.document).collect()
    }

    #[test]
    fn the_best_come_first_and_equal_ones_in_their_order() {
        let index = index(&["red lamp", "blue lamp", "red lamp", "blue blue sky"]);
        assert_eq!(found(&index, "red lamp", 9), [0, 2, 1]);
        assert_eq!(found(&index, "red lamp", 1), [0]);
        assert_eq!(found(&index, "red lamp", 0), [0; 0]);
    }

    #[test]
    fn a_word_of_the_query_counts_once() {
        let index = index(&["red lamp", "blue lamp"]);
        assert_eq!(index.search("red red reds lamp", 9), index.search("red lamp", 9));
    }

    #[test]
    fn a_misspelt_word_finds_its_nearest() {
        let index = index(&["weather report", "clock"]);
        assert_eq!(index.search("wether", 9), []);
        assert_eq!(index.search_nearby("wether", 9).len(), 1);
    }

    #[test]
    fn an_index_of_nothing_finds_nothing() {
        assert_eq!(Index::default().len(), 0);
        assert_eq!(Index::default().search("lamp", 9), []);
        assert_eq!(index(&["", "the"]).search("the", 9), []);
    }

    #[test]
    fn what_belongs_to_no_document_is_left_out() {
        let mut builder = Builder::default();
        builder.add("stray", 1.0);
        builder.begin_document();
        builder.add("lamp", 1.0);
        let index = builder.finish();
        assert_eq!((index.len(), found(&index, "stray lamp", 9)), (1, vec![0]));
        assert_eq!(index.search_nearby("stray", 9), []);
    }
}
