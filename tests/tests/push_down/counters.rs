//! The laws of the counters.

use super::table::{ROWS, table};
use tests::database::Database;

const LAW_CONDITIONS: &[&str] = &[
    "i = 5",
    "i >= 2",
    "i > 10 AND s = 7",
    "i > 10 AND n > 50.5",
    "n > 50.5",
    "x IS NULL AND t LIKE 'k1%'",
    "i IN (1, 2, 3) OR s = 5",
    "i + 1 > 500",
];

#[test]
fn returned_and_removed_add_up_to_visible() {
    for settings in [
        &[("quals_push_down", "on")][..],
        &[("quals_push_down", "off")],
        &[("quals_recheck", "always")],
        &[("quals_require_leakproof", "off")],
        &[("executor", "pull"), ("batch_rows", "1")],
        &[("executor", "push"), ("batch_rows", "7")],
    ] {
        let mut database = table("");
        for (name, value) in settings {
            database.session.set(name, value).unwrap();
        }
        for condition in LAW_CONDITIONS {
            let outcome = database.query(&format!("SELECT i FROM t WHERE {condition}"));
            let scan = outcome.scan();
            assert_eq!(
                scan.returned() + scan.removed_by_keys() + scan.removed_by_filter(),
                scan.visible(),
                "{condition} under {settings:?}"
            );
            assert_eq!(scan.visible(), ROWS);
        }
    }
}

#[test]
fn an_exact_keys_condition_is_never_evaluated_again() {
    let mut database = table("");
    for condition in [
        "i = 5",
        "i >= 2",
        "i > 10 AND s = 7",
        "i IN (1, 2, 3) OR s = 5",
    ] {
        let outcome = database.query(&format!("SELECT i FROM t WHERE {condition}"));
        assert_eq!(outcome.scan().qual_evaluations(), 0, "{condition}");
    }
}

#[test]
fn recheck_always_evaluates_what_passed_the_keys() {
    let mut database = table("");
    database.session.set("quals_recheck", "always").unwrap();
    for condition in ["i = 5", "i >= 2", "x IS NULL"] {
        let outcome = database.query(&format!("SELECT i FROM t WHERE {condition}"));
        let scan = outcome.scan();
        assert_eq!(
            scan.qual_evaluations(),
            scan.visible() - scan.removed_by_keys(),
            "{condition}"
        );
    }
}

#[test]
fn counters_are_the_same_under_every_driver_and_batch_size() {
    let mut pinned = None;
    for executor in ["push", "pull"] {
        for batch_rows in ["1", "7", "64", "1024"] {
            let mut database = table("");
            database.session.set("executor", executor).unwrap();
            database.session.set("batch_rows", batch_rows).unwrap();
            let counters: Vec<_> = LAW_CONDITIONS
                .iter()
                .map(|condition| {
                    let outcome = database.query(&format!("SELECT i FROM t WHERE {condition}"));
                    let scan = outcome.scan();
                    (
                        scan.returned(),
                        scan.removed_by_keys(),
                        scan.removed_by_filter(),
                        scan.key_evaluations(),
                        scan.qual_evaluations(),
                        scan.pages_read(),
                    )
                })
                .collect();
            assert_eq!(
                *pinned.get_or_insert_with(|| counters.clone()),
                counters,
                "{executor} {batch_rows}"
            );
        }
    }
}

#[test]
fn condition_counts_partition_the_table() {
    let mut database = table("");
    for condition in LAW_CONDITIONS
        .iter()
        .chain(&["x > 500", "x IN (1, NULL)", "o"])
    {
        let count = |database: &mut Database, test: &str| -> u64 {
            database
                .value(&format!("SELECT count(*) FROM t WHERE {test}"))
                .parse()
                .unwrap()
        };
        let is_true = count(&mut database, condition);
        let is_false = count(&mut database, &format!("NOT ({condition})"));
        let is_null = count(&mut database, &format!("({condition}) IS NULL"));
        assert_eq!(is_true + is_false + is_null, ROWS, "{condition}");
        let summed = database.value(&format!("SELECT sum(({condition})::int) FROM t"));
        assert_eq!(summed, is_true.to_string(), "{condition}");
    }
}
