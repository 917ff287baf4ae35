//! The same plans as PostgreSQL 15, but for what is declared in `testdata/ours.txt`.
//!
//! `testdata/postgresql.txt` is what `EXPLAIN (COSTS OFF)` of PostgreSQL 15 says over `schema.sql`
//! without parallel workers, merge joins and indexes.

use std::collections::BTreeMap;

use super::Database;

const SCHEMA: &str = include_str!("../testdata/schema.sql");
const POSTGRESQL: &str = include_str!("../testdata/postgresql.txt");
const OURS: &str = include_str!("../testdata/ours.txt");

/// Blocks of a statement, a line of dashes and its plan.
pub(super) fn blocks(text: &str) -> Vec<(&str, String)> {
    text.split("\n\n")
        .filter_map(|block| block.trim_start_matches('\n').split_once("\n----\n"))
        .map(|(sql, plan)| (sql, plan.trim_end().to_string()))
        .collect()
}

/// The plan without the lines that PostgreSQL has not.
pub(super) fn postgresql_part(plan: &str) -> String {
    let own = ["Scan Keys: ", "Not Pushed: ", "Push-Down: ", "Run Where: "];
    let kept = plan
        .lines()
        .filter(|line| !own.iter().any(|label| line.trim_start().starts_with(label)));
    kept.collect::<Vec<_>>().join("\n")
}

#[test]
fn plans_are_postgresqls_but_for_declared_ones() {
    let mut database = Database::with(SCHEMA);
    database.run("SET quals_push_down = off; SET enable_mergejoin = off");
    let ours: BTreeMap<&str, String> = blocks(OURS).into_iter().collect();
    let mut failures = Vec::new();
    let mut refreshed = String::new();
    for (sql, expected) in blocks(POSTGRESQL) {
        let plan = postgresql_part(&database.shape(sql));
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
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/explain/testdata/ours.txt");
        std::fs::write(file, refreshed).expect("testdata is writable");
        return;
    }
    assert!(
        failures.is_empty(),
        "{} plans differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
