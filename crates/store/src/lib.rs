//! What survives a crash: the journal, the manifest, sorted runs and tables made of them.
//!
//! Follows `docs/way` on durability rule by rule: the journal is the only truth about decisions; everything else here
//! is derived from it and named, at one sequence number, by the manifest. What the entries mean is none of its
//! business. All calls block; disk and chance come in through [`model::world`].
//!
//! ```
//! # use bequest_store as store;
//! use std::sync::Arc;
//! use model::world::{Disk, OsChance, StdDisk};
//! use store::journal::{self, JournalOptions};
//!
//! # let folder = std::env::temp_dir().join(format!("store-doc-{}", std::process::id()));
//! let disk: Arc<dyn Disk> = Arc::new(StdDisk);
//! let recovered =
//!     journal::recover(disk, Arc::new(OsChance), &folder.join("journal"), JournalOptions::default(), 0, &mut |_, _| Ok(()))?;
//! let mut journal = recovered.journal;
//! let entry = model::entry::Entry::Config { text: "delay = 3".to_owned() };
//! assert_eq!(journal.append(&[entry])?, 1);
//! journal.sync()?; // the commit point
//! # std::fs::remove_dir_all(&folder).ok();
//! # Ok::<(), store::Error>(())
//! ```

mod error;
pub mod fingerprint;
mod folder;
pub mod journal;
pub mod manifest;
pub mod run;
mod stream;
pub mod table;

pub use error::{Error, Result};
pub use fingerprint::{FingerprintRun, FingerprintRunWriter};
pub use folder::sync_with_ancestors;
pub use journal::{Journal, JournalOptions, Recovered};
pub use manifest::{Manifest, NamedFile};
pub use table::{Saved, Table, TableOptions, TablePlace};
