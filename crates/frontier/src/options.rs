//! The frontier's section of the job file.

use serde::{Deserialize, Serialize};

/// How the frontier orders, waits and keeps its memory small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrontierOptions {
    /// Offers that wait for the seen test at most; then a flush is due.
    pub sieve_buffer_entries: usize,
    /// Bytes of such offers at most; then a flush is due.
    pub sieve_buffer_bytes: usize,
    /// Milliseconds that an offer waits for the seen test at most.
    pub sieve_wait_ms_max: u64,
    /// Bytes of queued URLs held in memory at most; then all are written to a segment.
    pub queue_memory_bytes: usize,
    /// Bytes of unpacked queue chunks kept for the next look.
    pub chunk_cache_bytes: usize,
    /// Fingerprints remembered by [`crate::Frontier::recently_admitted`]; rounded up to a power of two, 0 for none.
    pub recent_entries: usize,
    /// How long a queue waits between two fetches.
    pub politeness: Politeness,
    /// Requests of one queue in flight at once.
    pub in_flight_per_queue: u32,
    /// Milliseconds before a failed fetch is tried again. Heritrix: 900 s.
    pub retry_delay_ms: u64,
    /// Attempts at one URL, deferrals included. Heritrix: 30.
    pub retries_max: u32,
    /// Cost that a queue may spend before others get their turn. Heritrix: 3000.
    pub balance_replenish: u32,
    /// Cost of a failure on top of the URL's own. Heritrix: 100.
    pub error_penalty: u32,
    /// Cost that a queue may spend in all before it is retired; `None` for no limit.
    pub queue_total_budget: Option<u64>,
}

impl Default for FrontierOptions {
    fn default() -> FrontierOptions {
        FrontierOptions {
            sieve_buffer_entries: 1 << 20,
            sieve_buffer_bytes: 160 << 20,
            sieve_wait_ms_max: 10_000,
            queue_memory_bytes: 64 << 20,
            chunk_cache_bytes: 16 << 20,
            recent_entries: 1 << 20,
            politeness: Politeness::default(),
            in_flight_per_queue: 1,
            retry_delay_ms: 900_000,
            retries_max: 30,
            balance_replenish: 3000,
            error_penalty: 100,
            queue_total_budget: None,
        }
    }
}

impl FrontierOptions {
    /// What a queue waits after a resume whose last wait was `wait_ms` (0 if unknown). A fetch of it may have ended just
    /// before the process did.
    pub(crate) fn resume_wait_ms(&self, wait_ms: u32) -> u64 {
        let wait_ms_max = self.retry_delay_ms.max(self.politeness.slow_down_ms_max);
        let least_ms = self.politeness.least_ms(None);
        u64::from(wait_ms).min(wait_ms_max).max(least_ms)
    }
}

/// How long a queue waits between two fetches. Defaults of Heritrix's DispositionProcessor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Politeness {
    /// The wait as a multiple of the last fetch's duration.
    pub delay_factor: f64,
    /// Shortest wait in milliseconds.
    pub delay_ms_min: u64,
    /// Longest wait in milliseconds; only a Crawl-delay and a busy server may exceed it.
    pub delay_ms_max: u64,
    /// A Crawl-delay in robots.txt counts up to that many seconds; 0 to ignore it.
    pub respect_crawl_delay_s_max: u64,
    /// A fixed wait in milliseconds in place of the formula and of Crawl-delay.
    pub fixed_delay_ms: Option<u64>,
    /// Wait in milliseconds after the first 429 or 503 without Retry-After; doubled with each further one.
    pub slow_down_ms_first: u64,
    /// Longest wait in milliseconds that 429, 503 or Retry-After can ask for.
    pub slow_down_ms_max: u64,
}

impl Default for Politeness {
    fn default() -> Politeness {
        Politeness {
            delay_factor: 5.0,
            delay_ms_min: 3000,
            delay_ms_max: 30_000,
            respect_crawl_delay_s_max: 300,
            fixed_delay_ms: None,
            slow_down_ms_first: 5000,
            slow_down_ms_max: 300_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_round_trip_and_refuse_unknown_keys() {
        let text = toml::to_string(&FrontierOptions::default()).unwrap();
        assert_eq!(toml::from_str::<FrontierOptions>(&text).unwrap(), FrontierOptions::default());
        assert!(toml::from_str::<FrontierOptions>("queue_memory = 1").is_err());
        assert!(toml::from_str::<FrontierOptions>("[politeness]\ndelay = 1").is_err());
    }
}
