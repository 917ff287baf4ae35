//! What a barrier view hides, and how far a scan reads.

use super::FIRST_PAGES;
use super::table::database;

#[test]
fn a_leaky_function_never_sees_a_row_that_a_barrier_view_hides() {
    for leakproof_rule in ["on", "off"] {
        let mut database = database(
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
    let mut database = database(
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
        let pages = outcome.scan().pages_read();
        assert!(
            (1..=FIRST_PAGES).contains(&pages),
            "{executor} {batch_rows}: {pages}"
        );
    }
}
