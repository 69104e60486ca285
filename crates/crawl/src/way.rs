//! The way of a URL: every step in order, on one page.
//!
//! A worker walks the first half with one item and changes nothing but the network's state; the ledger walks the second
//! half with a whole group of items. What lies between a step's result and the next step's argument stands in
//! `candidates.rs` and `handled.rs`.

use model::entry::Entry;
use model::world::{BoxFuture, run};
use model::{Exchange, FetchItem, Fetched, HostFacts};

use crate::handled::{Handled, HandledParts};
use crate::ledger::{Committed, Group, Ledger};
use crate::stages::Stage;
use crate::steps::Steps;
use crate::{candidates, handled};

/// Payloads from that size on are worked on by a thread of their own, so that the network does not wait.
const LARGE_PAYLOAD_BYTES: u64 = 512 << 10;

/// First half, run by many workers at once: an item that the frontier gave → what became of it.
pub async fn walk(steps: Steps, item: FetchItem, host: HostFacts, worker: u16) -> Handled {
    let slot = handled::Slot { item, worker };

    // fetch: the exchange, or the reason why there is none.
    match fetch(&steps, &slot.item, &host).await {
        Fetched::Exchange { exchange, host_changes, cookie_changes } => {
            let changes = handled::Changes { host_changes, cookie_changes };
            if exchange.payload.len() < LARGE_PAYLOAD_BYTES {
                return read(&steps, slot, *exchange, changes);
            }
            let work = steps.world.work.clone();
            run(&work, move || read(&steps, slot, *exchange, changes)).await
        }
        without_exchange => handled::without_exchange(&steps, slot, without_exchange),
    }
}

/// Boxed, so that the way's future stays small while it waits for its worker.
fn fetch<'a>(steps: &'a Steps, item: &'a FetchItem, host: &'a HostFacts) -> BoxFuture<'a, Fetched> {
    Box::pin(steps.stages.time_future(Stage::Fetch, steps.fetcher.fetch(item, host)))
}

/// The part of the first half that only computes.
fn read(steps: &Steps, slot: handled::Slot, exchange: Exchange, changes: handled::Changes) -> Handled {
    // extract: links, and what the page asks of robots.
    let context = handled::extract_context(&slot.item);
    let extraction = steps.stages.time(Stage::Extract, || steps.extractors.extract(&exchange, context));

    // scope: which links belong to the crawl. What scope accepts becomes an `Admit`.
    let judge = || candidates::judge(steps, &slot.item, &exchange, &extraction);
    let found = steps.stages.time(Stage::Scope, judge);

    // archive: records made, compressed and digested. Their place in a file is open.
    let prepare = || handled::prepare_records(steps, &slot.item, &exchange, &extraction);
    let prepared = steps.stages.time(Stage::Archive, prepare);

    handled::with_exchange(steps, slot, HandledParts { exchange, extraction, found, prepared, changes })
}

/// Second half, run by the ledger for one group at a time: after it nothing of the group can be lost.
///
/// # Errors
/// When the disk fails or is full. What is durable is then unknown and the ledger is dead; going on is a resume.
pub fn commit(ledger: &mut Ledger, group: Group) -> anyhow::Result<Committed> {
    let mut entries: Vec<Entry> = Vec::new();
    for outcome in group.outcomes {
        // archive: a new capture or a revisit of an earlier one, written to the WARC file.
        let done = ledger.write_records(outcome.done, outcome.prepared)?;

        // journal: the `Done` stands in one frame with everything that it caused.
        ledger.note_nonfatal(outcome.nonfatal);
        entries.extend(outcome.scope_changes);
        entries.push(Entry::Done(Box::new(done)));
        entries.extend(outcome.admits.into_iter().map(|admit| Entry::Admit(Box::new(admit))));
    }
    entries.extend(group.others);

    // The commit point: bytes first, then the decision.
    ledger.sync_records()?;
    let first_sequence = ledger.write_frame(&mut entries, group.flush)?;

    // crawl.log, index, crawldb: derived, never synced in a URL's way.
    ledger.derive(first_sequence, &entries)?;

    // frontier: the engine applies the entries; new URLs come out of the sieve at its next flush.
    Ok(Committed { first_sequence, entries })
}
