//! End-to-end tests: the program as a user runs it, real servers as sites, other people's tools as judges.
//!
//! What a judge is and how it gets here: `cargo xtask judges`. Without it a test says what it leaves out; with `CI` set
//! that is a failure. `BEQUEST_E2E_KILLS=20` sets how often the crawl is killed.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod fixture;

mod bad_input;
mod browser;
mod demo;
mod kills;
mod live;
mod outside;
mod sites;
mod small_disk;
mod stops;
