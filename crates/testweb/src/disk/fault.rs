//! Faults that strike once, at a place that was planned.

use std::path::Path;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// An append writes nothing: the disk is full.
    Full,
    /// An append writes a part, or all, and then says that the disk is full.
    Short,
    /// A sync fails: any prefix of the unsynced bytes is durable, the rest counts as clean, so that later syncs lie.
    SyncLost,
    /// The operation fails and does nothing (at a sync: as [`Fault::SyncLost`]).
    Error,
    /// The process is killed in the operation: an append may be written in part; nothing works afterwards.
    Kill,
}

/// Where a fault strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// At the first operation with this number or a later one, counted from 0.
    Operation(u64),
    /// At the append with this number or a later one, counted from 1.
    Append(u64),
    /// At the sync of a file with this number or a later one, counted from 1.
    Sync(u64),
}

/// A fault that strikes once.
#[derive(Debug, Clone)]
pub struct FaultPlan {
    /// Where.
    pub trigger: Trigger,
    /// Only at files whose path contains this text.
    pub path_contains: Option<String>,
    /// What.
    pub fault: Fault,
}

impl FaultPlan {
    /// A fault at any file.
    pub fn new(trigger: Trigger, fault: Fault) -> FaultPlan {
        FaultPlan { trigger, path_contains: None, fault }
    }

    /// The same, but only at files whose path contains a text.
    pub fn at(self, path_contains: &str) -> FaultPlan {
        FaultPlan { path_contains: Some(path_contains.to_owned()), ..self }
    }

    /// Numbers are those of the operation that is about to happen; `None` for one of another kind.
    pub(super) fn strikes(
        &self,
        path: &Path,
        operation: u64,
        append: Option<u64>,
        sync: Option<u64>,
    ) -> bool {
        let due = match self.trigger {
            Trigger::Operation(at) => operation >= at,
            Trigger::Append(at) => append.is_some_and(|number| number >= at),
            Trigger::Sync(at) => sync.is_some_and(|number| number >= at),
        };
        let fits_kind = match self.fault {
            Fault::Full | Fault::Short => append.is_some(),
            Fault::SyncLost => sync.is_some(),
            Fault::Error | Fault::Kill => true,
        };
        let fits_path =
            || self.path_contains.as_ref().is_none_or(|text| path.to_string_lossy().contains(text));
        due && fits_kind && fits_path()
    }
}
