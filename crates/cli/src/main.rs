//! The program `bequest`.
fn main() {}
