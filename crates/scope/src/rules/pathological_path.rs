//! `pathological-path`: paths that repeat themselves (`/a/a/a/…`), as broken relative links make them. Heritrix
//! `PathologicalPathDecideRule`.

use model::{Candidate, Verdict};
use serde::{Deserialize, Serialize};

use crate::{ConfiguredRule, DecideRule, RuleContext};

/// Options of [`PathologicalPath`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PathologicalPathOptions {
    /// Copies of a segment right after itself from which on a path is refused; 0 refuses none.
    pub repetitions_max: u32,
}

impl Default for PathologicalPathOptions {
    fn default() -> Self {
        PathologicalPathOptions { repetitions_max: 2 }
    }
}

/// See the module.
pub struct PathologicalPath {
    repetitions_max: u32,
}

impl DecideRule for PathologicalPath {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        if self.repetitions_max == 0 {
            return None;
        }
        // Segments of the whole URL, as in Heritrix, whose expression looks at all of it; each with its slash.
        let mut last = "";
        let mut repetitions = 0;
        let text = candidate.url.as_str();
        for segment in text.split_inclusive('/') {
            let is_copy = segment == last && segment.len() > 1 && segment.ends_with('/');
            repetitions = if is_copy { repetitions + 1 } else { 0 };
            if repetitions >= self.repetitions_max {
                return Some(Verdict::Reject);
            }
            last = segment;
        }
        None
    }

    fn only_verdict(&self) -> Option<Verdict> {
        Some(Verdict::Reject)
    }
}

impl ConfiguredRule for PathologicalPath {
    const NAME: &'static str = "pathological-path";
    const DOCS: &'static str = "Rejects URLs in which a path segment is followed by that many copies of itself or more (Heritrix \
                                PathologicalPathDecideRule).";
    const EXAMPLE: &'static str = "repetitions-max = 2";
    type Options = PathologicalPathOptions;

    fn new(options: PathologicalPathOptions) -> Result<Self, String> {
        Ok(PathologicalPath { repetitions_max: options.repetitions_max })
    }
}

#[cfg(test)]
mod tests {
    use surt::CanonicalUrl;

    use super::*;

    #[test]
    fn repetitions() {
        let check = |path: &str, repetitions_max, expected: bool| {
            let rule = PathologicalPath::new(PathologicalPathOptions { repetitions_max }).unwrap();
            let candidate =
                Candidate::seed(CanonicalUrl::parse(&format!("http://a.example/{path}")).unwrap());
            assert_eq!(rule.decide(&candidate, &RuleContext::new(&candidate)).is_some(), expected, "{path}");
        };
        check("img/img/x", 2, false);
        check("img/img/img/x", 2, true);
        check("img/img/img", 2, false);
        check("a/b/a/b/a/b/", 2, false);
        check("img/img/img/img/x", 3, true);
        check("img/img/img/x", 0, false);
        check("x///y", 1, false);
    }
}
