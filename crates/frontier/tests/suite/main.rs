//! The frontier from outside: against an oracle, through crashes, and along Heritrix's timeline.

mod make;
mod oracle;
mod rotation;
mod timeline;
