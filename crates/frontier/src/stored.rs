//! A candidate as bytes: how sieve and queues hold it. Texts only; it is parsed again when its turn comes.

use model::entry::Admit;
use model::{Candidate, HopPath, Via};
use surt::CanonicalUrl;

use crate::order::OrderKey;
use crate::wire::{Put, Take};

const SEED: u8 = 1;
const FORCE: u8 = 2;
const SITEMAP: u8 = 4;
const VIA: u8 = 8;
const TAG: u8 = 16;

/// Appends what a queue must keep of an admit besides its order key. `rule` is the number of its rule.
pub(crate) fn put(admit: &Admit, rule: u32, into: &mut Vec<u8>) {
    let candidate = &admit.candidate;
    let mut flags = 0;
    flags |= if candidate.is_seed { SEED } else { 0 };
    flags |= if candidate.force_fetch { FORCE } else { 0 };
    flags |= if candidate.is_sitemap { SITEMAP } else { 0 };
    flags |= if candidate.via.is_some() { VIA } else { 0 };
    flags |= if candidate.source_tag.is_some() { TAG } else { 0 };
    into.push(flags);
    into.push(admit.cost);
    into.put_u64(u64::from(rule));
    into.put_str(candidate.url.as_str());
    into.put_u64(u64::from(candidate.hop_path.hop_count()) - candidate.hop_path.letters().len() as u64);
    into.put_str(candidate.hop_path.letters());
    if let Some(via) = &candidate.via {
        into.put_str(via.url.as_str());
        into.put_str(&via.context);
    }
    if let Some(tag) = &candidate.source_tag {
        into.put_str(tag);
    }
}

/// What [`put`] wrote.
pub(crate) struct Stored {
    pub(crate) candidate: Candidate,
    pub(crate) cost: u8,
    pub(crate) rule: u32,
}

/// Reads what [`put`] wrote; `None` if it cannot be that.
pub(crate) fn take(bytes: &[u8], key: OrderKey) -> Option<Stored> {
    take_with_via(bytes, key, &mut None)
}

/// As [`take`], for many in a row: links of one page share their via, which need not be parsed each time.
pub(crate) fn take_with_via(
    bytes: &[u8],
    key: OrderKey,
    last_via: &mut Option<CanonicalUrl>,
) -> Option<Stored> {
    let mut take = Take(bytes);
    let flags = take.u8()?;
    let cost = take.u8()?;
    let rule = take.u32()?;
    let url = CanonicalUrl::parse(take.str()?).ok()?;
    let overflow = take.u32()?;
    let letters = take.str()?;
    let hop_path = match overflow {
        0 => HopPath::parse(letters)?,
        _ => HopPath::parse(&format!("{overflow}+{letters}"))?,
    };
    let via = match flags & VIA {
        0 => None,
        _ => Some(take_via(&mut take, last_via)?),
    };
    let source_tag = if flags & TAG == 0 { None } else { Some(take.str()?.to_owned()) };
    let candidate = Candidate {
        url,
        via,
        hop_path,
        directive: key.directive(),
        is_seed: flags & SEED != 0,
        force_fetch: flags & FORCE != 0,
        is_sitemap: flags & SITEMAP != 0,
        source_tag,
    };
    take.0.is_empty().then_some(Stored { candidate, cost, rule })
}

fn take_via(take: &mut Take, last_via: &mut Option<CanonicalUrl>) -> Option<Via> {
    let (text, context) = (take.str()?, take.str()?.to_owned());
    let url = match last_via {
        Some(url) if url.as_str() == text => url.clone(),
        _ => CanonicalUrl::parse(text).ok()?,
    };
    *last_via = Some(url.clone());
    Some(Via { url, context })
}
