//! Qual push-down (mail 1), row by row: settings, what is pushed, what stays and why, the rules at the
//! edges, EXPLAIN's words and the counter laws. Each test has the name of what it shows.

use tests::database::Database;

const ROWS: u64 = 1000;

/// `i` 1 … 1000, `b` its billions, `s` a short, `n` numeric, `f`/`g` floats, `t` text, `d` date, `x` NULL
/// in every third row, `o` boolean.
fn table(options: &str) -> Database {
    Database::after(&format!(
        "CREATE TABLE t (i int, b bigint, s smallint, n numeric, f float8, g float4, t text, v varchar(20),
                         d date, x int, o boolean) {options};
         INSERT INTO t SELECT i, i * 1000000000::bigint, (i % 100)::smallint, i / 10.0, i / 4.0, i / 2.0,
                'k' || i % 50, 'v' || i % 20, '2024-01-01'::date + i,
                CASE WHEN i % 3 = 0 THEN NULL ELSE i END, i % 2 = 0
           FROM generate_series(1, 1000) i;
         VACUUM t;"
    ))
}

/// The condition is handed over and the lines say so.
fn pushed(condition: &str, key: &str) {
    pushed_with(&[], condition, key);
}

fn pushed_with(settings: &[(&str, &str)], condition: &str, key: &str) {
    let mut database = table("");
    for (name, value) in settings {
        database.session.set(name, value).unwrap();
    }
    let lines = database.explain(&format!("SELECT * FROM t WHERE {condition}"));
    let expected = format!("  Scan Keys: {key}");
    assert!(
        lines.contains(&expected),
        "{condition}: no `{expected}` in\n{}",
        lines.join("\n")
    );
    same_rows_without(&mut database, condition);
}

/// The condition stays in the filter, with this reason.
fn stays(condition: &str, line: &str) {
    let mut database = table("");
    stays_in(&mut database, condition, line);
}

fn stays_in(database: &mut Database, condition: &str, line: &str) {
    let lines = database.explain(&format!("SELECT * FROM t WHERE {condition}"));
    let expected = format!("  Not Pushed: {line}");
    assert!(
        lines.contains(&expected),
        "{condition}: no `{expected}` in\n{}",
        lines.join("\n")
    );
    assert!(
        !lines.iter().any(|line| line.contains("Scan Keys")),
        "{}",
        lines.join("\n")
    );
    assert!(
        lines.iter().any(|line| line.starts_with("  Filter: ")),
        "{}",
        lines.join("\n")
    );
}

/// The same rows come without push-down and with every key checked again.
fn same_rows_without(database: &mut Database, condition: &str) {
    let sql = format!("SELECT i FROM t WHERE {condition} ORDER BY i");
    let with = database.query(&sql).rows;
    for (name, value) in [("quals_push_down", "off"), ("quals_recheck", "always")] {
        let before = database.session.settings().show(name).unwrap();
        database.session.set(name, value).unwrap();
        assert_eq!(
            database.query(&sql).rows,
            with,
            "{condition} with {name} = {value}"
        );
        database.session.set(name, &before).unwrap();
    }
}

// ---- settings

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

// ---- what is pushed

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

// ---- what stays, and why

#[test]
fn a_user_defined_operator_stays() {
    let mut database = table("");
    database.execute(
        "CREATE FUNCTION above(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT AS 'SELECT coalesce($1 > $2, false)';
         CREATE OPERATOR === (FUNCTION = above, LEFTARG = int, RIGHTARG = int);",
    );
    stays_in(
        &mut database,
        "i === 500",
        "(i === 500) [=== is user-defined]",
    );
}

#[test]
fn an_operator_over_an_inlined_function_becomes_what_it_inlines_to() {
    let mut database = table("");
    database.execute(
        "CREATE FUNCTION over(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 > $2';
         CREATE OPERATOR === (FUNCTION = over, LEFTARG = int, RIGHTARG = int);",
    );
    let lines = database.explain("SELECT * FROM t WHERE i === 500");
    assert!(
        lines.contains(&"  Scan Keys: (i > 500) [exact]".to_string()),
        "{lines:?}"
    );
}

