//! Shared pieces of the cross-crate tests: two databases behind one face, so that the same
//! `tests/sql/*.slt` can be answered by PostgreSQL (which writes the expected answers) and by the
//! engine (which is held to them).

pub mod database;
pub mod engine;
mod letter;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod tpch;

pub use letter::Letter;

/// One statement's outcome.
pub type Output = sqllogictest::DBOutput<Letter>;

/// A failed statement, shown as `22012: division by zero`.
#[derive(Clone, Debug)]
pub struct Failure {
    pub sqlstate: String,
    pub message: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.sqlstate, self.message)
    }
}

impl std::error::Error for Failure {}

/// How a value stands in an expected answer: NULL by name, the empty string visible, lines kept apart.
pub fn shown(value: Option<&str>) -> String {
    match value {
        None => "NULL".to_string(),
        Some("") => "(empty)".to_string(),
        Some(text) => text.replace('\n', "\\n"),
    }
}
