//! Whether a change of what was sent before pays: what pruning has saved a session so far, and what the change
//! costs.
//!
//! Providers bill text that they have in their cache at a tenth, and text that they must read anew at the full
//! price or a quarter more. The cache holds a request's beginning, so whatever stands behind a change is read
//! anew. Amounts are characters at the full price; of two ways to bill, the one less kind to us is taken.

/// What a character costs that the cache has.
const READ: f64 = 0.1;
/// What it costs more to read a character anew that the cache had: 1.25 to write it less 0.1, and a tenth for
/// what an estimate by characters misses.
const REWRITTEN: f64 = 1.25;
/// How long a provider keeps what nobody asks for (Anthropic's default, and about as long elsewhere).
const LIFETIME_MS: f64 = 300_000.0;
/// A request shorter than this is not cached: 1,024 tokens of four characters.
const LEAST_CACHED_CHARS: i64 = 4_096;

/// The account of one session.
#[derive(Clone, Copy, Debug, Default)]
pub struct CacheCost {
    balance: f64,
    /// What was paid for changes so far.
    spent: f64,
    /// How much shorter the last request was made.
    saved_chars: i64,
    last_ms: Option<f64>,
}

impl CacheCost {
    /// Takes note of a request that pruning made shorter by so many characters.
    pub fn note(&mut self, saved_chars: i64, now_ms: f64) {
        let price = if self.is_cold(now_ms) { 1.0 } else { READ };
        self.balance += price * saved_chars as f64;
        self.saved_chars = saved_chars;
        self.last_ms = Some(now_ms);
    }

    /// Takes note that what is sent of a request of so many characters is read anew.
    pub fn charge(&mut self, chars: i64) {
        let price = REWRITTEN * (chars - self.saved_chars) as f64;
        self.balance -= price;
        self.spent += price;
    }

    /// Whether the cache has nothing of the session, so that a change costs nothing more.
    fn is_cold(&self, now_ms: f64) -> bool {
        self.last_ms.is_none_or(|last| now_ms - last > LIFETIME_MS)
    }

    /// Whether so much can be read anew and still half of what was saved be left, for the next time.
    fn covers(&self, chars: i64) -> bool {
        self.balance >= 2.0 * REWRITTEN * chars as f64
    }

    /// How much shorter the last request was made.
    pub fn saved_chars(&self) -> i64 {
        self.saved_chars
    }

    /// Whether it is time to show so many hidden characters for good: once changes have cost what showing all
    /// would, every further one is lost. Who stops there never pays more than twice the least.
    pub fn is_time_to_show_all(&self, chars: i64, hidden_chars: i64) -> bool {
        self.spent + REWRITTEN * (chars - self.saved_chars) as f64 > REWRITTEN * hidden_chars as f64
    }

    /// What it costs to change the beginning of a request of so many characters, of which what was saved last
    /// is not sent.
    pub fn price_of_change(&self, chars: i64, now_ms: f64) -> ChangePrice {
        let sent = chars - self.saved_chars;
        match () {
            () if self.is_cold(now_ms) || sent < LEAST_CACHED_CHARS => ChangePrice::Nothing,
            () if self.covers(sent) => ChangePrice::Covered,
            () => ChangePrice::TooMuch,
        }
    }
}

/// What it costs to change what was sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangePrice {
    /// The provider has nothing in its cache.
    Nothing,
    /// Less than half of what was saved so far.
    Covered,
    /// More than that.
    TooMuch,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: f64 = 60_000.0;

    #[test]
    fn before_the_first_request_a_change_costs_nothing() {
        assert_eq!(CacheCost::default().price_of_change(1_000_000, 0.0), ChangePrice::Nothing);
    }

    #[test]
    fn after_five_idle_minutes_a_change_costs_nothing() {
        let mut account = CacheCost::default();
        account.note(0, 0.0);
        assert_eq!(account.price_of_change(10_000, 5.0 * MINUTE), ChangePrice::TooMuch);
        assert_eq!(account.price_of_change(10_000, 5.0 * MINUTE + 1.0), ChangePrice::Nothing);
    }

    #[test]
    fn what_is_too_short_to_be_cached_costs_nothing() {
        let mut account = CacheCost::default();
        account.note(0, 0.0);
        assert_eq!(account.price_of_change(4_095, 1.0), ChangePrice::Nothing);
        assert_eq!(account.price_of_change(4_096, 1.0), ChangePrice::TooMuch);
    }

    #[test]
    fn a_change_is_covered_by_twice_its_price() {
        let mut account = CacheCost::default();
        account.note(25_000, 0.0);
        assert_eq!(account.price_of_change(35_000, 1.0), ChangePrice::Covered);
        assert_eq!(account.price_of_change(35_001, 1.0), ChangePrice::TooMuch);
    }

    #[test]
    fn a_request_that_the_cache_has_saves_a_tenth() {
        let mut account = CacheCost::default();
        account.note(20_000, 0.0);
        (1..=2).for_each(|step| account.note(25_000, f64::from(step)));
        assert_eq!(account.price_of_change(35_000, 3.0), ChangePrice::Covered);
        account.charge(25_001);
        assert_eq!(account.price_of_change(35_000, 3.0), ChangePrice::TooMuch);
    }
}
