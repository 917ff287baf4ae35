//! Which conditions become ScanKeys, and why the others do not: each form and each reason of mail 1.

use super::Database;

const SCHEMA: &str = "
    CREATE TABLE t (i integer, j bigint, x text, v varchar(20), n numeric, f double precision, r real,
                    b boolean, d date, ts timestamp, s smallint, a integer[]);
    CREATE TABLE u (k integer, y text);
    CREATE FUNCTION strict_equal(integer, integer) RETURNS boolean LANGUAGE sql STRICT IMMUTABLE
        AS 'SELECT COALESCE($1, 0) = $2';
    CREATE OPERATOR === (FUNCTION = strict_equal, LEFTARG = integer, RIGHTARG = integer);
    CREATE FUNCTION greater(integer, integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 > $2';
    CREATE OPERATOR >>> (FUNCTION = greater, LEFTARG = integer, RIGHTARG = integer);
";

/// The properties of the scan of `SELECT x FROM t WHERE condition`, under settings.
fn scan(settings: &str, condition: &str) -> Vec<String> {
    let mut database = Database::with(SCHEMA);
    database.run(settings);
    let plan = database.shape(&format!("SELECT x FROM t WHERE {condition}"));
    let (_, properties) = plan.split_once("Seq Scan on t").unwrap_or(("", &plan));
    properties
        .lines()
        .map(|line| line.trim().to_string())
        .filter(|line| !line.is_empty())
        .collect()
}

#[track_caller]
fn check_pushed(condition: &str, key: &str) {
    assert_eq!(
        scan("", condition),
        [format!("Scan Keys: {key}")],
        "{condition}"
    );
}

#[track_caller]
fn check_kept(condition: &str, qual: &str, reason: &str) {
    check_kept_under("", condition, qual, reason);
}

#[track_caller]
fn check_kept_under(settings: &str, condition: &str, qual: &str, reason: &str) {
    let expected = [
        format!("Filter: {qual}"),
        format!("Not Pushed: {qual} [{reason}]"),
    ];
    assert_eq!(scan(settings, condition), expected, "{condition}");
}

// What is pushed.

#[test]
fn column_operator_constant() {
    check_pushed("i = 50000", "(i = 50000) [exact]");
    check_pushed("i >= 2", "(i >= 2) [exact]");
    check_pushed("x <> 'abc'", "(x <> 'abc'::text) [exact]");
    check_pushed("d < '2020-01-01'", "(d < '2020-01-01'::date) [exact]");
    check_pushed("i > 1 AND i < 5", "(i > 1) [exact], (i < 5) [exact]");
}

#[test]
fn constant_operator_column_goes_by_the_commutator() {
    check_pushed("5 = i", "(5 = i) [exact]");
    check_pushed("5 < i", "(5 < i) [exact]");
}

#[test]
fn a_commutator_must_pass_the_same_checks() {
    let mut database = Database::with(SCHEMA);
    database.run(
        "CREATE FUNCTION less(integer, integer) RETURNS boolean LANGUAGE sql STRICT IMMUTABLE
             AS 'SELECT COALESCE($1, 0) < $2';
         CREATE OPERATOR <<< (FUNCTION = less, LEFTARG = integer, RIGHTARG = integer, COMMUTATOR = ===)",
    );
    let plan = database.shape("SELECT x FROM t WHERE 5 <<< i");
    assert!(plan.contains("[<<< is user-defined]"), "{plan}");
}

#[test]
fn array_conditions_in_and_not_in() {
    check_pushed("i IN (1, 2, 3)", "(i = ANY ('{1,2,3}'::integer[])) [exact]");
    check_pushed(
        "i NOT IN (1, 2, 3)",
        "(i <> ALL ('{1,2,3}'::integer[])) [exact]",
    );
    check_pushed(
        "i > ALL (ARRAY[1, NULL])",
        "(i > ALL ('{1,NULL}'::integer[])) [exact]",
    );
    check_pushed("x = ANY ('{}')", "(x = ANY ('{}'::text[])) [exact]");
}

#[test]
fn null_tests() {
    check_pushed("i IS NULL", "(i IS NULL) [exact]");
    check_pushed("n IS NOT NULL", "(n IS NOT NULL) [exact]");
    check_pushed("a IS NULL", "(a IS NULL) [exact]");
}

#[test]
fn relabeled_columns() {
    check_pushed("v = 'abc'", "((v)::text = 'abc'::text) [exact]");
    check_pushed(
        "v IN ('a', 'b')",
        "((v)::text = ANY ('{a,b}'::text[])) [exact]",
    );
}

#[test]
fn operators_across_the_integer_and_the_float_types() {
    check_pushed("i = 5000000000", "(i = '5000000000'::bigint) [exact]");
    check_pushed("j = 5", "(j = 5) [exact]");
    check_pushed("s < 70000", "(s < 70000) [exact]");
    check_pushed("r = 1.5::float8", "(r = '1.5'::double precision) [exact]");
}

#[test]
fn values_are_functions_and_parameters_too() {
    check_pushed("i = 1 + 1", "(i = 2) [exact]");
    check_pushed(
        "x = current_setting('executor')",
        "(x = current_setting('executor'::text)) [exact]",
    );
    check_pushed("j = (1 + 1)::bigint", "(j = '2'::bigint) [exact]");
}

#[test]
fn an_uncorrelated_sub_select_is_an_init_plan() {
    let plan = Database::with(SCHEMA).shape("SELECT x FROM t WHERE i = (SELECT max(k) FROM u)");
    assert!(plan.contains("Scan Keys: (i = $0) [exact]"), "{plan}");
    let plan = Database::with(SCHEMA).shape("SELECT x FROM t WHERE i NOT IN (SELECT k FROM u)");
    assert!(
        plan.contains("Scan Keys: (i <> ALL ($0)) [exact]"),
        "{plan}"
    );
}

#[test]
fn row_comparisons() {
    check_pushed("(i, j) < (1, 2)", "(ROW(i, j) < ROW(1, 2)) [exact]");
    check_pushed("(1, 2) < (i, j)", "(ROW(1, 2) < ROW(i, j)) [exact]");
}

#[test]
fn boolean_columns_and_boolean_tests() {
    check_pushed("b", "b [exact]");
    check_pushed("NOT b", "(NOT b) [exact]");
    check_pushed("b = false", "(NOT b) [exact]");
    check_pushed("b IS NOT TRUE", "(b IS NOT TRUE) [exact]");
    check_pushed("b IS UNKNOWN", "(b IS UNKNOWN) [exact]");
}

#[test]
fn an_or_of_pushable_terms_is_one_group() {
    check_pushed("i = 1 OR x IS NULL", "((i = 1) OR (x IS NULL)) [exact]");
    check_pushed(
        "(i = 1 AND j = 2) OR (i = 2 AND j > 7)",
        "(((i = 1) AND (j = 2)) OR ((i = 2) AND (j > 7))) [exact]",
    );
    check_kept(
        "i = 1 OR n > 1.5",
        "((i = 1) OR (n > 1.5))",
        "numeric_gt is not leakproof",
    );
}

#[test]
fn like_is_an_inexact_prefix_key_where_leaks_are_allowed() {
    let off = "SET quals_require_leakproof = off";
    let keys = "Scan Keys: (x ~~ 'abc%'::text) [inexact]";
    assert_eq!(
        scan(off, "x LIKE 'abc%'"),
        ["Filter: (x ~~ 'abc%'::text)", keys]
    );
    check_kept_under(
        off,
        "x LIKE '%abc'",
        "(x ~~ '%abc'::text)",
        "not of the form column operator value",
    );
    check_kept(
        "x LIKE 'abc%'",
        "(x ~~ 'abc%'::text)",
        "textlike is not leakproof",
    );
}

#[test]
fn update_and_delete_push_down_too() {
    let database = Database::with(SCHEMA);
    for sql in [
        "UPDATE t SET x = 'a' WHERE i = 1",
        "DELETE FROM t WHERE i = 1",
    ] {
        let plan = database.shape(sql);
        assert!(
            plan.ends_with("->  Seq Scan on t\n        Scan Keys: (i = 1) [exact]"),
            "{plan}"
        );
    }
}

#[test]
fn inlined_functions_are_what_they_do() {
    check_pushed("i >>> 5", "(i > 5) [exact]");
}

#[test]
fn a_constant_null_reads_no_page() {
    let database = Database::with(SCHEMA);
    for condition in [
        "i = NULL",
        "i = NULL::integer",
        "i = ANY (NULL::integer[])",
        "i > ALL (NULL::integer[])",
    ] {
        let plan = database.shape(&format!("SELECT x FROM t WHERE {condition}"));
        assert_eq!(plan, "Result\n  One-Time Filter: false", "{condition}");
    }
}

// Why conditions stay.

#[test]
fn reason_user_defined_operator() {
    check_kept("i === 5", "(i === 5)", "=== is user-defined");
}

#[test]
fn reason_function_not_leakproof() {
    check_kept("n > 1.5", "(n > 1.5)", "numeric_gt is not leakproof");
    check_kept(
        "n IN (1, 2)",
        "(n = ANY ('{1,2}'::numeric[]))",
        "numeric_eq is not leakproof",
    );
    check_kept(
        "d < timestamp '2020-01-01'",
        "(d < '2020-01-01 00:00:00'::timestamp without time zone)",
        "date_lt_timestamp is not leakproof",
    );
    check_kept("x ~ 'a'", "(x ~ 'a'::text)", "textregexeq is not leakproof");
}

#[test]
fn reason_volatile() {
    check_kept("f > random()", "(f > random())", "volatile");
    check_kept(
        "random() < 0.5",
        "(random() < '0.5'::double precision)",
        "volatile",
    );
}

#[test]
fn reason_expression_on_the_column_side() {
    check_kept(
        "i + 1 = 5",
        "((i + 1) = 5)",
        "expression on the column side",
    );
    check_kept(
        "md5(x) = 'a'",
        "(md5(x) = 'a'::text)",
        "expression on the column side",
    );
    check_kept(
        "(i + 1) IS NULL",
        "((i + 1) IS NULL)",
        "expression on the column side",
    );
    check_kept(
        "i::bigint = 5",
        "((i)::bigint = 5)",
        "expression on the column side",
    );
    check_kept(
        "5 = i + 1",
        "(5 = (i + 1))",
        "expression on the column side",
    );
}

#[test]
fn reason_correlated_sub_select() {
    let sql = "SELECT x FROM t WHERE i = (SELECT max(k) FROM u WHERE y = t.x)";
    let mut database = Database::with(SCHEMA);
    database.run("SET enable_decorrelation = off");
    let plan = database.shape(sql);
    let (_, reason) = plan.split_once("Not Pushed: ").unwrap();
    assert!(
        reason.starts_with("(i = (SubPlan 1)) [correlated sub-select]"),
        "{plan}"
    );
}

#[test]
fn reason_type_not_supported() {
    check_kept(
        "a = ARRAY[1, 2]",
        "(a = '{1,2}'::integer[])",
        "array_eq is not leakproof",
    );
    check_kept_under(
        "SET quals_require_leakproof = off",
        "a = ARRAY[1, 2]",
        "(a = '{1,2}'::integer[])",
        "type integer[] is not supported by heap",
    );
}

#[test]
fn reason_not_simple() {
    for (condition, qual) in [
        ("i = j", "(i = j)"),
        ("i IS DISTINCT FROM 5", "(i IS DISTINCT FROM 5)"),
        ("COALESCE(b, false)", "COALESCE(b, false)"),
        ("5 = ANY (a)", "(5 = ANY (a))"),
    ] {
        check_kept(condition, qual, "not of the form column operator value");
    }
}

#[test]
fn reason_push_down_off() {
    let expected = |decision: &str| {
        [
            "Filter: (i = 5)".to_string(),
            "Not Pushed: (i = 5) [push-down is off for this table]".to_string(),
            format!("Push-Down: off by the {decision}"),
        ]
    };
    assert_eq!(
        scan("SET quals_push_down = off", "i = 5"),
        expected("setting")
    );
    let database = Database::with("CREATE TABLE t (i integer) WITH (quals_push_down = off)");
    let plan = database.shape("SELECT * FROM t WHERE i = 5");
    let properties: Vec<&str> = plan.lines().skip(1).map(str::trim).collect();
    assert_eq!(properties, expected("table's option"));
}

// Settings.

#[test]
fn the_tables_option_wins_over_the_setting() {
    let mut database = Database::with("CREATE TABLE t (i integer) WITH (quals_push_down = on)");
    database.run("SET quals_push_down = off");
    assert_eq!(
        database.shape("SELECT * FROM t WHERE i = 5"),
        "Seq Scan on t\n  Scan Keys: (i = 5) [exact]\n  Push-Down: on by the table's option"
    );
}

#[test]
fn recheck_always_evaluates_pushed_conditions_again_and_first() {
    assert_eq!(
        scan("SET quals_recheck = always", "i + 1 = 5 AND i = 4"),
        [
            "Filter: ((i = 4) AND ((i + 1) = 5))",
            "Scan Keys: (i = 4) [exact]",
            "Not Pushed: ((i + 1) = 5) [expression on the column side]",
        ]
    );
}

#[test]
fn without_the_leakproof_rule_more_is_pushed() {
    let off = "SET quals_require_leakproof = off";
    assert_eq!(scan(off, "n > 1.5"), ["Scan Keys: (n > 1.5) [exact]"]);
    check_kept_under(off, "i === 5", "(i === 5)", "=== is user-defined");
}

#[test]
fn only_needed_columns_are_read() {
    let database = Database::with(SCHEMA);
    let statement = database
        .bound("SELECT x FROM t WHERE i = 5 AND n > 1.5")
        .unwrap();
    let plan = database.plan(statement).unwrap();
    let crate::plan::NodeKind::SeqScan(scan) = &plan.root.kind else {
        panic!("{plan:?}")
    };
    // x for the result, n for the filter; i is the key's alone.
    assert_eq!(scan.columns, [2, 4]);
}
