//! A BM25 index over documents of weighted fields (k1 0.9, b 0.4). What a document is, and what comes of a hit,
//! is not known here.
//!
//! Everything lies in a few flat arrays: the words one after another in one text, and for each word the
//! documents that hold it together with what it adds to their score. A query sums those up.

use strsim::levenshtein;

pub mod schema;
pub mod words;

const K1: f32 = 0.9;
const B: f32 = 0.4;

/// A shorter word is near to too many others.
const SHORTEST_MISSPELT: usize = 4;

/// A document and its score; higher is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub document: u32,
    pub score: f32,
}

#[derive(Debug, Default)]
pub struct Index {
    words: Words,
    noise: Noise,
    /// Where the postings of each word begin; one more entry than words.
    starts: Vec<u32>,
    documents: Vec<u32>,
    gains: Vec<f32>,
    count: usize,
}

impl Index {
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The best documents for a query, best first; of equal ones the earlier first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let mut ids = Vec::new();
        self.noise.for_each_other(query, &mut |word| ids.extend(self.words.find(words::stem(word))));
        self.sum_up(&ids, limit)
    }

    /// The same with the nearest known word for each one of the query, if it is a letter or two away.
    pub fn search_nearby(&self, query: &str, limit: usize) -> Vec<Hit> {
        let mut ids = Vec::new();
        self.noise.for_each_other(query, &mut |word| {
            if word.len() >= SHORTEST_MISSPELT {
                ids.extend(self.nearest(words::stem(word)));
            }
        });
        self.sum_up(&ids, limit)
    }

    fn nearest(&self, wanted: &str) -> Option<u32> {
        let allowed = 1 + wanted.len() / 8;
        (0..self.words.len())
            .filter(|&id| self.starts[id] < self.starts[id + 1])
            .filter(|&id| self.words.word(id).len().abs_diff(wanted.len()) <= allowed)
            .map(|id| (levenshtein(wanted, self.words.word(id)), id as u32))
            .filter(|(distance, _)| *distance <= allowed)
            .min()
            .map(|(_, id)| id)
    }

    /// Each word counts once, however often it is asked for.
    fn sum_up(&self, ids: &[u32], limit: usize) -> Vec<Hit> {
        let mut scores = vec![0.0f32; self.count];
        for (at, &id) in ids.iter().enumerate() {
            if ids[..at].contains(&id) {
                continue;
            }
            let (from, to) = (self.starts[id as usize] as usize, self.starts[id as usize + 1] as usize);
            for (document, gain) in self.documents[from..to].iter().zip(&self.gains[from..to]) {
                scores[*document as usize] += gain;
            }
        }
        best(&scores, limit)
    }
}

/// The documents with the highest scores above zero.
fn best(scores: &[f32], limit: usize) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::with_capacity(limit.min(scores.len()) + 1);
    let mut least = 0.0;
    for (document, &score) in scores.iter().enumerate() {
        if score <= least {
            continue;
        }
        let at = hits.partition_point(|hit| hit.score >= score);
        hits.insert(at, Hit { document: document as u32, score });
        hits.truncate(limit);
        if hits.len() == limit {
            least = hits.last().map_or(f32::INFINITY, |hit| hit.score);
        }
    }
    hits
}

/// Takes documents, one after another, and their fields.
#[derive(Default)]
pub struct Builder {
    words: Words,
    noise: Noise,
    /// Words as they were written, so that each is stemmed once, and what they count as.
    written: Words,
    counts_as: Vec<u32>,
    /// For each word the place of its newest entry.
    newest: Vec<u32>,
    entries: Vec<Entry>,
    /// Where the entries of each document begin.
    begins: Vec<u32>,
    lengths: Vec<f32>,
}

/// Counts as nothing.
const NOISE: u32 = u32::MAX;

struct Entry {
    word: u32,
    weight: f32,
}

impl Builder {
    pub fn begin_document(&mut self) {
        self.begins.push(self.entries.len() as u32);
        self.lengths.push(0.0);
    }

