//! TPC-H: its queries with the validation parameters, and PostgreSQL's answers at scale factor 0.01.

use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The scale factor of the checked answers.
pub const SCALE: &str = "0.01";

pub const QUERIES: RangeInclusive<u32> = 1..=22;

pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tpch")
}

/// A query's text.
pub fn query(number: u32) -> io::Result<String> {
    std::fs::read_to_string(folder().join(format!("q{number:02}.sql")))
}

pub fn answer_file(number: u32) -> PathBuf {
    folder().join(format!("answers/q{number:02}.txt"))
}

/// An answer as it stands in its file: a row a line, values with bars between them.
pub fn text(rows: impl Iterator<Item = Vec<String>>) -> String {
    rows.map(|row| row.join("|") + "\n").collect()
}
