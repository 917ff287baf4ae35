//! Security barriers: what may leak is evaluated after what a view hides.

use super::Database;

const SCHEMA: &str = "
    CREATE TABLE t (i integer, x text, secret boolean);
    CREATE VIEW plain AS SELECT i, x FROM t WHERE NOT secret;
    CREATE VIEW barrier WITH (security_barrier) AS SELECT i, x FROM t WHERE NOT secret;
    CREATE VIEW guarded WITH (security_barrier) AS SELECT i, x FROM t WHERE x LIKE 'a%';
    CREATE FUNCTION leaky(text) RETURNS boolean LANGUAGE sql STRICT AS 'SELECT COALESCE($1, ''x'') > ''a''';
    CREATE FUNCTION safe(text) RETURNS boolean LANGUAGE sql STRICT LEAKPROOF AS 'SELECT COALESCE($1, ''x'') > ''a''';
";

#[track_caller]
fn check(sql: &str, expected: &str) {
    assert_eq!(
        Database::with(SCHEMA).shape(sql),
        expected.trim_matches('\n'),
        "{sql}"
    );
}

#[test]
fn conditions_enter_a_plain_view() {
    check(
        "SELECT i FROM plain WHERE x LIKE 'b%'",
        "
Seq Scan on t
  Filter: (x ~~ 'b%'::text)
  Scan Keys: (NOT secret) [exact]
  Not Pushed: (x ~~ 'b%'::text) [textlike is not leakproof]
",
    );
}

#[test]
fn a_leaky_condition_stays_outside_a_barrier() {
    check(
        "SELECT i FROM barrier WHERE x LIKE 'b%'",
        "
Subquery Scan on barrier
  Filter: (barrier.x ~~ 'b%'::text)
  ->  Seq Scan on t
        Scan Keys: (NOT secret) [exact]
",
    );
}

#[test]
fn a_leakproof_condition_goes_in_and_becomes_a_key() {
    check(
        "SELECT * FROM barrier WHERE i = 5",
        "
Seq Scan on t
  Scan Keys: (NOT secret) [exact], (i = 5) [exact]
",
    );
}

#[test]
fn a_barriers_own_leaky_condition_is_still_before_a_key_from_outside() {
    check(
        "SELECT i FROM guarded WHERE i = 5 AND x ~ 'q'",
        "
Subquery Scan on guarded
  Filter: (guarded.x ~ 'q'::text)
  ->  Seq Scan on t
        Filter: (x ~~ 'a%'::text)
        Scan Keys: (i = 5) [exact]
        Not Pushed: (x ~~ 'a%'::text) [textlike is not leakproof]
",
    );
}

#[test]
fn conditions_of_a_join_stay_above_a_barrier() {
    check(
        "SELECT a.i FROM barrier a JOIN t ON a.i = t.i AND a.x LIKE t.x",
        "
Hash Join
  Hash Cond: (t.i = t_1.i)
  Join Filter: (t_1.x ~~ t.x)
  ->  Seq Scan on t
  ->  Hash
        ->  Seq Scan on t t_1
              Scan Keys: (NOT secret) [exact]
",
    );
}
