//! What holds for every rule, and the decisions of the default sequence.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use bequest_scope::{
    ConfiguredRule, DecideRule, Embeds, Registry, RuleContext, RuleEntry, RuleSpec, Scope, ScopeKind,
    ScopeOptions, rules, seeds,
};
use model::{Candidate, Hop, HopPath, Verdict, Via};
use surt::CanonicalUrl;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn candidate(text: &str, hops: &str) -> Candidate {
    let mut candidate = Candidate::seed(url(text));
    candidate.is_seed = hops.is_empty();
    candidate.hop_path = HopPath::parse(hops).unwrap();
    candidate.via =
        (!hops.is_empty()).then(|| Via { url: url("http://via.example/"), context: String::new() });
    candidate
}

/// A scope of `http://www.example.org/docs/start` and what a change of the defaults makes of candidates.
fn check(change: impl FnOnce(&mut ScopeOptions), cases: &[(&str, &str, bool, &str)]) {
    let mut options = ScopeOptions::default();
    change(&mut options);
    let list =
        seeds::parse("http://www.example.org/docs/start\n-http://www.example.org/docs/old/\n+more.example\n");
    let scope = Scope::new(&options, &list).unwrap();
    for (text, hops, accepted, rule) in cases {
        let decision = scope.decide(&candidate(text, hops));
        let found = (decision.verdict == Verdict::Accept, &*decision.rule);
        assert_eq!(found, (*accepted, *rule), "{text} {hops}");
    }
}

#[test]
fn prefix_is_the_default() {
    let covered = "surt-prefixed +http://(org,example,www,)/docs/";
    check(
        |_| {},
        &[
            ("http://www.example.org/docs/start", "", true, covered),
            ("https://www.example.org/docs/x", "L", true, covered),
            ("http://www.example.org/", "L", false, "reject"),
            ("http://www.example.org/docsx", "L", false, "reject"),
            ("http://sub.more.example/", "L", true, "surt-prefixed +http://(example,more,"),
            (
                "http://www.example.org/docs/old/x",
                "L",
                false,
                "surt-prefixed -http://(org,example,www,)/docs/old/",
            ),
            ("http://cdn.example/x.css", "LE", true, "transclusion"),
            ("http://cdn.example/x", "LEEE", false, "reject"),
            ("http://else.example/", "LR", true, "transclusion"),
            ("dns:cdn.example", "LEP", true, "prerequisite-accept"),
            ("http://cdn.example/robots.txt", "LEEEP", true, "prerequisite-accept"),
            ("http://www.example.org/docs/a/a/a/", "L", false, "pathological-path"),
            ("http://www.example.org/docs/x", &"L".repeat(20), true, covered),
            ("http://www.example.org/docs/x", &"L".repeat(21), false, "too-many-hops"),
            (
                &format!("http://www.example.org/docs{}", "/x/y".repeat(10)),
                "L",
                false,
                "too-many-path-segments",
            ),
            ("mailto:a@example.org", "L", false, "reject"),
            ("gopher://www.example.org/docs/", "LE", false, "scheme-not-in-set"),
        ],
    );
}

#[test]
fn kinds() {
    check(
        |options| options.scope = ScopeKind::Page,
        &[
            (
                "https://www.example.org/docs/start",
                "L",
                true,
                "surt-prefixed +http://(org,example,www,)/docs/start",
            ),
            ("http://www.example.org/docs/start/x", "L", false, "reject"),
            ("http://www.example.org/x.css", "E", true, "transclusion"),
            ("http://www.example.org/x.css", "LE", true, "transclusion"),
        ],
    );
    check(
        |options| options.scope = ScopeKind::Host,
        &[
            ("http://www.example.org/", "L", true, "surt-prefixed +http://(org,example,www,)"),
            ("http://www.example.org:81/", "L", false, "reject"),
            ("http://example.org/", "L", false, "reject"),
        ],
    );
    check(
        |options| options.scope = ScopeKind::Domain,
        &[
            ("http://a.b.example.org:81/", "L", true, "surt-prefixed +http://(org,example,"),
            ("http://example.com/", "L", false, "reject"),
        ],
    );
    check(
        |options| options.scope = ScopeKind::Any,
        &[
            ("http://anything.example/", "L", true, "accept"),
            (
                "http://www.example.org/docs/old/",
                "L",
                false,
                "surt-prefixed -http://(org,example,www,)/docs/old/",
            ),
            ("javascript:x", "L", false, "scheme-not-in-set"),
        ],
    );
}

