//! All 22 queries of TPC-H at scale factor 0.01 under both drivers, tuple by tuple and in batches, with
//! the planner's own plans and with mail 4's settings, against PostgreSQL's answers.

use tests::database::Database;
use tests::{shown, tpch};

const CONFIGURATIONS: &[&[(&str, &str)]] = &[
    &[("executor", "push"), ("batch_rows", "1024")],
    &[("executor", "pull"), ("batch_rows", "1024")],
    &[("executor", "push"), ("batch_rows", "1")],
    &[("executor", "pull"), ("batch_rows", "1")],
];

/// What is set before the queries.
const PLANNERS: &[(&str, &str)] = &[
    ("the planner's own plans", ""),
    (
        "mail 4's settings",
        "set work_mem to '8GB';
         set max_parallel_workers_per_gather to 0;
         set enable_indexscan TO off;
         set enable_indexonlyscan TO off;
         set enable_material TO off;
         set enable_bitmapscan TO off;
         set enable_nestloop TO off;
         set enable_sort TO off;",
    ),
];

/// Queries that do not run yet, and what they say. One that runs makes the test fail, so that it is
/// taken out of here.
const NOT_YET: &[(u32, &str)] = &[];

fn check(configuration: &'static [(&'static str, &'static str)]) {
    let mut database = Database::with_settings(configuration);
    for name in ["schema.sql", "data.sql"] {
        let script = std::fs::read_to_string(tpch::folder().join(name)).expect("a script");
        database.execute(&script);
    }
    database.execute("ANALYZE");
    // Making the tables takes longer than the queries, so that they are made once for all plans.
    let mut wrong = Vec::new();
    for (name, settings) in PLANNERS {
        database.execute(settings);
        wrong.extend(
            wrong_answers(&mut database)
                .into_iter()
                .map(|text| format!("with {name}, {text}")),
        );
    }
    assert!(wrong.is_empty(), "{configuration:?}\n{}", wrong.join("\n"));
}

/// The queries that do not answer as they should, and what they answer.
fn wrong_answers(database: &mut Database) -> Vec<String> {
    let mut wrong = Vec::new();
    for number in tpch::QUERIES {
        let query = tpch::query(number).expect("a query");
        let expected = match NOT_YET.iter().find(|(known, _)| *known == number) {
            Some((_, error)) => error.to_string(),
            None => std::fs::read_to_string(tpch::answer_file(number)).expect("an answer"),
        };
        let found = answer(database, &query);
        if found != expected {
            let first = |text: &str| text.lines().take(5).collect::<Vec<_>>().join("\n");
            wrong.push(format!(
                "q{number:02}: {}\nexpected: {}",
                first(&found),
                first(&expected)
            ));
        }
    }
    wrong
}

/// The rows, or the error.
fn answer(database: &mut Database, query: &str) -> String {
    let outcome = database.run(query).pop().expect("a statement");
    match outcome.finished.error {
        Some(error) => error.to_string(),
        None => tpch::text(outcome.rows.iter().map(|row| {
            row.iter()
                .map(|value| shown(value.as_deref()))
                .collect::<Vec<_>>()
        })),
    }
}

#[test]
fn in_batches_by_push() {
    check(CONFIGURATIONS[0]);
}

#[test]
fn in_batches_by_pull() {
    check(CONFIGURATIONS[1]);
}

#[test]
fn tuple_by_tuple_by_push() {
    check(CONFIGURATIONS[2]);
}

#[test]
fn tuple_by_tuple_by_pull() {
    check(CONFIGURATIONS[3]);
}
