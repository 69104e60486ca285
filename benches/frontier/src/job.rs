//! A crawl reduced to journal, frontier and manifest.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use frontier::{FetchEnd, Frontier, FrontierOptions, Next, Politeness};
use model::entry::{Done, Entry};
use model::world::{Disk, OsChance, StdDisk};
use model::{CrawlLogFields, FetchItem, FetchOutcome, FetchStatus, HopPath, MonoMs, Ordinal, WallMs};
use store::journal;
use store::{Journal, JournalOptions, Manifest, NamedFile};

use crate::Args;
use crate::meter::{Lap, Spent, bytes_below, memory_peak};
use crate::workload::{LINKS_PER_PAGE, Workload};

/// Pages of one frame.
const PAGES_PER_GROUP: u64 = 128;
/// A save comes each time that part of the offers is done: at full size about every 200 MiB of journal.
const SAVES: u64 = 100;

/// Everything of a running benchmark.
pub struct Job {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    workload: Workload,
    journal: Journal,
    frontier: Frontier,
    offers_all: u64,
    offers_done: u64,
    order: u64,
    novel: u64,
    skipped: u64,
    pages: u64,
    saves: u64,
    disk_peak: u64,
    generator: Spent,
    tenths: Vec<Tenth>,
    opened: Spent,
}

/// What a tenth of the offers took.
struct Tenth {
    spent: Spent,
    offers: u64,
    known: u64,
}

impl Job {
    /// Begins a job, or resumes what is in the folder.
    pub fn open(args: &Args) -> anyhow::Result<Job> {
        let lap = Lap::start();
        let disk: Arc<dyn Disk> = Arc::new(StdDisk);
        let dir = args.dir.clone();
        disk.create_dir_all(&dir)?;
        let manifest = Manifest::load(&*disk, &dir.join("manifest"))?;
        if let Some(manifest) = &manifest {
            manifest.delete_unnamed(&*disk, &dir, &[Path::new("queues")], &[])?;
        }
        let after = manifest.as_ref().map_or(0, |manifest| manifest.sequence);
        let section =
            manifest.as_ref().and_then(|manifest| manifest.sections.get("frontier")).map(Vec::as_slice);
        let options = options(args);
        let mut frontier = Frontier::open(options, disk.clone(), dir.join("queues"), section, MonoMs(0))?;
        let mut marker = manifest.as_ref().and_then(|manifest| {
            let numbers = manifest.sections.get("bench")?;
            Some((u64_at(numbers, 0), u64_at(numbers, 8)))
        });
        let (mut n_replayed, mut failure) = (0_u64, None);
        let journal_options = JournalOptions { keep: false, ..JournalOptions::default() };
        let each = &mut |sequence, entry: Entry| {
            if let Entry::Action { name, lines_done, .. } = &entry {
                marker = Some((*lines_done, u64::from_str_radix(name, 16).unwrap_or(0)));
            }
            n_replayed += 1;
            if let Err(error) = frontier.apply(sequence, entry, &mut |_, _| {}) {
                failure.get_or_insert(error);
            }
            Ok(())
        };
        let recovered = journal::recover(
            disk.clone(),
            Arc::new(OsChance),
            &dir.join("journal"),
            journal_options,
            after,
            each,
        )?;
        if let Some(failure) = failure {
            return Err(failure).context("failed to replay");
        }
        frontier.resumed(MonoMs(0));
        let (offers_done, order) = marker.unwrap_or((0, 0));
        let opened = lap.read();
        if n_replayed > 0 {
            let Spent { wall_s, cpu_s } = opened;
            println!(
                "resumed at offer {offers_done}: {n_replayed} entries replayed, {wall_s:.1} s, CPU {cpu_s:.1} s"
            );
        }
        Ok(Job {
            workload: Workload::new(args.offers, args.distinct, args.hosts),
            journal: recovered.journal,
            disk,
            dir,
            frontier,
            offers_all: args.offers,
            offers_done,
            order,
            novel: 0,
            skipped: 0,
            pages: 0,
            saves: 0,
            disk_peak: 0,
            generator: Spent::default(),
            tenths: Vec::new(),
            opened,
        })
    }