#[test]
fn choices() {
    check(
        |options| options.embeds = Embeds::Scope,
        &[
            ("http://cdn.example/x.css", "LE", false, "reject"),
            ("http://else.example/", "LR", false, "reject"),
            ("http://else.example/", "R", false, "reject"),
            (
                "http://www.example.org/docs/x.css",
                "LE",
                true,
                "surt-prefixed +http://(org,example,www,)/docs/",
            ),
            ("dns:www.example.org", "LP", true, "prerequisite-accept"),
        ],
    );
    check(
        |options| options.link_hops_max = Some(1),
        &[
            ("http://www.example.org/docs/x", "LRE", true, "surt-prefixed +http://(org,example,www,)/docs/"),
            ("http://www.example.org/docs/x", "LL", false, "too-many-link-hops"),
            ("http://cdn.example/x", "LE", true, "transclusion"),
        ],
    );
    check(
        |options| options.include = vec!["^http://wanted\\.".into()],
        &[
            ("http://wanted.example/", "L", true, "matches-regex ^http://wanted\\."),
            ("http://else.example/?http://wanted.", "L", false, "reject"),
        ],
    );
    check(
        |options| options.exclude = vec!["calendar".into(), "start$".into()],
        &[
            ("http://www.example.org/docs/calendar/1", "L", false, "matches-regex calendar"),
            // What the user names is fetched; what a redirect leads to is not (faults.md F125, F126).
            ("http://www.example.org/docs/start", "", true, "seed-accept"),
            ("http://www.example.org/docs/start", "R", false, "matches-regex start$"),
            ("http://else.example/start", "LE", false, "matches-regex start$"),
        ],
    );
}

/// faults.md F126.
#[test]
fn every_seed_is_in_scope() {
    let text = "http://example.org/z?q=a%2Fb&back=c%252Fd\nhttp://example.org/p#frag\nexample.com\n127.0.0.1:81/a/a/a/a/\n";
    let list = seeds::parse(text);
    assert_eq!(list.seeds.len(), 4);
    for kind in [ScopeKind::Page, ScopeKind::Prefix, ScopeKind::Host, ScopeKind::Domain, ScopeKind::Any] {
        let scope = Scope::new(&ScopeOptions { scope: kind, ..Default::default() }, &list).unwrap();
        for seed in &list.seeds {
            assert_eq!(
                scope.decide(&Candidate::seed(seed.url.clone())).verdict,
                Verdict::Accept,
                "{kind:?} {seed:?}"
            );
        }
    }
}

/// faults.md F125: a redirect of a seed adds to the scope and replaces nothing; clones see it.
#[test]
fn redirected_seeds_widen_the_scope() {
    let scope = Scope::new(&ScopeOptions::default(), &seeds::parse("http://example.org/wanted")).unwrap();
    let worker = scope.clone();
    let target = url("https://www.example.org/wanted/");
    let page = candidate("https://www.example.org/wanted/page", "RL");
    assert_eq!(worker.decide(&page).verdict, Verdict::Reject);
    let prefix = scope.seed_change(&target).unwrap();
    assert_eq!(prefix, "http://(org,example,www,)/wanted/");
    scope.apply_change(&prefix);
    assert_eq!(worker.decide(&page).verdict, Verdict::Accept);
    assert_eq!(worker.decide(&candidate("http://example.org/x", "L")).verdict, Verdict::Accept);
    assert_eq!(scope.seed_change(&target), None);
    let any = ScopeOptions { scope: ScopeKind::Any, ..ScopeOptions::default() };
    assert_eq!(Scope::new(&any, &seeds::parse("")).unwrap().seed_change(&target), None);
}

#[test]
fn errors_name_their_place() {
    let error = |options: &ScopeOptions, list: &str| {
        Scope::new(options, &seeds::parse(list)).unwrap_err().to_string()
    };
    let exclude = ScopeOptions { exclude: vec!["(".into()], ..ScopeOptions::default() };
    assert!(error(&exclude, "").starts_with("regular expression `(`: "));
    assert_eq!(
        error(&ScopeOptions::default(), "\n+http://\n"),
        "line 2 of the seeds: `http://` is no SURT prefix, URL or host name"
    );
    let registry = Registry::builtin();
    let build =
        |text: &str| registry.build(&toml::from_str::<RuleSpec>(text).unwrap()).err().unwrap_or_default();
    assert!(build("rule = 'no-such'").starts_with("no decide rule is called `no-such`; there are accept, "));
    assert!(build("rule = 'too-many-hops'\nhops-maxx = 3").contains("unknown field `hops-maxx`"));
}

