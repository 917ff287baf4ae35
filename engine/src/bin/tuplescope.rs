//! The native shell.
fn main() {}