#[test]
fn a_function_that_is_not_leakproof_stays() {
    stays(
        "t LIKE 'k1%'",
        "(t ~~ 'k1%'::text) [textlike is not leakproof]",
    );
    stays("n = 1.5", "(n = 1.5) [numeric_eq is not leakproof]");
    stays(
        "d < '2024-02-01'::timestamp",
        "(d < '2024-02-01 00:00:00'::timestamp without time zone) [date_lt_timestamp is not leakproof]",
    );
}

#[test]
fn a_volatile_value_stays() {
    stays("f > random()", "(f > random()) [volatile]");
}

#[test]
fn an_expression_on_the_column_side_stays() {
    stays("i + 1 = 5", "((i + 1) = 5) [expression on the column side]");
}

#[test]
fn a_correlated_sub_select_stays() {
    let mut database = table("");
    let lines =
        database.explain("SELECT * FROM t WHERE i = (SELECT max(u.i) FROM t u WHERE u.s = t.s)");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("[correlated sub-select]")),
        "{}",
        lines.join("\n")
    );
}

#[test]
fn push_down_off_for_this_table_is_a_reason() {
    let mut database = table("WITH (quals_push_down = off)");
    stays_in(
        &mut database,
        "i = 5",
        "(i = 5) [push-down is off for this table]",
    );
}

#[test]
fn a_type_the_access_method_cannot_test_stays() {
    let mut database =
        Database::after("CREATE TABLE t (a int[]); INSERT INTO t VALUES ('{1}'), ('{2,3}');");
    database
        .session
        .set("quals_require_leakproof", "off")
        .unwrap();
    let lines = database.explain("SELECT * FROM t WHERE a = '{1}'");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("is not supported by heap]")),
        "{}",
        lines.join("\n")
    );
}

// ---- the rules at the edges

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
    assert_eq!(
        (
            outcome.scan().pages_read(),
            outcome.scan().key_evaluations()
        ),
        (1, 0)
    );
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
    let mut database = Database::after(
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
    let mut database = Database::after(
        "CREATE TABLE e (i int); CREATE TABLE t (i int); INSERT INTO t VALUES (1);",
    );
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

// ---- counter laws

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

// ---- security

#[test]
fn a_leaky_function_never_sees_a_row_that_a_barrier_view_hides() {
    for leakproof_rule in ["on", "off"] {
        let mut database = Database::after(
            "CREATE TABLE t (i int, secret numeric);
             INSERT INTO t VALUES (1, 0), (2, 5), (3, 0);
             CREATE VIEW v WITH (security_barrier) AS SELECT * FROM t WHERE i = 2;
             CREATE VIEW open AS SELECT * FROM t WHERE i = 2;",
        );
        database
            .session
            .set("quals_require_leakproof", leakproof_rule)
            .unwrap();
        // The division fails on a hidden row: an error would tell that it is there.
        assert_eq!(database.value("SELECT i FROM v WHERE 10 / secret > 1"), "2");
        assert_eq!(
            database.value("SELECT count(*) FROM v WHERE secret > 1 AND 10 / secret > 1"),
            "1"
        );
    }
}

#[test]
fn pages_read_grow_only_as_needed() {
    let mut database = Database::after(
        "CREATE TABLE t (i int); INSERT INTO t SELECT generate_series(1, 100000); VACUUM t;",
    );
    for (executor, batch_rows) in [
        ("pull", "1"),
        ("push", "1"),
        ("pull", "1024"),
        ("push", "1024"),
    ] {
        database.session.set("executor", executor).unwrap();
        database.session.set("batch_rows", batch_rows).unwrap();
        let outcome = database.query("SELECT i FROM t WHERE i > 5 LIMIT 3");
        assert_eq!(outcome.scan().pages_read(), 1, "{executor} {batch_rows}");
    }
}
