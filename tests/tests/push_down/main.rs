//! Qual push-down (mail 1), row by row: settings, what is pushed, what stays and why, the rules at the
//! edges, EXPLAIN's words and the counter laws. Each test has the name of what it shows.

mod counters;
mod edges;
mod pushed;
mod reasons;
mod security;
mod settings;
mod table;

/// The access method that is tested.
const ACCESS_METHOD: &str = "heap";
/// Pages that the first step of a scan of one integer column may read.
const FIRST_PAGES: u64 = 1;
