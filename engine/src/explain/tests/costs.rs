//! Costs, rows and widths are PostgreSQL 15's for tables without statistics.

use super::postgresql::{blocks, postgresql_part};
use super::{Database, without_costs};
use crate::bind::ExplainOptions;

const SCHEMA: &str = "
    CREATE TABLE t (i integer, x text, n numeric(10,2), v varchar(20), b boolean);
    CREATE TABLE s (i integer, k integer);
    SET quals_push_down = off;
    SET enable_mergejoin = off;
";

/// `EXPLAIN` of PostgreSQL 15 over the same tables, of the same pages and rows, vacuumed and never analyzed.
const COSTS: &str = include_str!("../testdata/costs.txt");

#[test]
fn costs_rows_and_widths_are_postgresqls() {
    let mut database = Database::with(SCHEMA);
    database.resize("t", 64, 10_000);
    database.resize("s", 5, 1_000);
    let options = ExplainOptions {
        costs: true,
        ..without_costs()
    };
    let mut failures = Vec::new();
    for (sql, expected) in blocks(COSTS) {
        let plan = postgresql_part(&database.explain(sql, &options));
        if plan != expected {
            failures.push(format!(
                "{sql}\n-- expected\n{expected}\n-- planned\n{plan}\n"
            ));
        }
    }
    assert!(
        failures.is_empty(),
        "{} plans differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
