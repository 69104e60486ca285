//! Seeds and decide rules: does this URL belong to the crawl?
//!
//! [`Scope::decide`] takes a [`model::Candidate`] and gives a [`model::Decision`] that names the rule. Rules run in order;
//! each may say nothing, *accept* or *reject*; the last that speaks decides (Heritrix's `DecideRuleSequence`). What is
//! done with a URL then, and whether it was seen before, is others' business.
//!
//! A rule is a file in `rules/` and a line in [`rules::ALL`]; rules from other crates come in through [`Registry::with`].
//!
//! ```
//! use model::{Candidate, Verdict};
//! use bequest_scope::{Scope, ScopeOptions, seeds};
//! use surt::CanonicalUrl;
//!
//! let seeds = seeds::parse("http://example.org/docs/\n-http://example.org/docs/old/\n");
//! let scope = Scope::new(&ScopeOptions::default(), &seeds).unwrap();
//! let decide = |url| scope.decide(&Candidate::seed(CanonicalUrl::parse(url).unwrap()));
//! assert_eq!(decide("http://example.org/docs/").verdict, Verdict::Accept);
//! ```

mod options;
mod registry;
mod rule;
pub mod rules;
mod scope;
pub mod seeds;

pub use options::{Embeds, ScopeKind, ScopeOptions};
pub use registry::{ConfiguredRule, Registry, RuleEntry, RuleSpec};
pub use rule::{DecideRule, RuleContext};
pub use scope::{Scope, ScopeError};
pub use seeds::{Seed, SeedList};
