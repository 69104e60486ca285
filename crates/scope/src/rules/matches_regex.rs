//! `matches-regex`: URLs that match regular expressions. Heritrix `MatchesRegexDecideRule`,
//! `MatchesListRegexDecideRule` and their negations.
//!
//! The engine runs in linear time, so no expression can hang it (Heritrix needs a timeout for each); in return there are
//! no back references and no look-around.

use std::sync::Arc;

use model::{Candidate, Verdict};
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::{DecisionOption, compiled};
use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Options of [`MatchesRegex`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MatchesRegexOptions {
    /// What the rule answers where it matches.
    pub decision: DecisionOption,
    /// The expressions. An empty list matches nothing.
    pub regexes: Vec<String>,
    /// True: an expression must match the whole URL, as in Heritrix. False: it is searched in the URL.
    pub full_match: bool,
    /// True: all must match. False: one is enough.
    pub all: bool,
    /// Matches where the expressions do not.
    pub negate: bool,
}

impl Default for MatchesRegexOptions {
    fn default() -> Self {
        MatchesRegexOptions {
            decision: DecisionOption::Accept,
            regexes: Vec::new(),
            full_match: true,
            all: false,
            negate: false,
        }
    }
}

/// See the module.
pub struct MatchesRegex {
    verdict: Verdict,
    /// Each with the label of a decision by it.
    regexes: Vec<(Regex, Arc<str>)>,
    all: bool,
    negate: bool,
}

impl MatchesRegex {
    fn matches(&self, url: &str) -> bool {
        let mut regexes = self.regexes.iter();
        match self.all {
            true => !self.regexes.is_empty() && regexes.all(|(regex, _)| regex.is_match(url)),
            false => regexes.any(|(regex, _)| regex.is_match(url)),
        }
    }
}

impl DecideRule for MatchesRegex {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        (self.matches(candidate.url.as_str()) != self.negate).then_some(self.verdict)
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(self.verdict)
    }

    fn label(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Arc<str>> {
        let url = candidate.url.as_str();
        self.regexes
            .iter()
            .find(|(regex, _)| regex.is_match(url) != self.negate)
            .map(|(_, label)| label.clone())
    }
}

impl ConfiguredRule for MatchesRegex {
    const NAME: &'static str = "matches-regex";
    const DOCS: &'static str = "Matches URLs that one or all of the expressions match, in whole or in part (Heritrix \
                                MatchesRegexDecideRule, MatchesListRegexDecideRule, NotMatchesRegexDecideRule, \
                                NotMatchesListRegexDecideRule).";
    const EXAMPLE: &'static str = "decision = \"reject\"\nregexes = ['.*/calendar/.*']\nfull-match = true";
    type Options = MatchesRegexOptions;

    fn new(options: MatchesRegexOptions) -> Result<Self, String> {
        let sign = if options.negate { "not " } else { "" };
        let regex = |text: &String| {
            Ok::<_, String>((
                compiled(text, options.full_match)?,
                format!("{} {sign}{text}", Self::NAME).into(),
            ))
        };
        Ok(MatchesRegex {
            verdict: options.decision.into(),
            regexes: options.regexes.iter().map(regex).collect::<Result<_, _>>()?,
            all: options.all,
            negate: options.negate,
        })
    }
}

#[cfg(test)]
mod tests {
    use surt::CanonicalUrl;

    use super::*;

    #[test]
    fn anchoring_and_logic() {
        let check = |regexes: &[&str], full_match, all, negate, expected: bool| {
            let regexes = regexes.iter().map(|&regex| regex.to_owned()).collect();
            let options = MatchesRegexOptions { regexes, full_match, all, negate, ..Default::default() };
            let rule = MatchesRegex::new(options).unwrap();
            let candidate = Candidate::seed(CanonicalUrl::parse("http://a.example/news/x").unwrap());
            assert_eq!(rule.decide(&candidate, &RuleContext::new(&candidate)).is_some(), expected);
        };
        check(&["news"], false, false, false, true);
        check(&["news"], true, false, false, false);
        check(&[".*news.*"], true, false, false, true);
        check(&["a|http://a.example/news/x"], true, false, false, true);
        check(&["news", "old"], false, false, false, true);
        check(&["news", "old"], false, true, false, false);
        check(&["old"], false, false, true, true);
        check(&[], true, false, false, false);
        check(&[], true, false, true, true);
        check(&[], true, true, true, true);
        assert!(
            MatchesRegex::new(MatchesRegexOptions { regexes: vec!["(".into()], ..Default::default() })
                .is_err()
        );
    }
}
