//! Whole responses through the reader: odd ones, the field's suites, any split of the bytes.

#![allow(clippy::unwrap_used, reason = "tests")]

mod odd;
mod reading;
mod splits;
mod suites;
