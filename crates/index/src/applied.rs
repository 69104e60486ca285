//! How far WARC files were read into an index.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The byte up to which each WARC file was read. Kept by the index itself, in the same commit as the pages, so that a
/// run that was killed neither loses nor repeats any.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Applied {
    /// By name of the file, without folder and without `.open`.
    files: BTreeMap<String, u64>,
}

impl Applied {
    /// Reads what [`Applied::to_text`] wrote; `None` for anything else: the index then has to be built anew.
    pub fn parse(text: &str) -> Option<Applied> {
        if text.is_empty() {
            return Some(Applied::default());
        }
        serde_json::from_str(text).ok()
    }

    /// One line of JSON.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("names and numbers are JSON")
    }

    /// Where to go on in a file; 0 if it was never read.
    pub fn through(&self, file: &str) -> u64 {
        self.files.get(file).copied().unwrap_or(0)
    }

    /// Notes that a file was read up to an offset.
    pub fn set(&mut self, file: &str, offset: u64) {
        self.files.insert(file.to_owned(), offset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let mut applied = Applied::default();
        applied.set("a.warc.gz", 7);
        applied.set("a.warc.gz", 9);
        assert_eq!(Applied::parse(&applied.to_text()), Some(applied.clone()));
        assert_eq!((applied.through("a.warc.gz"), applied.through("b.warc.gz")), (9, 0));
        assert_eq!(Applied::parse(""), Some(Applied::default()));
        assert_eq!(Applied::parse("7"), None);
    }
}
