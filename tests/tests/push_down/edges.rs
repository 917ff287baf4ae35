//! The rules at the edges: NULLs, arrays, ranges, floats, laziness, rescans, visibility.

use super::FIRST_PAGES;
use super::table::{ROWS, database, same_rows_without, table};

#[test]
fn a_constant_null_reads_no_page() {
    let mut database = table("");
    let outcome = database.query("SELECT count(*) FROM t WHERE i = NULL");
    assert_eq!(outcome.rows, [[Some("0".to_string())]]);
    let lines = database.explain("SELECT count(*) FROM t WHERE i = NULL");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("One-Time Filter: false")),
        "{lines:?}"
    );
}

#[test]
fn a_run_time_null_ends_the_scan_at_the_first_visible_tuple() {
    let mut database = table("");
    let outcome = database.query("SELECT count(*) FROM t WHERE i = (SELECT NULL::int)");
    assert_eq!(outcome.rows, [[Some("0".to_string())]]);
    assert!(outcome.scan().pages_read() <= FIRST_PAGES);
    assert_eq!(outcome.scan().key_evaluations(), 0);
}

#[test]
fn a_null_column_makes_every_key_false_but_is_null_and_all_of_nothing() {
    let mut database = table("");
    for (condition, rows) in [
        ("x = 1", 1),
        ("x <> 1", 666),
        ("x IS NULL", 333),
        ("x <> ALL ('{}')", 1000),
        ("x = ALL ('{}')", 1000),
        ("x = ANY ('{}')", 0),
        ("x NOT IN (1, 2)", 665),
        ("x NOT IN (1, NULL)", 0),
        ("x IN (1, NULL)", 1),
        ("x = ANY (NULL)", 0),
        ("x <> ALL (NULL::int[])", 0),
    ] {
        let count = database.value(&format!("SELECT count(*) FROM t WHERE {condition}"));
        assert_eq!(count, rows.to_string(), "{condition}");
        same_rows_without(&mut database, condition);
    }
}

#[test]
fn arrays_of_nine_elements_are_hashed_and_answer_alike() {
    let mut database = table("");
    for n in [8, 9, 1000] {
        let list: Vec<String> = (1..=n).map(|i| i.to_string()).collect();
        let list = list.join(",");
        for (operator, rows) in [("IN", n), ("NOT IN", 1000 - n)] {
            let condition = format!("i {operator} ({list})");
            assert_eq!(
                database.value(&format!("SELECT count(*) FROM t WHERE {condition}")),
                rows.to_string()
            );
            same_rows_without(&mut database, &condition);
        }
        let outcome = database.query(&format!("SELECT count(*) FROM t WHERE i IN ({list})"));
        assert_eq!(
            outcome.scan().key_evaluations(),
            ROWS,
            "one key test a tuple"
        );
    }
}

#[test]
fn a_bigint_out_of_an_integer_columns_range_never_wraps() {
    let mut database = table("");
    for (condition, rows) in [
        ("x < 3000000000", 667),
        ("x <> 3000000000", 667),
        ("x > 3000000000", 0),
        ("x = 3000000000", 0),
        ("x > -3000000000", 667),
        ("x <= -3000000000", 0),
        ("s < 100000", 1000),
        ("s = 65536", 0),
    ] {
        assert_eq!(
            database.value(&format!("SELECT count(*) FROM t WHERE {condition}")),
            rows.to_string(),
            "{condition}"
        );
        same_rows_without(&mut database, condition);
    }
}

#[test]
fn floats_compare_nan_greatest_and_zeros_equal() {
    let mut database = database(
        "CREATE TABLE t (i int, f float8, g float4);
         INSERT INTO t VALUES (1, 'NaN', 'NaN'), (2, 0, '-0'), (3, '-0', 0), (4, 'Infinity', 1), (5, NULL, NULL);",
    );
    for (condition, rows) in [
        ("f = 'NaN'", 1),
        ("f > 'Infinity'", 1),
        ("f < 'NaN'", 3),
        ("f = 0", 2),
        ("g = '-0'", 2),
        ("g >= 1::float8", 2),
        ("f IN (0, 'NaN')", 3),
    ] {
        assert_eq!(
            database.value(&format!("SELECT count(*) FROM t WHERE {condition}")),
            rows.to_string(),
            "{condition}"
        );
        same_rows_without(&mut database, condition);
    }
}

#[test]
fn an_error_in_a_key_value_is_not_raised_on_an_empty_table() {
    let mut database =
        database("CREATE TABLE e (i int); CREATE TABLE t (i int); INSERT INTO t VALUES (1);");
    let failing = "WHERE i = (SELECT 1 / (i - 1) FROM t)";
    assert_eq!(
        database.value(&format!("SELECT count(*) FROM e {failing}")),
        "0"
    );
    assert_eq!(
        database
            .error(&format!("SELECT count(*) FROM t {failing}"))
            .sqlstate,
        "22012"
    );
    database.execute("INSERT INTO e VALUES (1); DELETE FROM e;");
    assert_eq!(
        database.value(&format!("SELECT count(*) FROM e {failing}")),
        "0",
        "no visible tuple"
    );
}

#[test]
fn key_values_are_computed_once_a_scan() {
    let mut database = table("");
    let outcome =
        database.query("SELECT count(*) FROM t WHERE i > (SELECT count(*) FROM t u WHERE u.s = 1)");
    let executed = outcome.finished.executed.as_ref().unwrap();
    let init_plan = &executed.plan.subplans[0].root;
    assert_eq!(executed.report.nodes[init_plan.id].counters.loops, 1);
}

#[test]
fn a_rescan_computes_its_key_values_anew() {
    let mut database = table("");
    let sql = "SELECT v.x, (SELECT count(*) FROM t WHERE i = ANY (v.a)) FROM (VALUES (1, '{1,2,3}'::int[]), (2, '{}'), (3, NULL), (4, '{7}')) v(x, a) ORDER BY 1";
    let rows = database.query(sql).rows;
    let counts: Vec<_> = rows.iter().map(|row| row[1].clone().unwrap()).collect();
    assert_eq!(counts, ["3", "0", "0", "1"]);
}

#[test]
fn keys_run_after_visibility() {
    let mut database = table("");
    database.execute("DELETE FROM t WHERE i > 900;");
    let outcome = database.query("SELECT count(*) FROM t WHERE i = 950");
    assert_eq!(outcome.scan().visible(), 900);
    assert_eq!(outcome.scan().key_evaluations(), 900);
    assert_eq!(outcome.scan().removed_by_keys(), 900);
}
