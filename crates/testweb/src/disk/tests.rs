//! Each rule of the false disk, seen over many cuts.

use std::collections::BTreeSet;

use super::*;

const FILE: &str = "/job/a";

/// A disk with the folder `/job`.
fn disk() -> SimDisk {
    let disk = SimDisk::recording(1);
    disk.create_dir_all(Path::new("/job")).unwrap();
    disk
}

fn write(disk: &SimDisk, path: &str, bytes: &[u8]) -> Box<dyn DiskFile> {
    let mut file = disk.create_new(Path::new(path)).unwrap();
    file.append(bytes).unwrap();
    file
}

fn read(disk: &SimDisk, path: &str) -> Option<Vec<u8>> {
    disk.read(Path::new(path)).ok()
}

/// All contents that `path` may have after a power cut.
fn outcomes(disk: &SimDisk, path: &str) -> BTreeSet<Option<Vec<u8>>> {
    (0..400).map(|seed| read(&disk.power_cut(&mut Rng::with_seed(seed)), path)).collect()
}

#[test]
fn nothing_is_durable_without_sync() {
    let disk = disk();
    write(&disk, FILE, b"abc");
    let seen = outcomes(&disk, FILE);
    assert!(seen.contains(&None) && seen.contains(&Some(vec![])));
    assert!(seen.contains(&Some(b"ab".to_vec())) && seen.contains(&Some(b"abc".to_vec())));
    assert!(seen.contains(&Some(vec![0; 3])), "a page that was not written reads as zeros");
}

#[test]
fn bytes_and_name_are_synced_apart() {
    let disk = disk();
    let mut file = write(&disk, FILE, b"abc");
    file.sync().unwrap();
    assert_eq!(outcomes(&disk, FILE), BTreeSet::from([None, Some(b"abc".to_vec())]));
    disk.sync_dir(Path::new("/job")).unwrap();
    assert_eq!(outcomes(&disk, FILE), BTreeSet::from([Some(b"abc".to_vec())]));
    file.append(b"d").unwrap();
    assert_eq!(outcomes(&disk, FILE).len(), 3, "with d, without, with a zero");
}

#[test]
fn folder_operations_are_lost_as_any_subset() {
    let disk = disk();
    for name in ["/job/1", "/job/2", "/job/3"] {
        write(&disk, name, b"x").sync().unwrap();
    }
    let kept = |seed| disk.power_cut(&mut Rng::with_seed(seed)).list(Path::new("/job")).unwrap();
    let seen: BTreeSet<Vec<String>> = (0..400).map(kept).collect();
    assert_eq!(seen.len(), 8);
}

#[test]
fn a_cut_may_undo_a_truncation_or_a_rename() {
    let disk = disk();
    write(&disk, FILE, b"abc").sync().unwrap();
    disk.sync_dir(Path::new("/job")).unwrap();
    disk.truncate(Path::new(FILE), 1).unwrap();
    disk.rename(Path::new(FILE), Path::new("/job/b")).unwrap();
    assert_eq!(read(&disk, "/job/b"), Some(b"a".to_vec()));
    let old = outcomes(&disk, FILE);
    assert_eq!(old, BTreeSet::from([None, Some(b"a".to_vec()), Some(b"abc".to_vec())]));
    for seed in 0..200 {
        let cut = disk.power_cut(&mut Rng::with_seed(seed));
        assert_eq!(cut.list(Path::new("/job")).unwrap().len(), 1, "a rename is atomic");
    }
    disk.sync_file(Path::new("/job/b")).unwrap();
    disk.sync_dir(Path::new("/job")).unwrap();
    assert_eq!(outcomes(&disk, "/job/b"), BTreeSet::from([Some(b"a".to_vec())]));
}

#[test]
fn a_rename_across_folders_never_loses_the_file() {
    let disk = disk();
    disk.create_dir_all(Path::new("/job/sub")).unwrap();
    write(&disk, FILE, b"abc").sync().unwrap();
    disk.sync_dir(Path::new("/job")).unwrap();
    disk.rename(Path::new(FILE), Path::new("/job/sub/a")).unwrap();
    let both = |disk: &SimDisk, seed| {
        let cut = disk.power_cut(&mut Rng::with_seed(seed));
        (read(&cut, FILE).is_some(), read(&cut, "/job/sub/a").is_some())
    };
    let seen: BTreeSet<_> = (0..200).map(|seed| both(&disk, seed)).collect();
    assert_eq!(seen, BTreeSet::from([(true, false), (true, true), (false, true)]));
    disk.sync_dir(Path::new("/job/sub")).unwrap();
    let seen: BTreeSet<_> = (0..200).map(|seed| both(&disk, seed)).collect();
    assert_eq!(seen, BTreeSet::from([(true, true), (false, true)]));
    disk.sync_dir(Path::new("/job")).unwrap();
    assert_eq!(both(&disk, 1), (false, true));
}

