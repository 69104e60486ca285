//! Rows in order: of a run, and of several sources where the newest decides.

use std::sync::Arc;

use super::Run;
use super::block::{Block, Row};
use crate::Result;

/// Rows in ascending order of their keys. After an error it is not used any more.
pub trait Cursor {
    /// The key of the row it stands on; `None` at the end.
    fn key(&self) -> Option<&[u8]>;
    /// The value of the row it stands on; `None` for a tombstone.
    fn value(&self) -> Option<&[u8]>;
    /// Goes to the next row.
    ///
    /// # Errors
    /// When the next block cannot be read or is corrupt.
    fn advance(&mut self) -> Result<()>;
}

impl<C: Cursor + ?Sized> Cursor for Box<C> {
    fn key(&self) -> Option<&[u8]> {
        (**self).key()
    }

    fn value(&self) -> Option<&[u8]> {
        (**self).value()
    }

    fn advance(&mut self) -> Result<()> {
        (**self).advance()
    }
}

/// The rows of a run.
pub struct RunCursor {
    run: Arc<Run>,
    block_index: usize,
    /// `None` at the end.
    block: Option<Block>,
    row: Row,
}

impl RunCursor {
    pub(super) fn new(run: Arc<Run>, from: &[u8]) -> Result<RunCursor> {
        let block_index = run.block_of(from).unwrap_or(0);
        let block = if block_index < run.n_blocks() { Some(run.read_block(block_index)?) } else { None };
        let mut cursor = RunCursor { run, block_index, block, row: Row::default() };
        cursor.advance()?;
        while cursor.key().is_some_and(|key| key < from) {
            cursor.advance()?;
        }
        Ok(cursor)
    }
}

impl Cursor for RunCursor {
    fn key(&self) -> Option<&[u8]> {
        self.block.as_ref().map(|_| &*self.row.key)
    }

    fn value(&self) -> Option<&[u8]> {
        self.block.as_ref()?.value(&self.row)
    }

    fn advance(&mut self) -> Result<()> {
        while let Some(block) = &self.block {
            if block.step(&mut self.row).map_err(|()| self.run.broken_rows(self.block_index))? {
                return Ok(());
            }
            self.block_index += 1;
            self.row = Row::default();
            let is_there = self.block_index < self.run.n_blocks();
            self.block = if is_there { Some(self.run.read_block(self.block_index)?) } else { None };
        }
        Ok(())
    }
}

/// The rows of several cursors: of one key the first cursor's counts.
pub struct Merge<C> {
    /// The newest first.
    cursors: Vec<C>,
    /// The cursor that stands on the least key; `None` at the end.
    current: Option<usize>,
    key: Vec<u8>,
}

impl<C: Cursor> Merge<C> {
    /// Merges cursors, the newest first. Comparing all heads is as fast as a heap for the dozen that there are.
    pub fn new(newest_first: Vec<C>) -> Merge<C> {
        let mut merge = Merge { cursors: newest_first, current: None, key: Vec::new() };
        merge.find();
        merge
    }

    fn find(&mut self) {
        let mut least: Option<(usize, &[u8])> = None;
        for (index, cursor) in self.cursors.iter().enumerate() {
            if let Some(key) = cursor.key()
                && least.is_none_or(|(_, least)| key < least)
            {
                least = Some((index, key));
            }
        }
        self.current = least.map(|(index, _)| index);
    }
}

impl<C: Cursor> Cursor for Merge<C> {
    fn key(&self) -> Option<&[u8]> {
        self.cursors[self.current?].key()
    }

    fn value(&self) -> Option<&[u8]> {
        self.cursors[self.current?].value()
    }

    fn advance(&mut self) -> Result<()> {
        let Some(current) = self.current else { return Ok(()) };
        self.key.clear();
        self.key.extend_from_slice(self.cursors[current].key().unwrap_or_default());
        for cursor in &mut self.cursors[current..] {
            if cursor.key() == Some(&self.key) {
                cursor.advance()?;
            }
        }
        self.find();
        Ok(())
    }
}
