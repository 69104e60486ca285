//! A damaged file is named, not believed: no panic, no URL that was never admitted.

use bequest_frontier::{FetchEnd, Frontier, FrontierError, FrontierOptions, Next};
use model::world::StdDisk;
use model::{FetchOutcome, MonoMs};

use crate::make::{Bench, done, eager, link};

/// Opens and hands out all URLs; gives how many.
fn drain(options: &FrontierOptions, dir: &std::path::Path, section: &[u8]) -> Result<usize, FrontierError> {
    let disk = std::sync::Arc::new(StdDisk);
    let mut frontier = Frontier::open(options.clone(), disk, dir.to_owned(), Some(section), MonoMs(0))?;
    frontier.resumed(MonoMs(0));
    let mut n_urls = 0;
    while let Next::Item(item) = frontier.next(MonoMs(0))? {
        assert!(item.candidate.url.as_str().starts_with("http://h"));
        frontier.finished(item.ordinal, &FetchEnd::default(), MonoMs(0));
        frontier.apply(1_000_000 + n_urls as u64, done(&item, FetchOutcome::Finished), &mut |_, _| {})?;
        n_urls += 1;
    }
    Ok(n_urls)
}

#[test]
fn every_flipped_byte_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let options = FrontierOptions { queue_memory_bytes: 0, chunk_cache_bytes: 1, ..eager() };
    let mut bench = Bench::open(options.clone(), dir.path(), None);
    for page in 0..300 {
        bench.admit(link(&format!("http://h{}.example/{page}", page % 7)));
    }
    bench.flush();
    let saved = bench.frontier.save().unwrap();
    assert_eq!(drain(&options, dir.path(), &saved.section).unwrap(), 300);
    for (path, len) in saved.files.iter().filter(|(path, _)| !path.to_string_lossy().contains("seen")) {
        let whole = std::fs::read(path).unwrap();
        // The magic of a segment is not looked at when it is opened again.
        for at in (8..*len as usize).step_by(13) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(path, bytes).unwrap();
            assert!(drain(&options, dir.path(), &saved.section).is_err(), "{} at {at}", path.display());
        }
        std::fs::write(path, &whole[..whole.len() - 1]).unwrap();
        assert!(drain(&options, dir.path(), &saved.section).is_err(), "{} cut", path.display());
        std::fs::write(path, whole).unwrap();
    }
}
