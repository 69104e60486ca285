//! Round trips, every byte flipped, and every power cut of a short history.

use std::collections::BTreeMap;

use model::{Candidate, Fingerprint, Hop, HopPath, Ordinal, Via, WallMs};
use proptest::prelude::*;
use surt::CanonicalUrl;
use testweb::disk::{Fault, FaultPlan, SimDisk, Trigger};

use super::*;
use model::entry::Admit;

const FOLDER: &str = "/job/state/journal";

struct Counter(std::sync::atomic::AtomicU64);

impl Chance for Counter {
    fn bits(&self) -> u64 {
        self.0.fetch_add(0x9e37_79b9_7f4a_7c15, std::sync::atomic::Ordering::Relaxed)
    }
}

fn open(disk: &SimDisk, options: JournalOptions, after: u64, each: &mut EachEntry<'_>) -> Result<Recovered> {
    let chance = Arc::new(Counter(77.into()));
    recover(Arc::new(disk.clone()), chance, Path::new(FOLDER), options, after, each)
}

/// All entries from 1 on, and the journal, open again.
fn reopen(disk: &SimDisk) -> Result<(Vec<Entry>, Journal)> {
    let mut entries = Vec::new();
    let recovered = open(disk, JournalOptions::default(), 0, &mut |sequence, entry| {
        entries.push(entry);
        assert_eq!(sequence, entries.len() as u64);
        Ok(())
    })?;
    assert_eq!(recovered.next_sequence, entries.len() as u64 + 1);
    Ok((entries, recovered.journal))
}

