//! A small false internet from one seed number, with a false clock and disk.

pub mod disk;
