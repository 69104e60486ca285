//! Rows as bytes: a version, then the fields by postcard.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use store::{Error, Result};

/// The format that is written, and the newest one that is read.
const VERSION: u8 = 1;

/// Encodes a row into a buffer that is used again and again.
pub(crate) fn encode<T: Serialize>(buffer: &mut Vec<u8>, row: &T) {
    buffer.clear();
    buffer.push(VERSION);
    *buffer = postcard::to_extend(row, std::mem::take(buffer)).expect("rows are plain data");
}

/// Decodes a row of the table with that name.
pub(crate) fn decode<T: DeserializeOwned>(table: &str, bytes: &[u8]) -> Result<T> {
    let corrupt = |what| Error::Corrupt { file: Path::new(table).to_owned(), offset: 0, what };
    match bytes.split_first() {
        Some((&VERSION, row)) => {
            postcard::from_bytes(row).map_err(|error| corrupt(format!("a row cannot be decoded: {error}")))
        }
        Some((&version, _)) if version > VERSION => Err(Error::Newer {
            file: Path::new(table).to_owned(),
            version: u32::from(version),
            known: u32::from(VERSION),
        }),
        _ => Err(corrupt("a row has no version".to_owned())),
    }
}
