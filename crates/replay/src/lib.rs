//! A capture shown again.