#[test]
fn syncs_lie_after_a_failed_one() {
    let seen: BTreeSet<_> = (0..60)
        .map(|seed| {
            let disk = SimDisk::new(seed);
            disk.create_dir_all(Path::new("/job")).unwrap();
            let mut file = write(&disk, FILE, b"abc");
            disk.sync_dir(Path::new("/job")).unwrap();
            disk.fail(FaultPlan::new(Trigger::Sync(1), Fault::SyncLost));
            file.sync().unwrap_err();
            file.append(b"d").unwrap();
            file.sync().unwrap();
            assert_eq!(read(&disk, FILE), Some(b"abcd".to_vec()), "the page cache still shows it");
            read(&disk.power_cut(&mut Rng::with_seed(seed)), FILE).unwrap()
        })
        .collect();
    let expected: [&[u8]; 4] = [b"\0\0\0d", b"a\0\0d", b"ab\0d", b"abcd"];
    assert_eq!(seen, expected.iter().map(|bytes| bytes.to_vec()).collect());
}

#[test]
fn a_killed_process_leaves_the_page_cache() {
    let disk = disk();
    let mut file = write(&disk, FILE, b"abc");
    let _lock = disk.lock(Path::new("/job/lock")).unwrap().unwrap();
    assert!(disk.lock(Path::new("/job/lock")).unwrap().is_none());
    let next = disk.crash();
    file.append(b"d").unwrap_err();
    assert!(disk.read(Path::new(FILE)).is_err());
    assert_eq!(read(&next, FILE), Some(b"abc".to_vec()));
    assert!(next.lock(Path::new("/job/lock")).unwrap().is_some());
}

#[test]
fn a_kill_can_be_planned() {
    let disk = disk();
    let mut file = write(&disk, FILE, b"abc");
    disk.fail(FaultPlan::new(Trigger::Append(1), Fault::Kill).at("job/a"));
    file.append(b"def").unwrap_err();
    assert!(disk.sync_dir(Path::new("/job")).is_err());
    let left = read(&disk.crash(), FILE).unwrap();
    assert!(b"abcdef".starts_with(&left) && left.len() >= 3);
}

#[test]
fn capacity_is_counted() {
    let disk = disk();
    disk.set_capacity(Some(5));
    let mut file = write(&disk, FILE, b"abc");
    assert_eq!(disk.free_bytes(Path::new("/job")).unwrap(), 2);
    let error = file.append(b"defg").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(read(&disk, FILE), Some(b"abcde".to_vec()));
    disk.truncate(Path::new(FILE), 1).unwrap();
    assert_eq!(disk.free_bytes(Path::new("/job")).unwrap(), 4);
    disk.hard_link(Path::new(FILE), Path::new("/job/b")).unwrap();
    disk.remove_file(Path::new(FILE)).unwrap();
    assert_eq!(disk.used_bytes(), 1);
    disk.remove_file(Path::new("/job/b")).unwrap();
    assert_eq!(disk.used_bytes(), 0);
}

#[test]
fn states_of_a_recorded_run_are_made_again() {
    let disk = disk();
    let start = disk.operations();
    let mut file = write(&disk, FILE, b"abc");
    file.sync().unwrap();
    disk.sync_dir(Path::new("/job")).unwrap();
    file.append(b"def").unwrap();
    file.sync().unwrap();
    for operations in (start..=disk.operations()).chain([start + 4]) {
        let one = disk.power_cut_at(operations, &mut Rng::with_seed(operations));
        let two = disk.power_cut_at(operations, &mut Rng::with_seed(operations));
        assert_eq!(read(&one, FILE), read(&two, FILE), "one seed, one state");
        let kept = read(&one, FILE);
        if operations >= start + 4 {
            assert!(kept.is_some_and(|bytes| bytes.starts_with(b"abc")));
        }
    }
    let all = disk.power_cut_at(disk.operations(), &mut Rng::with_seed(0));
    assert_eq!(read(&all, FILE), Some(b"abcdef".to_vec()));
}

#[test]
fn a_lost_folder_takes_its_files_along() {
    let disk = SimDisk::recording(1);
    disk.create_dir_all(Path::new("/job/sub")).unwrap();
    // Right after the inner folder was made, before its parent was synced.
    let before_sync = disk.operations() - 1;
    let seen: BTreeSet<_> = (0..100)
        .map(|seed| {
            disk.power_cut_at(before_sync, &mut Rng::with_seed(seed)).list(Path::new("/job")).unwrap()
        })
        .collect();
    assert_eq!(seen, BTreeSet::from([vec![], vec!["sub".to_owned()]]));
}
