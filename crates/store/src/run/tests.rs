//! Rows come back in order, and no flipped byte gives a wrong one.

use super::*;
use testweb::disk::SimDisk;

type Rows = Vec<(Vec<u8>, Option<Vec<u8>>)>;

fn rows(n: u64) -> Rows {
    let key = |n: u64| format!("org,example ://www{:03}/{:09}", n / 100, n * 7).into_bytes();
    (0..n).map(|n| (key(n), (n % 5 != 0).then(|| vec![n as u8; (n % 90) as usize]))).collect()
}

fn write(disk: &SimDisk, path: &Path, rows: &Rows) -> Result<Arc<Run>> {
    let mut writer = RunWriter::create(disk, path, rows.len() as u64)?;
    rows.iter().try_for_each(|(key, value)| writer.push(key, value.as_deref()))?;
    assert_eq!(writer.finish()?, disk.len_of(path)?.unwrap());
    Ok(Arc::new(Run::open(disk, path)?))
}

fn read(mut cursor: impl Cursor) -> Result<Rows> {
    let mut rows = Vec::new();
    while let Some(key) = cursor.key() {
        rows.push((key.to_vec(), cursor.value().map(<[u8]>::to_vec)));
        cursor.advance()?;
    }
    Ok(rows)
}

#[test]
fn reads_back() {
    for n in [0, 1, 2, 1000, 5000] {
        let disk = SimDisk::new(1);
        let rows = rows(n);
        let run = write(&disk, Path::new("run"), &rows).unwrap();
        assert_eq!(read(run.cursor(&[]).unwrap()).unwrap(), rows);
        for (index, (key, value)) in rows.iter().enumerate().step_by(1 + rows.len() / 60) {
            assert_eq!(run.get(key).unwrap().as_ref(), Some(value));
            assert_eq!(read(run.cursor(key).unwrap()).unwrap(), rows[index..]);
            let mut other = key.clone();
            other.push(b'!');
            assert_eq!(run.get(&other).unwrap(), None);
            assert_eq!(read(run.cursor(&other).unwrap()).unwrap(), rows[index + 1..]);
        }
        assert_eq!(run.get(b"a").unwrap(), None);
        assert_eq!(run.get(b"z").unwrap(), None);
    }
}

#[test]
fn the_newest_decides() {
    let disk = SimDisk::new(1);
    let all = rows(900);
    let older: Rows = all.iter().step_by(2).map(|(key, _)| (key.clone(), Some(b"old".to_vec()))).collect();
    let newer: Rows = all.iter().step_by(3).cloned().collect();
    let cursors = vec![
        write(&disk, Path::new("new"), &newer).unwrap().cursor(&[]).unwrap(),
        write(&disk, Path::new("old"), &older).unwrap().cursor(&[]).unwrap(),
    ];
    let mut expected: std::collections::BTreeMap<_, _> = older.into_iter().collect();
    expected.extend(newer);
    assert_eq!(read(Merge::new(cursors)).unwrap(), expected.into_iter().collect::<Vec<_>>());
}

#[test]
fn any_flipped_byte_is_found() {
    let disk = SimDisk::new(1);
    let path = Path::new("run");
    write(&disk, path, &rows(300)).unwrap();
    let whole = disk.read(path).unwrap();
    // The magic at the front is only for people's eyes.
    for (at, byte) in whole.iter().enumerate().skip(MAGIC.len()) {
        disk.corrupt(path, at as u64, &[byte ^ 0x21]).unwrap();
        let all = Run::open(&disk, path).and_then(|run| read(Arc::new(run).cursor(&[])?));
        assert!(matches!(all, Err(Error::Corrupt { .. })), "byte {at}");
        disk.corrupt(path, at as u64, &[*byte]).unwrap();
    }
    for len in 0..whole.len() as u64 {
        disk.truncate(path, whole.len() as u64 - 1 - len).unwrap();
        assert!(Run::open(&disk, path).is_err());
    }
}

#[test]
fn a_row_over_the_limit_is_refused() {
    let disk = SimDisk::new(1);
    let mut writer = RunWriter::create(&disk, Path::new("run"), 1).unwrap();
    assert!(matches!(writer.push(b"key", Some(&vec![0; ROW_BYTES_MAX])), Err(Error::Limit { .. })));
}
