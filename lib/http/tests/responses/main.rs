//! Whole responses through the reader: odd ones, the field's suites, any split of the bytes.

mod odd;
mod reading;
mod splits;
mod suites;