#[test]
fn every_rule_is_documented_reads_its_example_and_bears_anything() {
    let hostile = [
        "http://a.example/",
        "http://[::1]:81/%ff/%00?%",
        "http://a.example/?&&&===",
        "http://u:p@a.example/..;/..",
        "data:text/plain,x",
        "dns:",
        "javascript:alert('x')",
        "web+demo:/.//not-a-host/",
        "file:///",
    ];
    let mut names = std::collections::BTreeSet::new();
    for entry in rules::ALL {
        assert!(names.insert(entry.name), "{} twice", entry.name);
        assert!(entry.docs.ends_with('.') && entry.docs.len() > 20, "{}", entry.name);
        let example: toml::Table = entry.example.parse().unwrap();
        let full = (entry.round_trip)(example.clone()).unwrap();
        assert_eq!((entry.round_trip)(full.clone()).unwrap(), full, "{}", entry.name);
        for (key, value) in &example {
            assert_eq!(full.get(key), Some(value), "{} loses {key}", entry.name);
        }
        let mut unknown = example.clone();
        unknown.insert("no-such-key".into(), true.into());
        assert!((entry.build)(unknown).is_err(), "{} takes unknown keys", entry.name);
        let rule = (entry.build)(example).unwrap();
        assert_eq!(rule.name(), entry.name);
        let long = format!("http://a.example/{}", "a/".repeat(1000));
        for text in hostile.into_iter().chain([long.as_str()]) {
            for hops in ["", "L", "LEXRPIMS"] {
                let candidate = candidate(text, hops);
                let context = RuleContext::new(&candidate);
                if let Some(verdict) = rule.decide(&candidate, &context) {
                    assert!(rule.only_verdict().is_none_or(|only| only == verdict), "{}", entry.name);
                }
                rule.label(&candidate, &context);
            }
        }
    }
}

#[test]
fn options_round_trip_and_refuse_unknown_keys() {
    let options =
        ScopeOptions { scope: ScopeKind::Domain, link_hops_max: Some(3), ..ScopeOptions::default() };
    let text = toml::to_string(&options).unwrap();
    assert_eq!(toml::from_str::<ScopeOptions>(&text).unwrap(), options);
    assert_eq!(toml::from_str::<ScopeOptions>("").unwrap(), ScopeOptions::default());
    assert!(toml::from_str::<ScopeOptions>("hop-max = 3").is_err());
}

/// A rule of another crate: accepts what was submitted by a form.
struct Forms;

impl DecideRule for Forms {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decide(&self, candidate: &Candidate, _: &RuleContext<'_>) -> Option<Verdict> {
        (candidate.last_hop() == Some(Hop::Submit)).then_some(Verdict::Accept)
    }
}

impl ConfiguredRule for Forms {
    const NAME: &'static str = "forms";
    const DOCS: &'static str = "Accepts what a form led to.";
    const EXAMPLE: &'static str = "";
    type Options = toml::Table;

    fn new(_: toml::Table) -> Result<Self, String> {
        Ok(Forms)
    }
}

#[test]
fn rules_from_outside() {
    let registry = Registry::builtin().with(RuleEntry::of::<Forms>());
    let specs = ["rule = 'reject'", "rule = 'forms'"].map(|text| toml::from_str(text).unwrap());
    let scope = Scope::of_specs(&specs, &registry, &seeds::parse("")).unwrap();
    let decision = scope.decide(&candidate("http://a.example/", "LS"));
    assert_eq!((decision.verdict, decision.rule_index, &*decision.rule), (Verdict::Accept, 1, "forms"));
    let verdicts = scope.verdicts(&candidate("http://a.example/", "L"));
    assert_eq!(verdicts[1], ("forms".into(), None));
}

#[test]
fn a_decision_is_cheap() {
    let mut list = String::new();
    (0..1000).for_each(|number| list.push_str(&format!("http://host{number}.example/a/\n")));
    let options = ScopeOptions { exclude: vec!["calendar/[0-9]+".into()], ..ScopeOptions::default() };
    let scope = Scope::new(&options, &seeds::parse(&list)).unwrap();
    let candidates: Vec<_> = (0..100)
        .map(|number| {
            candidate(&format!("http://host{number}.example/{}/page.html?x=1", ["a", "b"][number % 2]), "LL")
        })
        .collect();
    let start = std::time::Instant::now();
    let rounds = if cfg!(debug_assertions) { 10 } else { 10_000 };
    let mut accepted = 0;
    for _ in 0..rounds {
        accepted += candidates.iter().filter(|&one| scope.decide(one).verdict == Verdict::Accept).count();
    }
    eprintln!("one decision: {:?}", start.elapsed() / (rounds * 100));
    assert_eq!(accepted as u32, rounds * 50);
}

#[test]
fn rules_from_outside_stand_before_the_last_words() {
    let added: Vec<Box<dyn DecideRule>> = vec![Box::new(Forms)];
    let scope = Scope::with_rules(&ScopeOptions::default(), added, &seeds::parse("a.example")).unwrap();
    assert_eq!(&*scope.decide(&candidate("http://b.example/", "LS")).rule, "forms");
    assert_eq!(&*scope.decide(&candidate("gopher://b.example/", "LS")).rule, "scheme-not-in-set");
}
