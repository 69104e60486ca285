//! Which fault strikes next, and where: a shuffled list from the seed, armed one after the other.

use fastrand::Rng;
use testweb::disk::{Fault, FaultPlan, SimDisk, Trigger};

/// Faults of each kind in a run; at least so many must have struck at the end.
pub const FAULTS_OF_EACH_KIND: usize = 20;

/// Most disk operations between two faults that follow closely: within a resume, or right behind it.
const NEAR_OPERATIONS_MAX: u64 = 60;
/// Most disk operations between other faults, so that they are spread over the whole crawl.
const FAR_OPERATIONS_MAX: u64 = 700;

/// What goes wrong outside the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The process is killed.
    Crash,
    /// The power fails.
    PowerCut,
    /// The disk is full for a while.
    DiskFull,
    /// An fsync fails.
    FailedSync,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Crash, Kind::PowerCut, Kind::DiskFull, Kind::FailedSync];
}

/// A fault that is armed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Armed {
    /// The process dies within a disk operation, or at that time at the latest.
    Death { kind: Kind, at_ms: Option<u64> },
    /// One disk operation fails; the process lives.
    Error { kind: Kind },
    /// The disk has no more room until then.
    NoRoom { kind: Kind, until_ms: u64 },
}

/// The faults to come.
pub struct Faults {
    to_come: Vec<Kind>,
    rng: Rng,
}

impl Faults {
    /// The faults of a seed; none if `calm`.
    pub fn new(seed: u64, calm: bool) -> Faults {
        let mut rng = Rng::with_seed(seed ^ 0x000f_a017);
        let n = if calm { 0 } else { FAULTS_OF_EACH_KIND };
        let mut to_come: Vec<Kind> =
            Kind::ALL.into_iter().flat_map(|kind| std::iter::repeat_n(kind, n)).collect();
        rng.shuffle(&mut to_come);
        Faults { to_come, rng }
    }

    /// True if none is left.
    pub fn is_over(&self) -> bool {
        self.to_come.is_empty()
    }

    /// An armed fault did not strike: it comes later.
    pub fn put_back(&mut self, kind: Kind) {
        self.to_come.push(kind);
    }

    /// Arms the next one.
    pub fn arm(&mut self, disk: &SimDisk, now_ms: u64, soon: bool) -> Option<Armed> {
        let kind = self.to_come.pop()?;
        let is_near = soon || self.rng.u8(..3) == 0;
        let gap = self.rng.u64(..if is_near { NEAR_OPERATIONS_MAX } else { FAR_OPERATIONS_MAX });
        Some(match kind {
            Kind::Crash | Kind::PowerCut => {
                let at_ms = (!soon && self.rng.u8(..3) == 0).then(|| now_ms + self.rng.u64(..20_000));
                if at_ms.is_none() {
                    disk.fail(FaultPlan::new(Trigger::Operation(disk.operations() + gap), Fault::Kill));
                }
                Armed::Death { kind, at_ms }
            }
            Kind::DiskFull if !soon && self.rng.bool() => {
                disk.set_capacity(Some(disk.used_bytes() + self.rng.u64(..200_000)));
                Armed::NoRoom { kind, until_ms: now_ms + self.rng.u64(1_000..30_000) }
            }
            Kind::DiskFull => {
                let fault = if self.rng.bool() { Fault::Full } else { Fault::Short };
                disk.fail(FaultPlan::new(Trigger::Append(disk.appends() + 1 + gap / 4), fault));
                Armed::Error { kind }
            }
            Kind::FailedSync => {
                let plan = FaultPlan::new(Trigger::Sync(disk.syncs() + 1 + gap / 8), Fault::SyncLost);
                disk.fail(match self.rng.u8(..4) {
                    0 => plan.at("/journal/"),
                    1 => plan.at("/warcs/"),
                    _ => plan,
                });
                Armed::Error { kind }
            }
        })
    }
}
