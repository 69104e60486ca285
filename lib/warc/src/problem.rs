//! What is wrong with a file, and where.

use std::fmt;

/// Problems of one file that are kept at most; more are only counted.
pub const PROBLEMS_MAX: usize = 10_000;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Odd, but nothing is lost.
    Warning,
    /// Against the standard, or bytes are missing.
    Error,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where in the file; for a record its first byte (of its gzip member).
    pub offset: u64,
    /// How bad it is.
    pub severity: Severity,
    /// What it is: lower case, no full stop.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "offset {}: {kind}: {}", self.offset, self.message)
    }
}

/// A bounded list of problems.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    kept: Vec<Problem>,
    pub n_dropped: u64,
}

impl Problems {
    pub(crate) fn error(&mut self, offset: u64, message: impl Into<String>) {
        self.push(offset, Severity::Error, message);
    }

    pub(crate) fn warning(&mut self, offset: u64, message: impl Into<String>) {
        self.push(offset, Severity::Warning, message);
    }

    fn push(&mut self, offset: u64, severity: Severity, message: impl Into<String>) {
        if self.kept.len() < PROBLEMS_MAX {
            self.kept.push(Problem { offset, severity, message: message.into() });
        } else {
            self.n_dropped += 1;
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.kept)
    }
}
