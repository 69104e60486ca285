//! The only door to clock, chance, network and disk. The real ones and the false ones of `testweb` stand behind the
//! same traits, so that whole crawls run unchanged on virtual time.

mod clock;
mod chance;
mod network;
mod disk;
mod work;

use std::sync::Arc;

pub use chance::{Chance, OsChance};
pub use clock::{Clock, SystemClock};
pub use disk::{Disk, DiskFile, FileLock, ReadFile, StdDisk};
pub use network::{BoxFuture, DnsAnswer, DnsFailure, Network, Stream};
pub use work::{InlineWork, ThreadWork, Work, run};

/// Everything outside the program. Cheap to clone.
#[derive(Clone)]
pub struct World {
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Random bits.
    pub chance: Arc<dyn Chance>,
    /// Connections and names.
    pub network: Arc<dyn Network>,
    /// Files.
    pub disk: Arc<dyn Disk>,
    /// Where blocking and heavy work runs.
    pub work: Arc<dyn Work>,
}
