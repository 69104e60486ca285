//! The sequence of rules and its answer.

use std::sync::Arc;

use model::{Candidate, Decision, Verdict};
use surt::{CanonicalUrl, surt_prefix_of_text};

use crate::registry::{ConfiguredRule, DecisionOption, Registry, RuleSpec};
use crate::rule::{DecideRule, RuleContext};
use crate::rules::{
    Accept, MatchesRegex, MatchesRegexOptions, PathologicalPath, PathologicalPathOptions, PrerequisiteAccept,
    Reject, SchemeNotInSet, SchemeNotInSetOptions, SeedAccept, SeedWidth, SurtPrefixed, SurtPrefixedOptions,
    TooManyHops, TooManyHopsOptions, TooManyLinkHops, TooManyLinkHopsOptions, TooManyPathSegments,
    TooManyPathSegmentsOptions, Transclusion, TransclusionOptions,
};
use crate::{Embeds, ScopeKind, ScopeOptions, SeedList};

/// Why a scope cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// A rule's name or options are wrong.
    #[error("{0}")]
    Rule(String),
    /// A directive of the seeds file is no SURT prefix and no URL.
    #[error("line {line} of the seeds: `{text}` is no SURT prefix, URL or host name")]
    Directive {
        /// Its line, from 1.
        line: usize,
        /// As written.
        text: String,
    },
}

/// The scope of a job. Clones share their rules, so that a change is seen by all.
#[derive(Clone)]
pub struct Scope {
    steps: Arc<[Step]>,
    /// The answer if no rule speaks.
    silent: Arc<str>,
}

struct Step {
    rule: Box<dyn DecideRule>,
    name: Arc<str>,
}

impl Scope {
    /// The default sequence: that of Heritrix's default profile, with `embeds`, `include`, `exclude` and
    /// `link-hops-max` in their places, and seeds accepted in any case.
    ///
    /// # Errors
    /// [`ScopeError`] for regular expressions and directives that cannot be read.
    pub fn new(options: &ScopeOptions, seeds: &SeedList) -> Result<Scope, ScopeError> {
        Scope::of_rules(default_rules(options).map_err(ScopeError::Rule)?, seeds)
    }

    /// The default sequence with rules from outside before those that have the last word: seeds, prerequisites, schemes.
    ///
    /// # Errors
    /// As [`Scope::new`].
    pub fn with_rules(
        options: &ScopeOptions,
        added: Vec<Box<dyn DecideRule>>,
        seeds: &SeedList,
    ) -> Result<Scope, ScopeError> {
        let mut rules = default_rules(options).map_err(ScopeError::Rule)?;
        let at = rules.len() - LAST_WORDS;
        rules.splice(at..at, added);
        Scope::of_rules(rules, seeds)
    }

    /// A sequence as a job file writes it.
    ///
    /// # Errors
    /// [`ScopeError`] for unknown rules, options they refuse and directives that cannot be read.
    pub fn of_specs(specs: &[RuleSpec], registry: &Registry, seeds: &SeedList) -> Result<Scope, ScopeError> {
        let rules = specs.iter().map(|spec| registry.build(spec)).collect::<Result<_, _>>();
        Scope::of_rules(rules.map_err(ScopeError::Rule)?, seeds)
    }

    /// A sequence of any rules; the seeds and directives are offered to them.
    ///
    /// # Errors
    /// [`ScopeError::Directive`].
    pub fn of_rules(rules: Vec<Box<dyn DecideRule>>, seeds: &SeedList) -> Result<Scope, ScopeError> {
        let steps = rules.into_iter().map(|rule| Step { name: rule.name().into(), rule }).collect();
        let scope = Scope { steps, silent: "no rule".into() };
        for seed in &seeds.seeds {
            if let Some(prefix) = scope.seed_change(&seed.url) {
                scope.apply_change(&prefix);
            }
        }
        for directive in &seeds.directives {
            let error = |_| ScopeError::Directive { line: directive.line, text: directive.text.clone() };
            let prefix = surt_prefix_of_text(&directive.text).map_err(error)?;
            for step in scope.steps.iter() {
                step.rule.directive(directive.sign, &prefix);
            }
        }
        Ok(scope)
    }

    /// Does the candidate belong to the crawl? The last rule that speaks decides; if none does, it does not.
    pub fn decide(&self, candidate: &Candidate) -> Decision {
        let context = RuleContext::new(candidate);
        let mut decided: Option<(usize, Verdict)> = None;
        for (index, step) in self.steps.iter().enumerate() {
            let current = decided.map(|(_, verdict)| verdict);
            // As Heritrix: a rule that could only repeat the verdict is not asked, and the earlier one stays named.
            if current.is_some() && step.rule.only_verdict() == current {
                continue;
            }
            if let Some(verdict) = step.rule.decide(candidate, &context) {
                decided = Some((index, verdict));
            }
        }
        match decided {
            Some((index, verdict)) => {
                let step = &self.steps[index];
                let rule = step.rule.label(candidate, &context).unwrap_or_else(|| step.name.clone());
                Decision { verdict, rule_index: index as u16, rule }
            }
            None => Decision {
                verdict: Verdict::Reject,
                rule_index: self.steps.len() as u16,
                rule: self.silent.clone(),
            },
        }
    }

