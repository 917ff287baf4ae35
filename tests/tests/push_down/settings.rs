//! The settings and the table option that decide whether conditions are handed over.

use super::table::{ROWS, pushed_with, stays, stays_in, table};

#[test]
fn reloption_on_wins_over_the_setting() {
    let mut database = table("WITH (quals_push_down = on)");
    database.session.set("quals_push_down", "off").unwrap();
    let outcome = database.query("SELECT count(*) FROM t WHERE i = 5");
    assert_eq!(
        (
            outcome.scan().removed_by_keys(),
            outcome.scan().removed_by_filter()
        ),
        (ROWS - 1, 0)
    );
    let lines = database.explain("SELECT count(*) FROM t WHERE i = 5");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("Push-Down: on by the table's option")),
        "{lines:?}"
    );
}

#[test]
fn reloption_off_wins_over_the_setting() {
    let mut database = table("WITH (quals_push_down = off)");
    let outcome = database.query("SELECT count(*) FROM t WHERE i = 5");
    assert_eq!(
        (
            outcome.scan().removed_by_keys(),
            outcome.scan().removed_by_filter()
        ),
        (0, ROWS - 1)
    );
    let lines = database.explain("SELECT count(*) FROM t WHERE i = 5");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("Push-Down: off by the table's option")),
        "{lines:?}"
    );
}

#[test]
fn alter_table_sets_and_resets_the_reloption() {
    let mut database = table("");
    for (change, by_keys) in [
        ("ALTER TABLE t SET (quals_push_down = off)", 0),
        ("ALTER TABLE t SET (quals_push_down = on)", ROWS - 1),
        ("ALTER TABLE t SET (quals_push_down = off)", 0),
        ("ALTER TABLE t RESET (quals_push_down)", ROWS - 1),
    ] {
        database.execute(change);
        let outcome = database.query("SELECT count(*) FROM t WHERE i = 5");
        assert_eq!(outcome.scan().removed_by_keys(), by_keys, "{change}");
    }
}

#[test]
fn the_setting_decides_for_a_table_without_the_reloption() {
    let mut database = table("");
    database.session.set("quals_push_down", "off").unwrap();
    let outcome = database.query("SELECT count(*) FROM t WHERE i = 5");
    assert_eq!(
        (
            outcome.scan().removed_by_keys(),
            outcome.scan().removed_by_filter()
        ),
        (0, ROWS - 1)
    );
    stays_in(
        &mut database,
        "i = 5",
        "(i = 5) [push-down is off for this table]",
    );
}

#[test]
fn recheck_auto_drops_exact_conditions_and_always_evaluates_them_again() {
    let mut database = table("");
    let auto = database.query("SELECT count(*) FROM t WHERE i >= 2");
    assert_eq!(auto.scan().qual_evaluations(), 0);
    assert_eq!(auto.scan().report.facts.rows_rechecked, 0);
    database.session.set("quals_recheck", "always").unwrap();
    let always = database.query("SELECT count(*) FROM t WHERE i >= 2");
    assert_eq!(always.scan().qual_evaluations(), ROWS - 1);
    assert_eq!(always.scan().report.facts.rows_rechecked, ROWS - 1);
    assert_eq!(always.scan().key_evaluations(), ROWS);
}

#[test]
fn require_leakproof_off_lets_numeric_comparisons_through() {
    stays("n > 50.5", "(n > 50.5) [numeric_gt is not leakproof]");
    pushed_with(
        &[("quals_require_leakproof", "off")],
        "n > 50.5",
        "(n > 50.5) [exact]",
    );
}
