//! The whole program against awkward servers: the cases that were recorded with Heritrix 3.13.0, and transport.
//!
//! Everything runs on loopback addresses and ends by itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on shall say so at once")]

mod program;
mod python;

mod body_size;
mod curl_suite;
mod heritrix;
mod raw_server;
mod transport;
