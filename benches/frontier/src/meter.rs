//! CPU time, memory and disk space of this process.

use std::path::Path;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// CPU seconds of this process so far, all threads.
pub fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Peak resident memory in bytes; 0 where the system does not tell.
pub fn memory_peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Bytes of all files below a folder.
pub fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// A stopwatch for wall and CPU time.
#[derive(Clone, Copy)]
pub struct Lap {
    wall: Instant,
    cpu_s: f64,
}

impl Lap {
    /// Starts.
    pub fn start() -> Lap {
        Lap { wall: Instant::now(), cpu_s: cpu_s() }
    }

    /// Wall and CPU seconds since the start.
    pub fn read(self) -> Spent {
        Spent { wall_s: self.wall.elapsed().as_secs_f64(), cpu_s: cpu_s() - self.cpu_s }
    }
}

/// Seconds spent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// By the wall clock.
    pub wall_s: f64,
    /// Of CPU.
    pub cpu_s: f64,
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.wall_s += other.wall_s;
        self.cpu_s += other.cpu_s;
    }
}
