//! The fetcher against odd servers on loopback sockets.

#![allow(clippy::unwrap_used, reason = "tests")]

mod hosts;
mod large;
mod robots;
mod server;
mod suite;
mod tls;
mod transport;
mod world;
