//! The forms of conditions that become scan keys.

use super::table::{ROWS, pushed, same_rows_without, table};

#[test]
fn column_operator_constant() {
    pushed("i = 500", "(i = 500) [exact]");
    pushed("i <> 500", "(i <> 500) [exact]");
    pushed("t >= 'k3'", "(t >= 'k3'::text) [exact]");
    pushed("d < '2024-03-01'", "(d < '2024-03-01'::date) [exact]");
}

#[test]
fn constant_operator_column_is_commuted() {
    pushed("500 > i", "(500 > i) [exact]");
}

#[test]
fn cross_type_operators_within_a_family() {
    pushed("i = 500::bigint", "(i = '500'::bigint) [exact]");
    pushed("b > 7", "(b > 7) [exact]");
    pushed("g < 0.1::float8", "(g < '0.1'::double precision) [exact]");
}

#[test]
fn any_and_all_over_arrays_and_so_in_and_not_in() {
    pushed("i IN (1, 2, 3)", "(i = ANY ('{1,2,3}'::integer[])) [exact]");
    pushed(
        "i NOT IN (1, 2, 3)",
        "(i <> ALL ('{1,2,3}'::integer[])) [exact]",
    );
    pushed(
        "i > ALL ('{5,990}')",
        "(i > ALL ('{5,990}'::integer[])) [exact]",
    );
    pushed(
        "i < ANY ('{5,9}')",
        "(i < ANY ('{5,9}'::integer[])) [exact]",
    );
}

#[test]
fn null_tests() {
    pushed("x IS NULL", "(x IS NULL) [exact]");
    pushed("x IS NOT NULL", "(x IS NOT NULL) [exact]");
}

#[test]
fn relabels_on_the_column_side_are_stripped() {
    pushed("v = 'v3'", "((v)::text = 'v3'::text) [exact]");
}

#[test]
fn stable_functions_and_init_plans_as_values() {
    pushed("d < current_date", "(d < CURRENT_DATE) [exact]");
    pushed("i = (SELECT max(s) FROM t)", "(i = $0) [exact]");
}

#[test]
fn several_conditions_become_several_keys() {
    // The cheapest first, as in PostgreSQL's order_qual_clauses.
    pushed(
        "i > 10 AND s = 7 AND x IS NOT NULL",
        "(x IS NOT NULL) [exact], (i > 10) [exact], (s = 7) [exact]",
    );
}

#[test]
fn row_comparison() {
    pushed("(s, i) < (3, 50)", "(ROW(s, i) < ROW(3, 50)) [exact]");
}

#[test]
fn boolean_column_and_boolean_tests() {
    pushed("o", "o [exact]");
    pushed("NOT o", "(NOT o) [exact]");
    pushed("o IS NOT TRUE", "(o IS NOT TRUE) [exact]");
    pushed("o IS UNKNOWN", "(o IS UNKNOWN) [exact]");
}

#[test]
fn an_or_of_pushable_terms_is_one_key_group() {
    pushed(
        "i = 3 OR (s = 7 AND x IS NULL)",
        "((i = 3) OR ((s = 7) AND (x IS NULL))) [exact]",
    );
}

#[test]
fn like_with_a_fixed_prefix_is_an_inexact_key() {
    let mut database = table("");
    database
        .session
        .set("quals_require_leakproof", "off")
        .unwrap();
    let lines = database.explain("SELECT * FROM t WHERE t LIKE 'k4%7'");
    assert!(
        lines.contains(&"  Filter: (t ~~ 'k4%7'::text)".to_string()),
        "{lines:?}"
    );
    assert!(
        lines.iter().any(|line| line.contains("[inexact]")),
        "{lines:?}"
    );
    let outcome = database.query("SELECT i FROM t WHERE t LIKE 'k4%7'");
    assert!(outcome.scan().removed_by_keys() > 0 && outcome.scan().removed_by_filter() > 0);
    same_rows_without(&mut database, "t LIKE 'k4%7'");
}

#[test]
fn update_and_delete_push_down_too() {
    let mut database = table("");
    let outcome = database.query("UPDATE t SET s = 0 WHERE i = 5");
    assert_eq!(
        (outcome.scan().removed_by_keys(), outcome.finished.rows),
        (ROWS - 1, 1)
    );
    let outcome = database.query("DELETE FROM t WHERE i > 990");
    assert_eq!(
        (outcome.scan().removed_by_keys(), outcome.finished.rows),
        (990, 10)
    );
}
