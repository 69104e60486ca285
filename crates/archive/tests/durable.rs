//! Power cuts, kills and failing disks: nothing committed is lost, nothing uncommitted comes back.
#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use archive::{ArchiveOptions, RecoverError, Recovery, Unfinished, recover};
use common::*;
use model::RecordPlace;
use model::world::Disk;
use testweb::disk::{Fault, FaultPlan, SimDisk, Trigger};

const DIR: &str = "/warcs";

/// What a journal would know: ranges, and after how many operations each was committed.
struct Run {
    disk: SimDisk,
    committed: Vec<(u64, RecordPlace)>,
    n_operations: u64,
}

/// Archives some pages in groups on a recording disk.
fn run() -> Run {
    let disk = SimDisk::recording(7);
    disk.create_dir_all(Path::new(DIR)).unwrap();
    let options = ArchiveOptions { file_bytes_max: 4000, own_file_bytes_min: 6000, ..options(DIR) };
    let mut archive = Archive::new(options, Arc::new(disk.clone()));
    let (mut committed, mut group) = (Vec::new(), Vec::new());
    for n in 0..24 {
        let body = if n == 9 { noise(9000) } else { noise(n * 37) };
        let exchange = exchange(&format!("http://example.org/{n}"), "text/html", &body);
        let mut prepared = archive.prepare(&exchange, None);
        if archive.writer.own_files().wants(&prepared) {
            prepared = archive.writer.own_files().write(prepared).unwrap();
        }
        let appended = archive.writer.append(prepared).unwrap();
        group.extend(
            appended.warcinfo.into_iter().chain([appended.capture.place]).chain(appended.capture.concurrent),
        );
        if n % 4 == 3 {
            archive.writer.sync_touched().unwrap();
            // Here the journal's frame would be synced.
            let at = disk.operations();
            committed.extend(group.drain(..).map(|place| (at, place)));
            archive.writer.committed().unwrap();
        }
    }
    archive.writer.close().unwrap();
    let n_operations = disk.operations();
    Run { disk, committed, n_operations }
}

/// Bytes that do not compress.
fn noise(n: usize) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(n as u64);
    (0..n).map(|_| rng.u8(..)).collect()
}

fn known_at(run: &Run, operations: u64) -> (BTreeMap<Arc<str>, u64>, Vec<RecordPlace>) {
    let places = run.committed.iter().filter(|(at, _)| *at <= operations);
    let places: Vec<RecordPlace> = places.map(|(_, place)| place.clone()).collect();
    let mut lengths: BTreeMap<Arc<str>, u64> = BTreeMap::new();
    for place in &places {
        let length = lengths.entry(place.file.clone()).or_default();
        *length = (*length).max(place.offset + place.length);
    }
    (lengths, places)
}

fn recover_at(disk: &SimDisk, run: &Run, operations: u64) -> Result<Recovery, RecoverError> {
    let (committed, ranges) = known_at(run, operations);
    recover(disk, &[PathBuf::from(DIR)], Unfinished { committed: &committed, ranges: &ranges })
}

/// Exactly the committed bytes are there, under the final names.
fn check_state(disk: &SimDisk, run: &Run, operations: u64) {
    let (committed, ranges) = known_at(run, operations);
    let names = disk.list(Path::new(DIR)).unwrap();
    let expected: Vec<String> = committed.keys().map(|name| name.to_string()).collect();
    assert_eq!(names, expected, "after operation {operations}");
    for (name, length) in &committed {
        let bytes = disk.read(&Path::new(DIR).join(&**name)).unwrap();
        assert_eq!(bytes.len() as u64, *length);
        assert!(warc::check(bytes.as_slice(), |_, _| {}).unwrap().problems.is_empty());
    }
    for place in ranges {
        let bytes = disk.read(&Path::new(DIR).join(&*place.file)).unwrap();
        let range = &bytes[place.offset as usize..(place.offset + place.length) as usize];
        assert_eq!(crc32c::crc32c(range), place.crc32c);
    }
}

