//! What scope says of a candidate.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// In or out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// Belongs to the crawl.
    Accept,
    /// Does not.
    Reject,
}

/// A verdict and the rule that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// In or out.
    pub verdict: Verdict,
    /// Place of the deciding rule in the job's sequence, from 0.
    pub rule_index: u16,
    /// The rule's name with what distinguishes it, e.g. `surt-prefixed +http://(org,example,)/`.
    pub rule: Arc<str>,
}