    /// Takes offers until that many are done.
    pub fn run(mut self, until: u64) -> anyhow::Result<Job> {
        let tenth = (self.offers_all / 10).max(1);
        let mut spent = Spent::default();
        let mut begun = self.offers_done;
        while self.offers_done < until {
            spent += self.group()?;
            let is_end = self.offers_done / tenth > begun / tenth || self.offers_done >= until;
            if is_end {
                let known = self.frontier.counts().discovered;
                self.tenths.push(Tenth { spent, offers: self.offers_done - begun, known });
                self.print_tenth();
                (spent, begun) = (Spent::default(), self.offers_done);
            }
        }
        Ok(self)
    }

    /// Some pages: their links and the ends of as many fetches, in one frame.
    fn group(&mut self) -> anyhow::Result<Spent> {
        let making = Lap::start();
        let group = self.offers_done / (PAGES_PER_GROUP * LINKS_PER_PAGE);
        let until = ((group + 1) * PAGES_PER_GROUP * LINKS_PER_PAGE).min(self.offers_all);
        let mut pages = Vec::new();
        let mut first = self.offers_done;
        while first < until {
            let end = (first + LINKS_PER_PAGE).min(until);
            pages.push(self.workload.links(first, end));
            first = end;
        }
        self.generator += making.read();

        let lap = Lap::start();
        let mut entries = Vec::new();
        for links in pages {
            if let Some(item) = self.fetch()? {
                entries.push(done(&item));
            }
            for admit in links {
                // An offer of the same page or frame is only known once its admit is applied.
                if self.frontier.recently_admitted(admit.fingerprint) {
                    self.skipped += 1;
                } else {
                    entries.push(Entry::Admit(Box::new(admit)));
                }
            }
        }
        self.offers_done = until;
        entries.push(self.marker());
        self.commit(entries)?;
        if self.frontier.flush_due(MonoMs(0), 0) {
            self.flush()?;
        }
        let save_every = (self.offers_all / SAVES).max(1);
        let begun = group * PAGES_PER_GROUP * LINKS_PER_PAGE;
        if self.offers_done / save_every > begun / save_every {
            self.save()?;
        }
        Ok(lap.read())
    }

