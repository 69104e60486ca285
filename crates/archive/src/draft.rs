//! A record before it has a head: what a [`crate::RecordMaker`] gives.

use std::borrow::Cow;

use bytes::Bytes;
use model::{Body, Digest, EarlierCapture, Exchange, Extraction, FetchItem};
use warc::RecordType;

use crate::ArchiveOptions;

/// All that records are made of.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Request and response.
    pub exchange: &'a Exchange,
    /// What was found in the payload.
    pub extraction: &'a Extraction,
    /// The URL and how it was found.
    pub item: &'a FetchItem,
    /// The capture that this one repeats; `None` for new content.
    pub earlier: Option<&'a EarlierCapture>,
    /// The job's settings.
    pub options: &'a ArchiveOptions,
}

/// The block of a record.
#[derive(Debug, Clone)]
pub struct Block {
    /// First bytes.
    pub head: Bytes,
    /// The rest.
    pub body: Body,
}

impl Block {
    /// A block that lies in memory.
    pub fn of(bytes: impl Into<Bytes>) -> Block {
        Block { head: bytes.into(), body: Body::empty() }
    }

    /// Length in bytes.
    pub fn len(&self) -> u64 {
        self.head.len() as u64 + self.body.len()
    }

    /// True if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A record before it has a head. Date, id, `WARC-Concurrent-To` and block digest are added by the [`crate::RecordBuilder`].
#[derive(Debug, Clone)]
pub struct Draft {
    /// What it is.
    pub record_type: RecordType,
    /// Fields in their order.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    /// Media type of the block.
    pub content_type: Cow<'static, str>,
    /// The block.
    pub block: Block,
    /// Its SHA-1, if known already; computed otherwise.
    pub block_digest: Option<Digest>,
    /// Set if the block would not become smaller.
    pub is_incompressible: bool,
}

impl Draft {
    /// A draft without fields.
    pub fn new(record_type: RecordType, content_type: impl Into<Cow<'static, str>>, block: Block) -> Draft {
        Draft {
            record_type,
            headers: Vec::new(),
            content_type: content_type.into(),
            block,
            block_digest: None,
            is_incompressible: false,
        }
    }

    /// Adds a field.
    pub fn header(&mut self, name: &'static str, value: impl Into<Cow<'static, str>>) {
        self.headers.push((name, value.into()));
    }
}
