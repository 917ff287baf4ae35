//! What binding makes of a statement: which function stands behind an operator, where casts go,
//! how far out a reference reaches.

use super::{bind_one, catalog, define, show};
use crate::bind::Statement;

fn form(sql: &str) -> String {
    let catalog = catalog();
    match bind_one(&catalog, sql) {
        Ok(Statement::Query(query)) => show::query(&query),
        Ok(Statement::Insert(insert)) => {
            let row: Vec<String> = insert.row.iter().map(show::expr).collect();
            format!("({}) from {}", row.join(", "), show::query(&insert.source))
        }
        Ok(Statement::Update(update)) => show::query(&update.source),
        Ok(Statement::Delete(delete)) => show::query(&delete.source),
        Ok(other) => format!("{other:?}"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (sql, expected) in cases {
        assert_eq!(form(sql), *expected, "{sql}");
    }
}

/// Columns of the tables in these cases: u is (i int, j int, k text, m numeric),
/// w is (i bigint, j int, z text).
#[test]
fn operators_and_casts() {
    check(&[
        (
            "SELECT i = 5, i = '5' FROM u",
            "select int4eq(0.0, 5), int4eq(0.0, 5) from 0:u",
        ),
        (
            "SELECT u.i = w.i FROM u, w",
            "select int48eq(0.0, 1.0) from (0:u join 1:w)",
        ),
        (
            "SELECT m > i FROM u",
            "select numeric_gt(0.3, numeric(0.0)) from 0:u",
        ),
        (
            "SELECT v = 'a' FROM t",
            "select texteq(~text(0.7), 'a') from 0:t",
        ),
        (
            "SELECT i || 'a' FROM u",
            "select anytextcat(0.0, 'a') from 0:u",
        ),
        (
            "SELECT -i, - 5, @ m FROM u",
            "select int4um(0.0), -5, numeric_abs(0.3) from 0:u",
        ),
        (
            "SELECT k::varchar(3) FROM u",
            "select typmod:character varying(~character varying(0.2)) from 0:u",
        ),
        (
            "SELECT i::text, k::int FROM u",
            "select text:text(0.0), text:integer(0.2) from 0:u",
        ),
        (
            "SELECT '5'::int, 'x'::text, NULL::int",
            "select 5, 'x', null::integer",
        ),
        ("SELECT 1.5::numeric(3,1)", "select typmod:numeric(1.5N)"),
        (
            "SELECT ARRAY[i, 2.5] FROM u",
            "select [numeric(0.0), 2.5N] from 0:u",
        ),
        (
            "SELECT i LIKE 'a' FROM u",
            "ERROR:  42883: operator does not exist: integer ~~ unknown",
        ),
        (
            "SELECT k LIKE 'a!%%' ESCAPE '!' FROM u",
            "select textlike(0.2, 'a\\%%') from 0:u",
        ),
    ]);
}

#[test]
fn lists_and_ranges() {
    check(&[
        (
            "SELECT i IN (1, 2) FROM u",
            "select any[int4eq](0.0, [1, 2]) from 0:u",
        ),
        (
            "SELECT i NOT IN (1, 2) FROM u",
            "select all[int4ne](0.0, [1, 2]) from 0:u",
        ),
        ("SELECT i IN (1) FROM u", "select int4eq(0.0, 1) from 0:u"),
        (
            "SELECT i IN (1, j, 2) FROM u",
            "select or(any[int4eq](0.0, [1, 2]), int4eq(0.0, 0.1)) from 0:u",
        ),
        (
            "SELECT i IN (1, 2.5) FROM u",
            "select any[numeric_eq](numeric(0.0), [numeric(1), 2.5N]) from 0:u",
        ),
        (
            "SELECT i BETWEEN 1 AND 2 FROM u",
            "select and(int4ge(0.0, 1), int4le(0.0, 2)) from 0:u",
        ),
        (
            "SELECT i NOT BETWEEN 1 AND 2 FROM u",
            "select or(int4lt(0.0, 1), int4gt(0.0, 2)) from 0:u",
        ),
        (
            "SELECT (i, k) < (1, 'a') FROM u",
            "select rowLt[int4lt text_lt]((0.0, 0.2), (1, 'a')) from 0:u",
        ),
        (
            "SELECT (i, k) = (1, 'a') FROM u",
            "select and(int4eq(0.0, 1), texteq(0.2, 'a')) from 0:u",
        ),
        (
            "SELECT CASE i WHEN 1 THEN 'a' ELSE k END FROM u",
            "select case(0.0 int4eq(case-value, 1): 'a', else: 0.2) from 0:u",
        ),
        (
            "SELECT a OR (b OR c) FROM (SELECT true AS a, false AS b, true AS c) q",
            "select or(0.0, or(0.1, 0.2)) from 0:{select true, false, true}",
        ),
    ]);
}

#[test]
fn sql_functions_are_inlined_by_postgresqls_rules() {
    check(&[
        (
            "SELECT gt(i, 1), i >>> 2 FROM u",
            "select int4gt(0.0, 1), int4gt(0.0, 2) from 0:u",
        ),
        ("SELECT five()", "select bigint(5)"),
        // OR is not strict, the function is.
        (
            "SELECT true ||| NULL",
            "select sql:strict_or(true, null::boolean){or(arg0, arg1)}",
        ),
        // Used twice: a cheap argument may be repeated, a volatile one may not.
        (
            "SELECT twice(i) FROM u",
            "select float8pl(double precision(0.0), double precision(0.0)) from 0:u",
        ),
        (
            "SELECT twice(random())",
            "select sql:twice(random()){float8pl(arg0, arg0)}",
        ),
    ]);
    let mut catalog = catalog();
    define(
        &mut catalog,
        "CREATE FUNCTION claims_immutable() RETURNS float8 LANGUAGE sql IMMUTABLE RETURN random();
         CREATE FUNCTION ignores(a int) RETURNS int LANGUAGE sql IMMUTABLE STRICT RETURN 7;
         CREATE FUNCTION nests(a int) RETURNS boolean LANGUAGE sql LEAKPROOF RETURN gt(a, 3);",
    );
    let form = |sql: &str| match bind_one(&catalog, sql) {
        Ok(Statement::Query(query)) => show::query(&query),
        other => format!("{other:?}"),
    };
    assert_eq!(
        form("SELECT claims_immutable()"),
        "select sql:claims_immutable(){random()}"
    );
    assert_eq!(form("SELECT ignores(1)"), "select sql:ignores(1){7}");
    assert_eq!(form("SELECT nests(1)"), "select int4gt(1, 3)");
}

#[test]
fn references_reach_outwards() {
    check(&[
        (
            "SELECT (SELECT 1) FROM u",
            "select scalar{select 1} from 0:u",
        ),
        (
            "SELECT (SELECT w.z FROM w WHERE w.i = u.i) FROM u",
            "select scalar{correlated select 0.2 from 0:w where int84eq(0.0, ^0.0)} from 0:u",
        ),
        (
            "SELECT (SELECT (SELECT u.i + w.j) FROM w) FROM u",
            "select scalar{correlated select scalar{correlated select int4pl(^^0.0, ^0.1)} \
             from 0:w} from 0:u",
        ),
        (
            "SELECT EXISTS (SELECT 1 FROM (SELECT u.i) q) FROM u",
            "select exists{correlated select 1 from 0:{select ^^0.0}} from 0:u",
        ),
        (
            "SELECT (WITH c AS (SELECT u.i) SELECT i FROM c) FROM u",
            "select scalar{correlated select 0.0 from 0:{select ^^0.0}} from 0:u",
        ),
        (
            "SELECT (SELECT 1 UNION ALL SELECT u.i) FROM u",
            "select scalar{correlated select 1 + select ^0.0} from 0:u",
        ),
        (
            "SELECT (VALUES (u.i)) FROM u",
            "select scalar{correlated values (^0.0)} from 0:u",
        ),
        (
            "SELECT i NOT IN (SELECT j FROM w) FROM u",
            "select not(any[int4eq](0.0){select 0.1 from 0:w}) from 0:u",
        ),
        (
            "SELECT i > ALL (SELECT i FROM w) FROM u",
            "select all[int48gt](0.0){select 0.0 from 0:w} from 0:u",
        ),
    ]);
}

#[test]
fn joins_and_views() {
    check(&[
        (
            "SELECT * FROM u JOIN w USING (j)",
            "select 0.1, 0.0, 0.2, 0.3, 1.0, 1.2 from (0:u join 1:w on int4eq(0.1, 1.1))",
        ),
        (
            "SELECT i, z FROM u LEFT JOIN w USING (i)",
            "select bigint(0.0), 1.2 from (0:u left join 1:w on int48eq(0.0, 1.0))",
        ),
        (
            "SELECT i FROM u RIGHT JOIN w USING (i)",
            "select 1.0 from (1:w left join 0:u on int48eq(0.0, 1.0))",
        ),
        (
            "SELECT 1 FROM u, w WHERE u.i = 1",
            "select 1 from (0:u join 1:w) where int4eq(0.0, 1)",
        ),
        (
            "SELECT p FROM vb WHERE q = 1",
            "select 0.0 from 0:{barrier select 0.0, int4pl(0.1, 1) from 0:u} where int4eq(0.1, 1)",
        ),
        (
            "SELECT g FROM generate_series(1, 2) g",
            "select 0.0 from 0:generate_series(1, 2)",
        ),
    ]);
}

#[test]
fn grouping_ordering_and_set_operations() {
    check(&[
        (
            "SELECT k, sum(i) FROM u GROUP BY 1 ORDER BY 2 DESC, max(j)",
            "select 0.2, agg:sum(0.0), agg:max(0.1) hidden from 0:u group by 0.2 sort 1 desc sort 2",
        ),
        (
            "SELECT count(*), count(DISTINCT i) FILTER (WHERE j > 1) FROM u",
            "select agg:count(), agg:count(distinct 0.0 if int4gt(0.1, 1)) from 0:u",
        ),
        (
            "SELECT i FROM u ORDER BY i DESC NULLS LAST LIMIT 1 OFFSET 2",
            "select 0.0 from 0:u sort 0 desc nulls-exchanged limit bigint(1) offset bigint(2)",
        ),
        (
            "SELECT 1 UNION ALL SELECT 2.5",
            "select numeric(1) + select 2.5N",
        ),
        (
            "SELECT 1 UNION SELECT 2",
            "select distinct 0.0 from 0:{select 1 + select 2}",
        ),
        (
            "(SELECT i FROM u ORDER BY 1 LIMIT 1) UNION ALL SELECT i FROM w",
            "select bigint(0.0) from 0:{select 0.0 from 0:u sort 0 limit bigint(1)} + \
             select 0.0 from 0:w",
        ),
        (
            "VALUES (1, 'a'), (2.5, NULL)",
            "values (numeric(1), 'a') (2.5N, null::text)",
        ),
    ]);
}

#[test]
fn changes() {
    check(&[
        (
            "INSERT INTO u (j, i) VALUES (1, '2'), (3.5, DEFAULT)",
            "(#1, #0, 'k', numeric_add(numeric(1), 0.5N)) from values (1, 2) (integer(3.5N), \
             null::integer)",
        ),
        (
            "INSERT INTO u SELECT i, 7 FROM w",
            "(integer(#0), #1, 'k', numeric_add(numeric(1), 0.5N)) from select 0.0, 7 from 0:w",
        ),
        (
            "INSERT INTO u DEFAULT VALUES",
            "(null::integer, null::integer, 'k', numeric_add(numeric(1), 0.5N)) from values ()",
        ),
        (
            "UPDATE u SET i = j + 1, k = DEFAULT WHERE m > 1",
            "select int4pl(0.1, 1), 0.1, 'k', 0.3 from 0:u where numeric_gt(0.3, numeric(1))",
        ),
        (
            "DELETE FROM u AS q WHERE q.i = 1",
            "select  from 0:u where int4eq(0.0, 1)",
        ),
    ]);
}
