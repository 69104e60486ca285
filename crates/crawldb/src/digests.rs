//! The first capture of each payload, for revisit records.

use std::sync::Arc;

use model::entry::Done;
use model::world::Disk;
use model::{CaptureKind, Digest, EarlierCapture};
use store::{Result, Saved, Table, TableOptions, TablePlace};

use crate::row;

/// The first whole response with each payload digest.
pub struct Digests {
    table: Table,
    buffer: Vec<u8>,
}

impl Digests {
    /// Opens the table as it was saved; `None` for an empty one. Writes nothing.
    ///
    /// # Errors
    /// When a file is missing or corrupt.
    pub fn open(
        disk: Arc<dyn Disk>,
        place: TablePlace,
        options: TableOptions,
        section: Option<&[u8]>,
    ) -> Result<Digests> {
        Ok(Digests { table: Table::open(disk, place, options, section)?, buffer: Vec::new() })
    }

    /// The capture that a revisit of this payload refers to.
    ///
    /// # Errors
    /// When the disk fails or a row is corrupt.
    pub fn get(&self, digest: &Digest) -> Result<Option<EarlierCapture>> {
        self.table.get(&digest.0)?.map(|bytes| row::decode("digests", &bytes)).transpose()
    }

    /// Notes the first capture of a payload; if there is one already, that one stays.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn insert(&mut self, digest: &Digest, capture: &EarlierCapture) -> Result<()> {
        if self.get(digest)?.is_some() {
            return Ok(());
        }
        row::encode(&mut self.buffer, capture);
        self.table.put(&digest.0, &self.buffer)
    }

    /// Notes the capture of a `Done` entry, if it is a whole response: what replay does. Doing it twice is harmless.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn apply_done(&mut self, done: &Done) -> Result<()> {
        let Some(capture) = done.capture.as_ref().filter(|capture| capture.kind == CaptureKind::Response)
        else {
            return Ok(());
        };
        let earlier =
            EarlierCapture { url: done.url.clone(), date: capture.date, record_id: capture.record_id };
        self.insert(&capture.payload_digest, &earlier)
    }

    /// The record of a payload was lost: later captures are stored again. False if another record stands for it.
    ///
    /// # Errors
    /// When the disk fails or a row is corrupt.
    pub fn forget(&mut self, digest: &Digest, record_id: &[u8; 16]) -> Result<bool> {
        if self.get(digest)?.is_none_or(|capture| capture.record_id != *record_id) {
            return Ok(false);
        }
        self.table.delete(&digest.0)?;
        Ok(true)
    }

    /// What the manifest must hold and name.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn save(&mut self) -> Result<Saved> {
        self.table.save()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use model::WallMs;
    use surt::CanonicalUrl;
    use testweb::disk::SimDisk;

    use super::*;

    #[test]
    fn the_first_stays_until_forgotten() {
        let disk = SimDisk::new(1);
        disk.create_dir_all(Path::new("/job/state/crawldb")).unwrap();
        let place =
            || TablePlace { root: "/job".into(), folder: "state/crawldb".into(), name: "digests".to_owned() };
        let open = |section: Option<&[u8]>| {
            Digests::open(Arc::new(disk.clone()), place(), TableOptions::default(), section).unwrap()
        };
        let capture = |n: u8| EarlierCapture {
            url: CanonicalUrl::parse(&format!("http://example.org/{n}")).unwrap(),
            date: WallMs(u64::from(n)),
            record_id: [n; 16],
        };
        let digest = Digest([7; 20]);
        let mut digests = open(None);
        assert_eq!(digests.get(&digest).unwrap(), None);
        digests.insert(&digest, &capture(1)).unwrap();
        digests.insert(&digest, &capture(2)).unwrap();
        assert_eq!(digests.get(&digest).unwrap(), Some(capture(1)));
        let saved = digests.save().unwrap();
        let mut digests = open(Some(&saved.section));
        assert_eq!(digests.get(&digest).unwrap(), Some(capture(1)));
        assert!(!digests.forget(&digest, &[2; 16]).unwrap());
        assert!(digests.forget(&digest, &[1; 16]).unwrap());
        assert_eq!(digests.get(&digest).unwrap(), None);
    }
}
