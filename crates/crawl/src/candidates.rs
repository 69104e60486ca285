//! Links that were found → candidates that scope accepts, ready to be admitted.
//!
//! Follows Heritrix's CandidatesProcessor, CandidateScoper and FrontierPreparer.

use std::sync::Arc;

use model::entry::{Admit, Entry};
use model::{Candidate, Directive, Exchange, Extraction, FetchItem, Hop, Outlink, Verdict, Via};
use surt::CanonicalUrl;

use crate::steps::Steps;

/// Embeds up to that many hops from a page go before links (Heritrix `preferenceEmbedHops`).
const PREFERENCE_EMBED_HOPS: u32 = 1;

/// What scope made of the links of a page.
#[derive(Debug, Default)]
pub struct Found {
    /// Accepted.
    pub admits: Vec<Admit>,
    /// Scope grows by these: a redirect of a seed became a seed.
    pub scope_changes: Vec<Entry>,
    /// Where a redirect led.
    pub redirect_to: Option<CanonicalUrl>,
}

/// Asks scope about every link of an exchange.
pub fn judge(steps: &Steps, item: &FetchItem, exchange: &Exchange, extraction: &Extraction) -> Found {
    let mut found = Found::default();
    let status = exchange.status;
    found.redirect_to =
        extraction.outlinks.iter().find(|link| link.hop == Hop::Redirect).map(|link| link.url.clone());
    let is_error = status.0 < 200 || status.0 >= 400;
    if is_error && !steps.options.follow_links_of_errors {
        return found;
    }
    for outlink in &extraction.outlinks {
        judge_link(steps, item, exchange, outlink, &mut found);
    }
    found
}

fn judge_link(steps: &Steps, item: &FetchItem, exchange: &Exchange, outlink: &Outlink, found: &mut Found) {
    let is_prerequisite = item.candidate.last_hop() == Some(Hop::Prerequisite);
    if is_prerequisite && outlink.hop == Hop::Redirect {
        // The page that waits asks for the target itself, so that its rules count (RFC 9309, 2.3.1.2).
        return;
    }
    let mut candidate = candidate(&item.candidate, outlink);
    let becomes_seed = becomes_seed(steps, &item.candidate, outlink, exchange);
    if becomes_seed {
        candidate.is_seed = true;
        candidate.directive = Directive::Medium;
        let change = steps.scope().seed_change(&candidate.url);
        let seed = candidate.url.clone();
        found.scope_changes.extend(change.map(|surt_prefix| Entry::ScopeChange { surt_prefix, seed }));
    }
    if outlink.hop == Hop::Redirect {
        candidate.force_fetch |= must_follow(steps, item, exchange, outlink);
    }
    let rule = if becomes_seed {
        steps.seed_redirect_rule.clone()
    } else {
        let decision = steps.scope().decide(&candidate);
        if decision.verdict == Verdict::Reject {
            return;
        }
        decision.rule
    };
    found.admits.push(admit(steps, candidate, rule, &item.queue_key));
}

/// The candidate of a link on a page.
fn candidate(page: &Candidate, outlink: &Outlink) -> Candidate {
    let hop_path = page.hop_path.then(outlink.hop);
    let trans_hops = hop_path.trans_hops();
    let is_near_embed = (1..=PREFERENCE_EMBED_HOPS).contains(&trans_hops);
    let directive = match outlink.hop {
        Hop::Redirect => Directive::Medium,
        _ if is_near_embed => Directive::Medium,
        _ => Directive::Normal,
    };
    Candidate {
        url: outlink.url.clone(),
        via: Some(Via { url: page.url.clone(), context: outlink.context.to_string() }),
        hop_path,
        directive,
        is_seed: false,
        force_fetch: false,
        is_sitemap: outlink.is_sitemap,
        source_tag: page.source_tag.clone(),
    }
}

/// A redirect from a seed with few hops makes its target a seed (Heritrix `seedsRedirectNewSeeds`).
fn becomes_seed(steps: &Steps, page: &Candidate, outlink: &Outlink, exchange: &Exchange) -> bool {
    outlink.hop == Hop::Redirect
        && page.is_seed
        && exchange.url.is_http()
        && page.hop_path.hop_count() < steps.options.seed_redirect_hops_max
        && outlink.url != page.url
        && outlink.url.is_http()
}

/// Redirects that the seen test would lose: to another spelling of the same key (Heritrix FrontierPreparer), and to the
/// very same URL with a cookie set meanwhile (heritrix3 drops these, so that the page is never fetched); once.
fn must_follow(steps: &Steps, item: &FetchItem, exchange: &Exchange, outlink: &Outlink) -> bool {
    let (from, to) = (&item.candidate.url, &outlink.url);
    if from == to {
        let came_from_itself = item.candidate.via.as_ref().is_some_and(|via| via.url == *from);
        let sets_cookie =
            exchange.head.as_ref().is_some_and(|head| head.headers_named("set-cookie").next().is_some());
        return sets_cookie && !came_from_itself;
    }
    steps.canonicalization.canonical_text(from) == steps.canonicalization.canonical_text(to)
}

/// The candidate with all that its queue and the seen test need. `queue_of_via` is the queue of the page it was found on:
/// prerequisites go into the queue that waits for them.
pub fn admit(steps: &Steps, candidate: Candidate, rule: Arc<str>, queue_of_via: &str) -> Admit {
    let fingerprint =
        steps.fingerprint_key.fingerprint(&steps.canonicalization.canonical_text(&candidate.url));
    let is_prerequisite = candidate.last_hop() == Some(Hop::Prerequisite);
    let queue_key =
        if is_prerequisite { queue_of_via.to_owned() } else { surt::queue_authority(&candidate.url) };
    let bypass = candidate.is_seed || candidate.force_fetch || is_prerequisite;
    // Cost and precedence of Heritrix's defaults: UnitCostAssignmentPolicy, CostUriPrecedencePolicy.
    Admit { candidate, fingerprint, queue_key, precedence: 1, cost: 1, rule, bypass }
}

/// The candidate of something that must be fetched before `item`.
pub fn prerequisite(item: &FetchItem, url: CanonicalUrl) -> Candidate {
    Candidate {
        url,
        via: Some(Via { url: item.candidate.url.clone(), context: "=PREREQ_MISC".to_owned() }),
        hop_path: item.candidate.hop_path.then(Hop::Prerequisite),
        // Heritrix takes one step before the item's own. But of several items that wait for it only the first one's is
        // queued, and it must come before them all.
        directive: Directive::Highest,
        is_seed: false,
        force_fetch: true,
        is_sitemap: false,
        source_tag: item.candidate.source_tag.clone(),
    }
}
