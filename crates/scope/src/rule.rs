//! What a decide rule is.

use std::cell::OnceCell;
use std::sync::Arc;

use model::{Candidate, Verdict};
use surt::{CanonicalUrl, Surt};

/// A decide rule: says accept, reject or nothing of a candidate.
pub trait DecideRule: Send + Sync {
    /// The name in job files, decisions and logs, e.g. `too-many-hops`.
    fn name(&self) -> &'static str;

    /// `None` if the rule has nothing to say.
    fn decide(&self, candidate: &Candidate, context: &RuleContext<'_>) -> Option<Verdict>;

    /// The only verdict the rule can give, if there is but one: it is then not asked while that is the verdict anyway.
    fn only_verdict(&self) -> Option<Verdict> {
        None
    }

    /// The name with what distinguishes this answer, e.g. the prefix that matched; asked of the deciding rule alone.
    /// `None` means the bare name. Keep texts and clone the `Arc`: this runs for every candidate.
    fn label(&self, _candidate: &Candidate, _context: &RuleContext<'_>) -> Option<Arc<str>> {
        None
    }

    /// The SURT prefix that a new seed would add to this rule; `None` if it covers the seed already or does not grow.
    fn seed_change(&self, _seed: &CanonicalUrl) -> Option<String> {
        None
    }

    /// Adds what [`DecideRule::seed_change`] gave, now or in an earlier launch.
    fn apply_change(&self, _surt_prefix: &str) {}

    /// Takes a directive of the seeds file (`+` or `-` and a SURT prefix); true if it was meant for this rule.
    fn directive(&self, _sign: char, _surt_prefix: &str) -> bool {
        false
    }
}

/// What several rules need of one candidate, worked out at most once.
pub struct RuleContext<'a> {
    candidate: &'a Candidate,
    surt: OnceCell<Surt>,
    via_surt: OnceCell<Option<Surt>>,
}

impl<'a> RuleContext<'a> {
    /// The context of a candidate; costs nothing yet.
    pub fn new(candidate: &'a Candidate) -> RuleContext<'a> {
        RuleContext { candidate, surt: OnceCell::new(), via_surt: OnceCell::new() }
    }

    /// The candidate's SURT as scope compares it: lower case, https as http.
    pub fn surt(&self) -> &str {
        self.surt.get_or_init(|| Surt::for_scope(&self.candidate.url)).as_str()
    }

    /// The same of its via; `None` for seeds.
    pub fn via_surt(&self) -> Option<&str> {
        let surt = || self.candidate.via.as_ref().map(|via| Surt::for_scope(&via.url));
        self.via_surt.get_or_init(surt).as_ref().map(Surt::as_str)
    }
}