#[test]
fn a_power_cut_anywhere() {
    let run = run();
    let mut rng = fastrand::Rng::with_seed(1);
    for operations in 0..=run.n_operations {
        for _ in 0..2 {
            let disk = run.disk.power_cut_at(operations, &mut rng);
            recover_at(&disk, &run, operations).unwrap_or_else(|error| panic!("after {operations}: {error}"));
            check_state(&disk, &run, operations);
            // A second cut right after changes nothing: what recovery did is durable.
            let again = disk.power_cut(&mut rng);
            recover_at(&again, &run, operations).unwrap();
            check_state(&again, &run, operations);
        }
    }
}

#[test]
fn a_kill_anywhere_and_a_cut_inside_recovery() {
    let run = run();
    let mut rng = fastrand::Rng::with_seed(2);
    for operations in (0..=run.n_operations).step_by(8) {
        let disk = run.disk.kill_at(operations, &mut rng);
        disk.start_recording();
        recover_at(&disk, &run, operations).unwrap();
        check_state(&disk, &run, operations);
        for inside in 0..=disk.operations() {
            let cut = disk.power_cut_at(inside, &mut rng);
            recover_at(&cut, &run, operations)
                .unwrap_or_else(|error| panic!("{operations}, {inside}: {error}"));
            check_state(&cut, &run, operations);
        }
    }
}

#[test]
fn damage_stops_recovery_and_changes_nothing() {
    let run = run();
    // The very end is committed, only the names are missing.
    let (at, place) = run.committed.last().unwrap().clone();
    let disk = run.disk.kill_at(at, &mut fastrand::Rng::with_seed(3));
    let open = Path::new(DIR).join(format!("{}.open", place.file));
    let before = disk.list(Path::new(DIR)).unwrap();
    disk.corrupt(&open, place.offset + 12, b"\xff\xff").unwrap();
    let error = recover_at(&disk, &run, at).unwrap_err();
    assert!(matches!(&error, RecoverError::Broken { place: broken, .. } if *broken == place), "{error}");
    assert_eq!(disk.list(Path::new(DIR)).unwrap(), before);
    disk.truncate(&open, place.offset).unwrap();
    let error = recover_at(&disk, &run, at).unwrap_err();
    assert!(matches!(error, RecoverError::TooShort { .. }), "{error}");
}

#[test]
fn a_file_that_was_moved_away_is_only_named() {
    let run = run();
    let (_, place) = &run.committed[0];
    let disk = run.disk.kill_at(run.n_operations, &mut fastrand::Rng::with_seed(4));
    disk.remove_file(&Path::new(DIR).join(&*place.file)).unwrap();
    assert_eq!(recover_at(&disk, &run, run.n_operations).unwrap().missing, std::slice::from_ref(&place.file));
}

/// After an error the writer refuses everything, and no sync is tried again.
fn check_dead(plan: FaultPlan) {
    let disk = SimDisk::new(5);
    disk.create_dir_all(Path::new(DIR)).unwrap();
    disk.fail(plan);
    let mut archive = Archive::new(options(DIR), Arc::new(disk.clone()));
    let prepare =
        |archive: &Archive| archive.prepare(&exchange("http://example.org/", "text/html", b"x"), None);
    let prepared = prepare(&archive);
    let failed = archive.writer.append(prepared).and_then(|_| archive.writer.sync_touched());
    assert!(failed.is_err() && archive.writer.is_dead());
    let n_syncs = disk.syncs();
    let prepared = prepare(&archive);
    assert!(archive.writer.append(prepared).is_err());
    assert!(archive.writer.sync_touched().is_err());
    assert!(archive.writer.committed().is_err());
    assert!(archive.writer.close().is_err());
    assert_eq!(disk.syncs(), n_syncs);
}

#[test]
fn after_an_error_the_writer_is_dead() {
    check_dead(FaultPlan::new(Trigger::Append(1), Fault::Full));
    check_dead(FaultPlan::new(Trigger::Append(2), Fault::Full));
    check_dead(FaultPlan::new(Trigger::Append(2), Fault::Short));
    check_dead(FaultPlan::new(Trigger::Sync(1), Fault::SyncLost));
    check_dead(FaultPlan::new(Trigger::Sync(1), Fault::Error));
}
