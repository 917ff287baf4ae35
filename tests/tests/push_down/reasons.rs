//! The conditions that stay in the filter, each with its reason.

use super::ACCESS_METHOD;
use super::table::{database, stays, stays_in, table};

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
    database.execute("SET enable_decorrelation = off");
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
        database("CREATE TABLE t (a int[]); INSERT INTO t VALUES ('{1}'), ('{2,3}');");
    database
        .session
        .set("quals_require_leakproof", "off")
        .unwrap();
    let lines = database.explain("SELECT * FROM t WHERE a = '{1}'");
    assert!(
        lines
            .iter()
            .any(|line| line.contains(&format!("is not supported by {ACCESS_METHOD}]"))),
        "{}",
        lines.join("\n")
    );
}
