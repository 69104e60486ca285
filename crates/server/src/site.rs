//! What all requests share.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use replay::Replay;
use search::{SearchError, SearchIndex};

use crate::Passwords;

/// What all requests share.
pub(crate) struct Site {
    /// Name of the job's folder, for titles.
    pub name: String,
    pub replay: Replay,
    pub passwords: Option<Passwords>,
    pub address: SocketAddr,
    /// Opened when first needed, so that an index which is built later is found.
    index: Mutex<Option<SearchIndex>>,
}

impl Site {
    pub fn new(job: &Path, passwords: Option<Passwords>, address: SocketAddr) -> Site {
        let full = job.canonicalize().unwrap_or_else(|_| job.to_owned());
        let name = full.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Site { name, replay: Replay::open(job), passwords, address, index: Mutex::new(None) }
    }

    /// The search index as it is now.
    pub fn index(&self) -> Result<SearchIndex, SearchError> {
        let mut held = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = &*held {
            return Ok(index.clone());
        }
        let index = SearchIndex::open(&self.replay.files().search_index())?;
        Ok(held.insert(index).clone())
    }
}
