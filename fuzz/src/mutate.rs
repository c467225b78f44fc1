//! Makes new inputs of known ones: by lines, since the formats are made of lines, and by bytes. The same number to
//! begin with gives the same inputs.

/// Inputs do not grow beyond this.
const MOST_BYTES: usize = 1 << 16;
const MOST_CHANGES: usize = 6;
const MOST_COPIES: usize = 64;

/// A small generator of numbers (xorshift64*): no secret depends on it.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end.max(1)
    }

    pub fn pick<'a, T: ?Sized>(&mut self, of: &'a [Box<T>]) -> Option<&'a T> {
        of.get(self.below(of.len())).map(Box::as_ref)
    }
}

/// A new input, made of `input`, pieces of `other`, and words.
pub fn mutate(input: &[u8], other: &[u8], words: &[Box<[u8]>], chance: &mut Chance) -> Vec<u8> {
    let mut out = input.to_vec();
    for _ in 0..=chance.below(MOST_CHANGES) {
        match chance.below(3) {
            0 => change_bytes(&mut out, words, chance),
            _ => out = change_lines(&out, other, chance),
        }
    }
    out.truncate(MOST_BYTES);
    out
}

fn change_bytes(out: &mut Vec<u8>, words: &[Box<[u8]>], chance: &mut Chance) {
    let at = chance.below(out.len() + 1);
    let some = (at + 1 + chance.below(16)).min(out.len());
    match chance.below(6) {
        0 => out.truncate(at),
        1 => drop(out.drain(at..some)),
        2 if at < out.len() => out[at] = chance.next() as u8,
        3 => change_a_number(out, at, chance),
        _ => {
            let word = chance.pick(words).unwrap_or_default();
            out.splice(at..at, word.iter().copied());
        }
    }
}

/// The next digit from a place on becomes another one, so that counts disagree.
fn change_a_number(out: &mut [u8], from: usize, chance: &mut Chance) {
    let digit = out.iter_mut().skip(from).find(|byte| byte.is_ascii_digit());
    digit.into_iter().for_each(|digit| *digit = b'0' + chance.below(10) as u8);
}

fn change_lines(input: &[u8], other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let (at, to) = (chance.below(lines.len()), chance.below(lines.len()));
    match chance.below(6) {
        0 => drop(lines.remove(at)),
        1 => lines.swap(at, to),
        2 => {
            let copies = vec![lines[at]; 1 + chance.below(3)];
            drop(lines.splice(to..to, copies));
        }
        3 => {
            let piece: Vec<&[u8]> = lines[at..(at + 1 + chance.below(8)).min(lines.len())].to_vec();
            let copies = match chance.below(8) {
                0 => chance.below(MOST_COPIES),
                _ => 1,
            };
            drop(lines.splice(to..to, piece.repeat(copies)));
        }
        4 => {
            let theirs: Vec<&[u8]> = other.split(|byte| *byte == b'\n').collect();
            let from = chance.below(theirs.len());
            let end = (from + 1 + chance.below(12)).min(theirs.len());
            drop(lines.splice(to..to, theirs[from..end].iter().copied()));
        }
        _ => {
            // One line and the next become one.
            let mut joined = lines[..at].join(&b'\n');
            let separator: &[u8] = if at == 0 { b"" } else { b"\n" };
            joined.extend_from_slice(separator);
            joined.extend_from_slice(lines[at]);
            joined.extend(lines[at + 1..].join(&b'\n'));
            return joined;
        }
    }
    lines.join(&b'\n')
}

/// The words of a dictionary in libFuzzer's format: one in quotes on a line, with `\xAB`, `\"` and `\\`.
pub fn read_words(dictionary: &str) -> Vec<Box<[u8]>> {
    let quoted = dictionary.lines().filter(|line| !line.starts_with('#'));
    let words = quoted.filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    words.map(|word| unescape(word.as_bytes()).into()).collect()
}

fn unescape(word: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), word);
    while let Some((&byte, behind)) = rest.split_first() {
        let hex =
            || std::str::from_utf8(behind.get(1..3)?).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let (byte, length) = match (byte, behind.first()) {
            (b'\\', Some(b'x')) => (hex().unwrap_or(b'?'), 3),
            (b'\\', Some(&escaped)) => (escaped, 1),
            _ => (byte, 0),
        };
        out.push(byte);
        rest = behind.get(length..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_with_its_escapes() {
        let words = read_words("# a comment\n\"a\\x0ab\"\n\n\"\\\"\\\\\"\n");
        assert_eq!(words, [Box::from(&b"a\nb"[..]), Box::from(&b"\"\\"[..])]);
    }

    #[test]
    fn the_same_beginning_gives_the_same_inputs() {
        let inputs = |seed| {
            let mut chance = Chance::new(seed);
            (0..50).map(|_| mutate(b"a\nb\nc", b"d\ne", &[], &mut chance)).collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
    }

    #[test]
    fn no_input_grows_without_end() {
        let mut chance = Chance::new(3);
        let mut input = b"line\n".repeat(1000);
        for _ in 0..2000 {
            input = mutate(&input, b"line\nline", &[], &mut chance);
            assert!(input.len() <= MOST_BYTES);
        }
    }
}
