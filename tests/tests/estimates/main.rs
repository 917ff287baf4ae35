//! What the planner expects, beside what PostgreSQL 15 expects of the same analyzed tables.
//!
//! `postgresql.txt` is what its `EXPLAIN` says over `schema.sql` with merge joins, Memoize and parallel
//! workers off. The tables are small enough to be sampled whole, so that the statistics are the same
//! and the plans must be: the same nodes, rows and costs to a hundredth. A plan that is known to
//! differ stands in `ours.txt`; the test fails when one no longer does.

use std::collections::BTreeMap;

use tests::database::Database;

const SCHEMA: &str = include_str!("schema.sql");
const POSTGRESQL: &str = include_str!("postgresql.txt");
const OURS: &str = include_str!("ours.txt");

/// Blocks of a statement, a line of dashes and its plan.
fn blocks(text: &str) -> Vec<(&str, String)> {
    text.split("\n\n")
        .filter_map(|block| block.trim_start_matches('\n').split_once("\n----\n"))
        .map(|(sql, plan)| (sql, plan.trim_end().to_string()))
        .collect()
}

#[test]
fn estimates_are_postgresqls_but_for_declared_ones() {
    let mut database = Database::new();
    database.execute(SCHEMA);
    database.execute("SET quals_push_down = off; SET enable_mergejoin = off;");
    let ours: BTreeMap<&str, String> = blocks(OURS).into_iter().collect();
    let mut failures = Vec::new();
    let mut refreshed = String::new();
    for (sql, expected) in blocks(POSTGRESQL) {
        let own = ["Not Pushed: ", "Push-Down: "];
        let rows = database.query(&format!("EXPLAIN {sql}")).rows;
        let lines = rows.into_iter().flatten().flatten();
        let kept =
            lines.filter(|line| !own.iter().any(|label| line.trim_start().starts_with(label)));
        let plan = kept.collect::<Vec<_>>().join("\n");
        if plan != expected {
            refreshed.push_str(&format!("{sql}\n----\n{plan}\n\n"));
        }
        match ours.get(sql) {
            Some(_) if plan == expected => failures.push(format!("no longer differs: {sql}")),
            Some(declared) if *declared == plan => {}
            None if plan == expected => {}
            declared => {
                let wanted = declared.unwrap_or(&expected);
                failures.push(format!(
                    "{sql}\n-- expected\n{wanted}\n-- planned\n{plan}\n"
                ));
            }
        }
    }
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/estimates/ours.txt");
        std::fs::write(file, refreshed).expect("the folder is writable");
        return;
    }
    assert!(
        failures.is_empty(),
        "{} plans differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
