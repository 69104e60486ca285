//! The wait between two fetches of a queue.
//!
//! Follows Heritrix's DispositionProcessor for the formula; Retry-After, 429 and 503 are honoured on top of it
//! (RFC 9110 10.2.3, RFC 6585 4), which Heritrix does not do.

use model::FetchOutcome;

use crate::Politeness;

/// How a fetch ended, as far as its queue's wait depends on it.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchEnd {
    /// From the first to the last moment of the fetch, in milliseconds.
    pub duration_ms: u64,
    /// `Crawl-delay` of the host's robots.txt in seconds; `None` if there is none or robots are not known.
    pub crawl_delay_s: Option<f64>,
    /// `Retry-After` of the answer, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The server asked to be left alone for a while: 429 or 503.
    pub slow_down: bool,
    /// A request went out. If not, the queue need not wait.
    pub tried_network: bool,
    /// What the item's `Done` will say. A retry makes the queue wait; after a deferral the queue stands still until the
    /// `Done` and the prerequisite with it are applied.
    pub outcome: FetchOutcome,
}

impl Default for FetchEnd {
    /// A fetch that took no time and is finished for good.
    fn default() -> FetchEnd {
        FetchEnd {
            duration_ms: 0,
            crawl_delay_s: None,
            retry_after_ms: None,
            slow_down: false,
            tried_network: true,
            outcome: FetchOutcome::Finished,
        }
    }
}

impl Politeness {
    /// Milliseconds that a queue waits after a fetch. `slow_downs` counts the answers in a row, this one included,
    /// that asked to slow down.
    pub fn delay_ms(&self, end: &FetchEnd, slow_downs: u32) -> u64 {
        if !end.tried_network {
            return 0;
        }
        self.ordinary_ms(end).max(self.asked_for_ms(end, slow_downs))
    }

    /// The wait of a queue of which nothing but its robots.txt is known.
    pub fn least_ms(&self, crawl_delay_s: Option<f64>) -> u64 {
        self.ordinary_ms(&FetchEnd { crawl_delay_s, ..FetchEnd::default() })
    }

    fn ordinary_ms(&self, end: &FetchEnd) -> u64 {
        if let Some(fixed) = self.fixed_delay_ms {
            return fixed;
        }
        let factored = (self.delay_factor * end.duration_ms as f64) as u64;
        let delay = factored.max(self.delay_ms_min).min(self.delay_ms_max);
        let respected = self.respect_crawl_delay_s_max.saturating_mul(1000);
        match end.crawl_delay_s {
            Some(seconds) if delay < respected => delay.max(((1000.0 * seconds) as u64).min(respected)),
            _ => delay,
        }
    }

    fn asked_for_ms(&self, end: &FetchEnd, slow_downs: u32) -> u64 {
        if let Some(retry_after) = end.retry_after_ms {
            return retry_after.min(self.slow_down_ms_max);
        }
        if !end.slow_down {
            return 0;
        }
        let doublings = slow_downs.saturating_sub(1).min(32);
        self.slow_down_ms_first.saturating_mul(1 << doublings).min(self.slow_down_ms_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(duration_ms: u64, crawl_delay_s: Option<f64>, expected: u64) {
        let end = FetchEnd { duration_ms, crawl_delay_s, ..FetchEnd::default() };
        assert_eq!(Politeness::default().delay_ms(&end, 0), expected);
    }

    #[test]
    fn formula_of_heritrix() {
        check(0, None, 3000);
        check(599, None, 3000);
        check(601, None, 3005);
        check(6001, None, 30_000);
        check(u64::MAX, None, 30_000);
        // Crawl-delay may exceed the longest wait, up to its own limit.
        check(100, Some(1.0), 3000);
        check(100, Some(4.5), 4500);
        check(100, Some(120.0), 120_000);
        check(100, Some(1e9), 300_000);
        check(100, Some(-1.0), 3000);
        check(100, Some(f64::NAN), 3000);
    }

    #[test]
    fn untried_waits_for_nothing() {
        let end = FetchEnd { tried_network: false, duration_ms: 900, ..FetchEnd::default() };
        assert_eq!(Politeness::default().delay_ms(&end, 0), 0);
    }

    #[test]
    fn crawl_delay_is_ignored_at_a_limit_below_the_delay() {
        let politeness = Politeness { respect_crawl_delay_s_max: 2, ..Politeness::default() };
        let end = FetchEnd { crawl_delay_s: Some(60.0), ..FetchEnd::default() };
        assert_eq!(politeness.delay_ms(&end, 0), 3000);
    }

    #[test]
    fn busy_servers_are_left_alone() {
        let politeness = Politeness { fixed_delay_ms: Some(0), ..Politeness::default() };
        let busy = FetchEnd { slow_down: true, ..FetchEnd::default() };
        assert_eq!(politeness.delay_ms(&busy, 1), 5000);
        assert_eq!(politeness.delay_ms(&busy, 3), 20_000);
        assert_eq!(politeness.delay_ms(&busy, 1000), 300_000);
        let named = FetchEnd { retry_after_ms: Some(30_000), ..busy.clone() };
        assert_eq!(politeness.delay_ms(&named, 1), 30_000);
        let absurd = FetchEnd { retry_after_ms: Some(u64::MAX), ..busy };
        assert_eq!(politeness.delay_ms(&absurd, 1), 300_000);
    }
}