    /// What each rule says of a candidate on its own, in order: for `explain`.
    pub fn verdicts(&self, candidate: &Candidate) -> Vec<(Arc<str>, Option<Verdict>)> {
        let context = RuleContext::new(candidate);
        let verdict = |step: &Step| {
            let verdict = step.rule.decide(candidate, &context);
            let label = verdict.and_then(|_| step.rule.label(candidate, &context));
            (label.unwrap_or_else(|| step.name.clone()), verdict)
        };
        self.steps.iter().map(verdict).collect()
    }

    /// The SURT prefix that a new seed would add (also one born of a redirect); `None` if it adds nothing. The caller
    /// records it in the journal and passes it to [`Scope::apply_change`].
    pub fn seed_change(&self, seed: &CanonicalUrl) -> Option<String> {
        self.steps.iter().find_map(|step| step.rule.seed_change(seed))
    }

    /// Lets the scope grow by a prefix that [`Scope::seed_change`] gave, now or in an earlier launch.
    pub fn apply_change(&self, surt_prefix: &str) {
        for step in self.steps.iter() {
            step.rule.apply_change(surt_prefix);
        }
    }
}

impl std::fmt::Debug for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.steps.iter().map(|step| &step.name)).finish()
    }
}

fn rule<R: ConfiguredRule>(options: R::Options) -> Result<Box<dyn DecideRule>, String> {
    Ok(Box::new(R::new(options)?))
}

/// Rules at the end of [`default_rules`] that outside rules do not overrule.
const LAST_WORDS: usize = 3;

/// Heritrix's default profile (reference/heritrix.md part 2 no. 6), the lines marked + are ours.
fn default_rules(options: &ScopeOptions) -> Result<Vec<Box<dyn DecideRule>>, String> {
    let seeds = match options.scope {
        ScopeKind::Page => SeedWidth::Page,
        ScopeKind::Prefix => SeedWidth::Prefix,
        ScopeKind::Host => SeedWidth::Host,
        ScopeKind::Domain => SeedWidth::Domain,
        ScopeKind::Any => SeedWidth::None,
    };
    let regexes = |regexes: &[String], decision| MatchesRegexOptions {
        decision,
        regexes: regexes.to_vec(),
        full_match: false,
        ..MatchesRegexOptions::default()
    };
    let accepts = SurtPrefixedOptions { seeds, ..SurtPrefixedOptions::default() };
    let rejects = SurtPrefixedOptions {
        decision: DecisionOption::Reject,
        seeds: SeedWidth::None,
        ..SurtPrefixedOptions::default()
    };

    let mut rules = vec![rule::<Reject>(Default::default())?];
    match options.scope {
        ScopeKind::Any => rules.push(rule::<Accept>(Default::default())?), // +
        _ => rules.push(rule::<SurtPrefixed>(accepts)?),
    }
    if !options.include.is_empty() {
        rules.push(rule::<MatchesRegex>(regexes(&options.include, DecisionOption::Accept))?); // +
    }
    rules.push(rule::<TooManyHops>(TooManyHopsOptions { hops_max: options.hops_max, ..Default::default() })?);
    if let Some(link_hops_max) = options.link_hops_max {
        rules.push(rule::<TooManyLinkHops>(TooManyLinkHopsOptions { link_hops_max, ..Default::default() })?); // +
    }
    if options.embeds == Embeds::Any {
        rules.push(rule::<Transclusion>(TransclusionOptions {
            trans_hops_max: options.trans_hops_max,
            speculative_hops_max: options.speculative_hops_max,
            ..Default::default()
        })?);
    }
    rules.push(rule::<SurtPrefixed>(rejects)?);
    rules.push(rule::<MatchesRegex>(regexes(&options.exclude, DecisionOption::Reject))?);
    rules.push(rule::<PathologicalPath>(PathologicalPathOptions {
        repetitions_max: options.path_repetitions_max,
    })?);
    rules.push(rule::<TooManyPathSegments>(TooManyPathSegmentsOptions {
        path_segments_max: options.path_segments_max,
        ..Default::default()
    })?);
    rules.push(rule::<SeedAccept>(Default::default())?); // +
    rules.push(rule::<PrerequisiteAccept>(Default::default())?);
    rules.push(rule::<SchemeNotInSet>(SchemeNotInSetOptions {
        schemes: options.schemes.clone(),
        ..Default::default()
    })?);
    Ok(rules)
}
