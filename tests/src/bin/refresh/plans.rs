//! Plans as `EXPLAIN (COSTS OFF)` writes them: blocks of a statement, a line of dashes and its plan,
//! over the empty tables of the `schema.sql` beside the file.

use sqllogictest::DB;
use tests::postgres::Postgres;
use tests::{Failure, Output};

/// What the engine has not yet or chooses otherwise; the rest of the planner is compared.
const SETTINGS: &str = "SET enable_mergejoin = off";

/// The same statements with the plans that PostgreSQL makes now.
///
/// # Errors
/// What PostgreSQL says of the schema or of a statement.
pub fn refreshed(text: &str, schema: &str, postgres: &mut Postgres) -> Result<String, Failure> {
    postgres.execute(schema)?;
    postgres.execute(SETTINGS)?;
    let mut out = String::with_capacity(text.len());
    for block in text.split("\n\n") {
        let Some((sql, _)) = block.trim_start_matches('\n').split_once("\n----\n") else {
            continue;
        };
        out.push_str(&format!("{sql}\n----\n"));
        if let Output::Rows { rows, .. } = postgres.run(&format!("EXPLAIN (COSTS OFF) {sql}"))? {
            for line in rows {
                out.push_str(&line.join(" "));
                out.push('\n');
            }
        }
        out.push('\n');
    }
    Ok(out)
}
