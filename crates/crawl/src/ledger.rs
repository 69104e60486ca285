//! The ledger: journal, WARC files and what is derived from them, in the hands of one owner.
//!
//! Takes groups of outcomes and makes them durable by the protocol of DURABILITY.md, part 2. The order of its deeds
//! stands in `way::commit`; here is how each is done.

use std::sync::Arc;

use anyhow::Context;
use archive::WarcWriter;
use crawldb::{CrawlDb, Digests};
use model::entry::{Admit, Done, Entry};
use model::planted::{Bug, is_planted};
use model::world::World;
use model::{CaptureKind, Ordinal};
use store::Journal;

use crate::handled::Outcome;
use crate::logs::Logs;
use crate::steps::Steps;

/// Outcomes that become durable together.
#[derive(Default)]
pub struct Group {
    /// Of items.
    pub outcomes: Vec<Outcome>,
    /// Entries that stem from no item: launches, seeds, actions.
    pub others: Vec<Entry>,
    /// The sieve is flushed at the end of the frame.
    pub flush: bool,
}

impl Group {
    /// True if there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty() && self.others.is_empty() && !self.flush
    }
}

/// What became durable.
#[derive(Debug)]
pub struct Committed {
    /// Sequence number of the first entry.
    pub first_sequence: u64,
    /// All entries of the frame.
    pub entries: Vec<Entry>,
}

/// Journal, WARC files and what is derived from them.
pub struct Ledger {
    /// The truth about decisions.
    pub journal: Journal,
    /// The truth about bytes.
    pub warcs: WarcWriter,
    /// First captures by payload digest.
    pub digests: Digests,
    /// What is known of every URL.
    pub crawldb: CrawlDb,
    /// crawl.log, CDXJ and the logs of errors.
    pub logs: Logs,
    /// The steps share recent digests.
    pub steps: Steps,
    /// Clock.
    pub world: World,
    /// Text for nonfatal-errors.log that waits for its commit.
    nonfatal: Vec<String>,
    /// Only for [`Bug::PrefixRuleDropped`].
    held: Vec<Entry>,
}

impl Ledger {
    /// Puts the parts together.
    pub fn new(
        journal: Journal,
        warcs: WarcWriter,
        digests: Digests,
        crawldb: CrawlDb,
        logs: Logs,
        steps: Steps,
    ) -> Ledger {
        let world = steps.world.clone();
        Ledger {
            journal,
            warcs,
            digests,
            crawldb,
            logs,
            steps,
            world,
            nonfatal: Vec::new(),
            held: Vec::new(),
        }
    }

    /// Writes the records of an item, as a revisit if its payload was captured before, and completes its `Done`.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn write_records(
        &mut self,
        mut done: Done,
        prepared: Option<archive::Prepared>,
    ) -> anyhow::Result<Done> {
        done.log.logged_at = self.world.clock.wall();
        let Some(mut prepared) = prepared else { return Ok(done) };
        if prepared.may_be_revisit()
            && let Some(earlier) = self.digests.get(&prepared.payload_digest())?
        {
            prepared = prepared.into_revisit(&earlier);
        }
        let as_earlier = (prepared.kind() == CaptureKind::Response && prepared.may_be_revisit())
            .then(|| (prepared.payload_digest(), prepared.as_earlier()));
        let appended = self.warcs.append(prepared).context("write WARC records")?;
        if appended.capture.kind == CaptureKind::Revisit {
            // Heritrix puts it before the number of attempts.
            let at = done.log.annotations.len() - usize::from(done.attempt > 1);
            done.log.annotations.insert(at, "duplicate:digest".to_owned());
        }
        if let Some((digest, earlier)) = as_earlier {
            self.steps.digests.remember(digest, earlier.clone());
            self.digests.insert(&digest, &earlier)?;
        }
        done.capture = Some(appended.capture);
        done.warcinfo = appended.warcinfo;
        Ok(done)
    }

    /// Makes all records written so far durable.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync_records(&mut self) -> anyhow::Result<()> {
        self.warcs.sync_touched().context("make WARC records durable")
    }

    /// Appends one frame, with a `Flush` at its end if wanted, and makes it durable: the commit point.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn write_frame(&mut self, entries: &mut Vec<Entry>, flush: bool) -> anyhow::Result<u64> {
        let first_sequence = self.journal.next_sequence();
        if is_planted(Bug::PrefixRuleDropped) {
            self.hold_back(entries, flush);
        }
        if flush {
            let through = Ordinal(first_sequence + entries.len() as u64);
            entries.push(Entry::Flush { through });
        }
        if is_planted(Bug::AppliedBeforeSync) {
            self.journal.sync()?;
        }
        let written = self.journal.append(entries).context("write the journal")?;
        assert_eq!(written, first_sequence, "the journal is this ledger's alone");
        if !is_planted(Bug::AppliedBeforeSync) {
            self.journal.sync().context("make the journal durable")?;
        }
        self.warcs.committed().context("close a WARC file")?;
        Ok(first_sequence)
    }

    /// Commits the first `Done` a frame later than it should be, though its records lie before those of others.
    fn hold_back(&mut self, entries: &mut Vec<Entry>, flush: bool) {
        let is_done = |entry: &Entry| matches!(entry, Entry::Done(_));
        let ready = std::mem::take(&mut self.held);
        let mut places = (0..entries.len()).filter(|at| is_done(&entries[*at]));
        if let (false, Some(first), Some(second)) = (flush, places.next(), places.next()) {
            self.held = entries.drain(first..second).collect();
        }
        entries.extend(ready);
    }

    /// Writes what follows from committed entries: crawl.log, CDXJ, crawl db.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn derive(&mut self, first_sequence: u64, entries: &[Entry]) -> anyhow::Result<()> {
        for (index, entry) in entries.iter().enumerate() {
            if let Entry::Done(done) = entry {
                self.crawldb.apply_done(first_sequence + index as u64, done)?;
                self.logs.done(done)?;
            }
        }
        for text in std::mem::take(&mut self.nonfatal) {
            self.logs.nonfatal(&text)?;
        }
        self.logs.flush()
    }

    /// Remembers text for nonfatal-errors.log until its frame is committed.
    pub fn note_nonfatal(&mut self, text: Option<String>) {
        self.nonfatal.extend(text);
    }

    /// Rows of URLs that entered a queue.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn derive_novel(&mut self, novel: Vec<(Ordinal, Arc<Admit>)>) -> anyhow::Result<()> {
        for (ordinal, admit) in novel {
            self.crawldb.apply_admit(ordinal, &admit)?;
        }
        Ok(())
    }
}