    /// Takes a URL and ends its fetch at once.
    fn fetch(&mut self) -> anyhow::Result<Option<FetchItem>> {
        let Next::Item(item) = self.frontier.next(MonoMs(0))? else {
            return Ok(None);
        };
        for byte in item.candidate.url.as_str().bytes() {
            self.order = (self.order ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self.frontier.finished(item.ordinal, &FetchEnd::default(), MonoMs(0));
        self.pages += 1;
        Ok(Some(item))
    }

    fn marker(&self) -> Entry {
        Entry::Action { name: format!("{:016x}", self.order), lines_done: self.offers_done, end: false }
    }

    fn commit(&mut self, entries: Vec<Entry>) -> anyhow::Result<()> {
        let first = self.journal.append(&entries)?;
        self.journal.sync()?;
        let novel = &mut self.novel;
        for (sequence, entry) in (first..).zip(entries) {
            self.frontier.apply(sequence, entry, &mut |_, _| *novel += 1)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let through = Ordinal(self.journal.next_sequence());
        self.commit(vec![Entry::Flush { through }])
    }

    fn save(&mut self) -> anyhow::Result<()> {
        self.flush()?;
        let sequence = self.journal.next_sequence() - 1;
        let saved = self.frontier.save()?;
        self.disk_peak = self.disk_peak.max(bytes_below(&self.dir));
        let mut manifest = Manifest { sequence, ..Manifest::default() };
        manifest.sections.insert("frontier".to_owned(), saved.section);
        let numbers = [self.offers_done.to_le_bytes(), self.order.to_le_bytes()].concat();
        manifest.sections.insert("bench".to_owned(), numbers);
        for (path, len) in saved.files {
            let path = path.strip_prefix(&self.dir)?.to_owned();
            manifest.files.push(NamedFile { path, len });
        }
        manifest.write(&*self.disk, &self.dir, &self.dir.join("manifest"))?;
        manifest.delete_unnamed(&*self.disk, &self.dir, &[Path::new("queues")], &[])?;
        self.journal.manifest_written(sequence)?;
        self.saves += 1;
        Ok(())
    }

    /// Stops as `kill -9` would, between the commit of a frame and its being applied.
    pub fn kill(mut self) -> anyhow::Result<()> {
        let first = self.offers_done;
        let links = self.workload.links(first, first);
        self.journal.append(&[self.marker()])?;
        drop(links);
        Ok(())
    }

    fn print_tenth(&self) {
        let Some(tenth) = self.tenths.last() else { return };
        if self.tenths.len() == 1 {
            println!(
                "{:>12} {:>12} {:>10} {:>10} {:>9}",
                "offers", "queued ever", "offers/s", "µs CPU", "peak MiB"
            );
        }
        let Spent { wall_s, cpu_s } = tenth.spent;
        let offers = tenth.offers as f64;
        println!(
            "{:>12} {:>12} {:>10.0} {:>10.3} {:>9}",
            self.offers_done,
            tenth.known,
            offers / wall_s,
            cpu_s * 1e6 / offers,
            memory_peak() >> 20,
        );
    }

    /// Takes URLs from what is queued, prints the sums, and gives the hash over the order of URLs.
    pub fn report(mut self, drain: u64) -> anyhow::Result<u64> {
        self.flush()?;
        let counts = self.frontier.counts();
        self.disk_peak = self.disk_peak.max(bytes_below(&self.dir));
        let mut all = Spent::default();
        self.tenths.iter().for_each(|tenth| all += tenth.spent);
        let offers: u64 = self.tenths.iter().map(|tenth| tenth.offers).sum();
        println!("CPU an offer        {:.3} µs (limit 2)", all.cpu_s * 1e6 / offers as f64);
        println!("  making the offers {:.3} µs, not counted", self.generator.cpu_s * 1e6 / offers as f64);
        println!("  opening           {:.1} s", self.opened.cpu_s);
        println!("offers a second     {:.0}", offers as f64 / all.wall_s);
        if let [_, second, .., last] = &self.tenths[..] {
            let speed = |tenth: &Tenth| tenth.offers as f64 / tenth.spent.wall_s;
            let cpu = |tenth: &Tenth| tenth.spent.cpu_s / tenth.offers as f64;
            let (by_wall, by_cpu) = (speed(last) / speed(second), cpu(second) / cpu(last));
            println!("last / second tenth {by_wall:.2} by the wall, {by_cpu:.2} by CPU (limit 0.8)");
        }
        println!("memory, peak        {} MiB (limit 1024)", memory_peak() >> 20);
        println!("disk, peak          {} MiB", self.disk_peak >> 20);
        println!(
            "queued / ever       {} / {}, {} queues",
            counts.queued,
            counts.discovered,
            self.frontier.queues().count()
        );
        println!(
            "fetched             {}, skipped as admitted lately {}, saves {}",
            self.pages, self.skipped, self.saves
        );
        let lap = Lap::start();
        let mut drained = 0;
        while drained < drain {
            let Some(item) = self.fetch()? else { break };
            let sequence = self.journal.next_sequence() + drained;
            self.frontier.apply(sequence, done(&item), &mut |_, _| {})?;
            drained += 1;
        }
        if drained > 0 {
            println!(
                "taking a URL        {:.3} µs CPU ({drained} of them)",
                lap.read().cpu_s * 1e6 / drained as f64
            );
        }
        Ok(self.order)
    }
}

fn options(args: &Args) -> FrontierOptions {
    let mib = args.buffers << 20;
    FrontierOptions {
        sieve_buffer_entries: usize::MAX,
        sieve_buffer_bytes: mib / 8 * 5,
        sieve_wait_ms_max: u64::MAX,
        queue_memory_bytes: mib / 4,
        chunk_cache_bytes: mib / 16,
        recent_entries: (mib / 32 / 8 / 2).next_power_of_two(),
        politeness: Politeness { fixed_delay_ms: Some(0), ..Politeness::default() },
        ..FrontierOptions::default()
    }
}

fn done(item: &FetchItem) -> Entry {
    let log = CrawlLogFields {
        logged_at: WallMs(0),
        status: FetchStatus(200),
        size: Some(20_000),
        hop_path: HopPath::seed(),
        via: None,
        mime: "text/html".to_owned(),
        worker: 1,
        started: Some((WallMs(0), 100)),
        digest: None,
        source_tag: None,
        annotations: Vec::new(),
    };
    Entry::Done(Box::new(Done {
        ordinal: item.ordinal,
        url: item.candidate.url.clone(),
        queue_key: item.queue_key.clone(),
        attempt: item.attempt,
        outcome: FetchOutcome::Finished,
        log,
        capture: None,
        warcinfo: None,
        cost: 1,
        reason: None,
        rule: "surt-prefixed".into(),
        host_changes: Vec::new(),
        cookie_changes: Vec::new(),
        etag: None,
        last_modified: None,
        is_seed: false,
        redirect_to: None,
        outlinks: (62, 62),
    }))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
}