    /// Adds words to the current document; each counts as often as `weight` says.
    pub fn add(&mut self, text: &str, weight: f32) {
        let Some(&begin) = self.begins.last() else { return };
        let mut length = 0.0;
        let Builder { words: known, noise, written, counts_as, newest, entries, .. } = self;
        words::for_each(text, &mut |word| {
            let place = written.add(word) as usize;
            if place == counts_as.len() {
                let is_noise = noise.holds(word);
                counts_as.push(if is_noise { NOISE } else { known.add(words::stem(word)) });
            }
            let id = counts_as[place];
            if id == NOISE {
                return;
            }
            length += weight;
            let at = match newest.get(id as usize) {
                Some(&at) => at,
                None => {
                    newest.push(u32::MAX);
                    u32::MAX
                }
            };
            match entries.get_mut(at as usize) {
                Some(entry) if at >= begin => entry.weight += weight,
                _ => {
                    newest[id as usize] = entries.len() as u32;
                    entries.push(Entry { word: id, weight });
                }
            }
        });
        if let Some(sum) = self.lengths.last_mut() {
            *sum += length;
        }
    }

    pub fn finish(self) -> Index {
        let count = self.lengths.len();
        let average = (self.lengths.iter().sum::<f32>() / count.max(1) as f32).max(1.0);
        let mut starts = vec![0u32; self.words.len() + 1];
        for entry in &self.entries {
            starts[entry.word as usize + 1] += 1;
        }
        let rarities: Vec<f32> =
            starts[1..].iter().map(|&holders| rarity(holders as f32, count as f32)).collect();
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let (mut documents, mut gains) = (vec![0; self.entries.len()], vec![0.0; self.entries.len()]);
        for (document, &begin) in self.begins.iter().enumerate() {
            let end = self.begins.get(document + 1).map_or(self.entries.len(), |&end| end as usize);
            let norm = K1 * (1.0 - B + B * self.lengths[document] / average);
            for entry in &self.entries[begin as usize..end] {
                let place = next[entry.word as usize] as usize;
                next[entry.word as usize] += 1;
                documents[place] = document as u32;
                gains[place] =
                    rarities[entry.word as usize] * entry.weight * (K1 + 1.0) / (entry.weight + norm);
            }
        }
        Index { words: self.words, noise: self.noise, starts, documents, gains, count }
    }
}

/// How much it says that a document holds a word that `holders` of `count` hold.
fn rarity(holders: f32, count: f32) -> f32 {
    (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln()
}

/// The words that say nothing.
#[derive(Debug)]
struct Noise(Words);

impl Default for Noise {
    fn default() -> Self {
        let mut words = Words::default();
        for word in words::NOISE.split(' ') {
            words.add(word);
        }
        Noise(words)
    }
}

impl Noise {
    fn holds(&self, word: &str) -> bool {
        self.0.find(word).is_some()
    }

    /// All words of a text that say something.
    fn for_each_other(&self, text: &str, take: &mut dyn FnMut(&str)) {
        words::for_each(text, &mut |word| {
            if !self.holds(word) {
                take(word);
            }
        });
    }
}

/// Words by number: a hash table over one text that holds them all.
#[derive(Debug, Default)]
struct Words {
    text: String,
    /// Where each word ends in the text.
    ends: Vec<u32>,
    /// Numbers plus one by hash; zero is free. Its length is a power of two.
    slots: Vec<u32>,
}

impl Words {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn word(&self, id: usize) -> &str {
        let begin = if id == 0 { 0 } else { self.ends[id - 1] as usize };
        &self.text[begin..self.ends[id] as usize]
    }

    fn find(&self, word: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let found = self.slots[self.slot(word)];
        (found > 0).then(|| found - 1)
    }

    /// The slot that holds a word, or the free one where it belongs.
    fn slot(&self, word: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash(word) as usize & mask;
        while self.slots[at] > 0 && self.word(self.slots[at] as usize - 1) != word {
            at = (at + 1) & mask;
        }
        at
    }

    fn add(&mut self, word: &str) -> u32 {
        if self.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let at = self.slot(word);
        if self.slots[at] == 0 {
            self.text.push_str(word);
            self.ends.push(self.text.len() as u32);
            self.slots[at] = self.len() as u32;
        }
        self.slots[at] - 1
    }

    fn grow(&mut self) {
        self.slots = vec![0; (self.slots.len() * 2).max(1024)];
        for id in 0..self.len() {
            let at = self.slot(self.word(id));
            self.slots[at] = id as u32 + 1;
        }
    }
}

/// FNV-1a.
fn hash(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
