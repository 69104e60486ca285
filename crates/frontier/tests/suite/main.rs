//! The frontier from outside: against an oracle, through crashes, and along Heritrix's timeline.

#![expect(clippy::unwrap_used, reason = "a test that fails says so loudly")]

mod damage;
mod make;
mod oracle;
mod rotation;
mod timeline;