fn admit(number: u64) -> Entry {
    let page = number / 5;
    let url = format!("http://www.example{}.org/path/page-{page}/link-{number}?x=1", page % 3);
    let via = Via {
        url: CanonicalUrl::parse(&format!("http://www.example.org/{page}")).unwrap(),
        context: if number.is_multiple_of(2) { "a/@href".to_owned() } else { "img/@src".to_owned() },
    };
    Entry::Admit(Box::new(Admit {
        candidate: Candidate {
            via: (!number.is_multiple_of(7)).then_some(via),
            hop_path: HopPath::seed().then(if number.is_multiple_of(3) { Hop::Embed } else { Hop::Navlink }),
            source_tag: number.is_multiple_of(4).then(|| format!("tag {}", number / 8)),
            is_sitemap: number.is_multiple_of(9),
            ..Candidate::seed(CanonicalUrl::parse(&url).unwrap())
        },
        fingerprint: Fingerprint(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        queue_key: format!("org,example{},www,", page % 3),
        precedence: (number % 3) as u8,
        cost: 1,
        rule: if number.is_multiple_of(11) { "seed".into() } else { "surt-prefixed".into() },
        bypass: number.is_multiple_of(6),
    }))
}

fn entry(number: u64) -> Entry {
    match number % 10 {
        0 => Entry::Launch { number: number as u32, folder: "20260101000000".to_owned(), at: WallMs(number) },
        1 => Entry::Flush { through: Ordinal(number) },
        2 => Entry::Lost { ordinal: Ordinal(number) },
        _ => admit(number),
    }
}

fn entries(range: std::ops::Range<u64>) -> Vec<Entry> {
    range.map(entry).collect()
}

/// Frames of 1, 2, 3, … entries.
fn write_frames(journal: &mut Journal, from: u64, frames: u64) -> Result<u64> {
    let mut next = from;
    for n in 1..=frames {
        assert_eq!(journal.append(&entries(next..next + n))?, next);
        journal.sync()?;
        next += n;
    }
    Ok(next)
}

#[test]
fn reads_back_over_many_files() {
    let disk = SimDisk::new(1);
    let options = JournalOptions { file_bytes_max: 600, keep: true };
    let mut journal = open(&disk, options, 0, &mut |_, _| unreachable!()).unwrap().journal;
    let next = write_frames(&mut journal, 1, 12).unwrap();
    assert!(file::list(&disk, Path::new(FOLDER)).unwrap().len() > 3);
    for after in [0, 1, 5, 30, next - 1] {
        let mut seen = BTreeMap::new();
        let last = read_frames(&disk, Path::new(FOLDER), after, &mut |sequence, entry| {
            seen.insert(sequence, entry);
            Ok(())
        });
        assert_eq!(last.unwrap(), next - 1);
        assert_eq!(seen, (after + 1..next).map(|sequence| (sequence, entry(sequence))).collect());
    }
    let (all, mut journal) = reopen(&disk).unwrap();
    assert_eq!(all, entries(1..next));
    write_frames(&mut journal, next, 2).unwrap();
    assert_eq!(reopen(&disk).unwrap().0, entries(1..next + 3));
}

#[test]
fn files_go_once_a_manifest_covers_them() {
    let disk = SimDisk::new(1);
    let options = JournalOptions { file_bytes_max: 600, keep: false };
    let mut journal = open(&disk, options, 0, &mut |_, _| unreachable!()).unwrap().journal;
    let next = write_frames(&mut journal, 1, 12).unwrap();
    journal.manifest_written(next - 1).unwrap();
    assert_eq!(file::list(&disk, Path::new(FOLDER)).unwrap().len(), 1);
    let recovered = open(&disk, options, next - 1, &mut |_, _| unreachable!()).unwrap();
    assert_eq!(recovered.next_sequence, next);
    assert!(
        matches!(open(&disk, options, 5, &mut |_, _| Ok(())), Err(Error::Corrupt { .. })),
        "entries 6 on are gone"
    );
}

#[test]
fn no_flipped_byte_gives_a_wrong_entry() {
    let disk = SimDisk::new(1);
    let mut journal = reopen(&disk).unwrap().1;
    let next = write_frames(&mut journal, 1, 4).unwrap();
    let path = file::list(&disk, Path::new(FOLDER)).unwrap()[0].path.clone();
    let whole = disk.read(&path).unwrap();
    let mut n_errors = 0;
    for (at, byte) in whole.iter().enumerate() {
        for flip in [0x01, 0x80, 0xff] {
            disk.corrupt(&path, at as u64, &[byte ^ flip]).unwrap();
            let mut seen = Vec::new();
            let result = read_frames(&disk, Path::new(FOLDER), 0, &mut |_, entry| {
                seen.push(entry);
                Ok(())
            });
            assert!(entries(1..next).starts_with(&seen), "byte {at}");
            assert!(seen.len() as u64 != next - 1, "byte {at} is not covered");
            n_errors += u32::from(result.is_err());
            disk.corrupt(&path, at as u64, &[*byte]).unwrap();
        }
    }
    // Only in the last frame it looks like an interrupted append.
    assert!(n_errors as usize > whole.len());
}

#[test]
fn cut_anywhere_it_is_a_prefix_of_frames() {
    let disk = SimDisk::new(1);
    let mut journal = reopen(&disk).unwrap().1;
    let next = write_frames(&mut journal, 1, 5).unwrap();
    let path = file::list(&disk, Path::new(FOLDER)).unwrap()[0].path.clone();
    for len in (0..disk.len_of(&path).unwrap().unwrap()).rev() {
        disk.truncate(&path, len).unwrap();
        let mut seen = Vec::new();
        read_frames(&disk, Path::new(FOLDER), 0, &mut |_, entry| {
            seen.push(entry);
            Ok(())
        })
        .unwrap();
        assert!(entries(1..next).starts_with(&seen));
        assert!([0, 1, 3, 6, 10].contains(&seen.len()));
    }
}

/// Kill, then power cut, anywhere, also inside of a recovery; what was synced is there and what is there is right.
#[test]
fn survives_every_crash() {
    let options = JournalOptions { file_bytes_max: 400, keep: true };
    let disk = SimDisk::recording(5);
    let mut journal = open(&disk, options, 0, &mut |_, _| unreachable!()).unwrap().journal;
    let mut committed = vec![(0, 0)];
    let mut next = 1;
    for n in 1..=8 {
        journal.append(&entries(next..next + n)).unwrap();
        journal.sync().unwrap();
        next += n;
        committed.push((disk.operations(), next - 1));
    }
    let total = disk.operations();
    let synced_at = |operations| committed.iter().rev().find(|(at, _)| *at <= operations).unwrap().1;
    for operations in 0..=total {
        for seed in 0..24 {
            let mut rng = fastrand::Rng::with_seed(operations * 1000 + seed);
            let first = match seed % 2 {
                0 => disk.power_cut_at(operations, &mut rng),
                _ => disk.kill_at(operations, &mut rng),
            };
            let synced = synced_at(operations);
            // A resume that is killed anywhere, then a power cut.
            first.fail(FaultPlan::new(Trigger::Operation(rng.u64(..18)), Fault::Kill));
            let seen = match reopen(&first) {
                Ok((seen, mut journal)) => {
                    let from = seen.len() as u64 + 1;
                    let appended = journal.append(&entries(from..from + 2)).and_then(|_| journal.sync());
                    if appended.is_ok() { from + 1 } else { from - 1 }
                }
                Err(Error::Io(_)) => synced,
                Err(error) => panic!("operation {operations} seed {seed}: {error}"),
            };
            let second = if rng.bool() { first.crash() } else { first.power_cut(&mut rng) };
            let after = reopen(&second).unwrap_or_else(|error| panic!("{operations} {seed}: {error}")).0;
            assert_eq!(after, entries(1..after.len() as u64 + 1));
            assert!(
                after.len() as u64 >= seen,
                "operation {operations} seed {seed}: {} of {seen}",
                after.len()
            );
        }
    }
}

#[test]
fn a_failed_sync_poisons_and_resume_goes_on() {
    for seed in 0..300 {
        let disk = SimDisk::new(seed);
        let mut journal = reopen(&disk).unwrap().1;
        let next = write_frames(&mut journal, 1, 3).unwrap();
        let kind = if seed % 2 == 0 { Fault::SyncLost } else { Fault::Short };
        let trigger = if seed % 2 == 0 { Trigger::Sync(0) } else { Trigger::Append(0) };
        disk.fail(FaultPlan::new(trigger, kind));
        let failed = journal.append(&entries(next..next + 2)).and_then(|_| journal.sync());
        assert!(failed.is_err());
        assert!(matches!(journal.append(&entries(next..next + 2)), Err(Error::Failed { .. })));
        assert!(matches!(journal.sync(), Err(Error::Failed { .. })));
        // Resume in the same machine, commit, then a power cut: nothing committed is lost.
        let disk = disk.crash();
        let (seen, mut journal) = reopen(&disk).unwrap();
        let from = seen.len() as u64 + 1;
        write_frames(&mut journal, from, 2).unwrap();
        let disk = disk.power_cut(&mut fastrand::Rng::with_seed(seed));
        assert_eq!(reopen(&disk).unwrap().0, entries(1..from + 3));
    }
}

#[test]
fn a_missing_or_foreign_file_is_refused() {
    let disk = SimDisk::new(1);
    let options = JournalOptions { file_bytes_max: 600, keep: true };
    let mut journal = open(&disk, options, 0, &mut |_, _| unreachable!()).unwrap().journal;
    write_frames(&mut journal, 1, 12).unwrap();
    let files = file::list(&disk, Path::new(FOLDER)).unwrap();
    disk.remove_file(&files[1].path).unwrap();
    assert!(matches!(reopen(&disk), Err(Error::Corrupt { .. })));
    // A gap before the manifest does not count.
    open(&disk, options, files[2].first_sequence - 1, &mut |_, _| Ok(())).unwrap();
    let mut head = file::head(1, files[0].first_sequence);
    head[8] = 2;
    disk.corrupt(&files[0].path, 0, &head).unwrap();
    assert!(matches!(reopen(&disk), Err(Error::Newer { version: 2, .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_frames_read_back(frames in prop::collection::vec(prop::collection::vec(0u64..10_000, 1..40), 1..8)) {
        let disk = SimDisk::new(1);
        let mut journal = reopen(&disk).unwrap().1;
        let mut all = Vec::new();
        for numbers in frames {
            let frame: Vec<Entry> = numbers.into_iter().map(entry).collect();
            journal.append(&frame).unwrap();
            journal.sync().unwrap();
            all.extend(frame);
        }
        prop_assert_eq!(reopen(&disk).unwrap().0, all);
    }
}
