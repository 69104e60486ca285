//! Bugs planted on purpose, so that the simulation can show that it would find them.
//!
//! Each is one condition at the place where such a bug would lie. Without the feature `planted-bugs`, which only the
//! maintainers' tool switches on, [`is_planted`] is a constant `false` and nothing of this is left in a program.

/// A bug that can be planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bug {
    /// WARC files are not synced before the journal's frame.
    WarcNotSynced,
    /// The journal's frame is not synced.
    FrameNotSynced,
    /// A frame is applied before its sync.
    AppliedBeforeSync,
    /// Some links that wait in the sieve get lost at a flush.
    OutlinksLostAtFlush,
    /// Queues do not wait their delay after a resume.
    DelayForgotten,
    /// Fingerprints of URLs have 16 bits.
    Fingerprints16Bit,
    /// An append to a full disk counts as done.
    FullDiskIgnored,
    /// A resume cuts the last committed byte of a WARC file off, too.
    CutOffByOne,
    /// The manifest is renamed, but its folder is not synced before older files are deleted.
    ManifestFolderNotSynced,
    /// Later records of a WARC file may be committed before earlier ones (DURABILITY.md, rule 3).
    PrefixRuleDropped,
}

impl Bug {
    /// All of them.
    pub const ALL: [Bug; 10] = [
        Bug::WarcNotSynced,
        Bug::FrameNotSynced,
        Bug::AppliedBeforeSync,
        Bug::OutlinksLostAtFlush,
        Bug::DelayForgotten,
        Bug::Fingerprints16Bit,
        Bug::FullDiskIgnored,
        Bug::CutOffByOne,
        Bug::ManifestFolderNotSynced,
        Bug::PrefixRuleDropped,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Bug::WarcNotSynced => "warc-not-synced",
            Bug::FrameNotSynced => "frame-not-synced",
            Bug::AppliedBeforeSync => "applied-before-sync",
            Bug::OutlinksLostAtFlush => "outlinks-lost-at-flush",
            Bug::DelayForgotten => "delay-forgotten",
            Bug::Fingerprints16Bit => "fingerprints-16-bit",
            Bug::FullDiskIgnored => "full-disk-ignored",
            Bug::CutOffByOne => "cut-off-by-one",
            Bug::ManifestFolderNotSynced => "manifest-folder-not-synced",
            Bug::PrefixRuleDropped => "prefix-rule-dropped",
        }
    }
}

#[cfg(feature = "planted-bugs")]
mod planting {
    use std::cell::Cell;

    use super::Bug;

    thread_local! {
        static PLANTED: Cell<Option<Bug>> = const { Cell::new(None) };
    }

    /// Plants a bug for this thread, or none.
    pub fn plant(bug: Option<Bug>) {
        PLANTED.set(bug);
    }

    /// True if that bug is planted in this thread.
    pub fn is_planted(bug: Bug) -> bool {
        PLANTED.get() == Some(bug)
    }
}

#[cfg(feature = "planted-bugs")]
pub use planting::{is_planted, plant};

/// True if that bug is planted: never in a program that people run.
#[cfg(not(feature = "planted-bugs"))]
pub const fn is_planted(_bug: Bug) -> bool {
    false
}
