//! The inner side of a nested loop keeps its rows where the planner expects the parameters to repeat.

use tests::database::Database;

const SCHEMA: &str = "CREATE TABLE o (k int); CREATE TABLE n (k int, v int);
    INSERT INTO o SELECT i % 7 FROM generate_series(1, 300) i;
    INSERT INTO n SELECT i % 9, i FROM generate_series(1, 200) i;
    ANALYZE o; ANALYZE n;";
const LATERAL: &str = "SELECT * FROM o, LATERAL (SELECT max(n.v) AS m FROM n WHERE n.k = o.k) s";

/// PostgreSQL 15's plan, figures included.
#[test]
fn a_repeated_parameter_finds_its_rows() {
    let mut database = Database::after(SCHEMA);
    for executor in ["push", "pull"] {
        database.execute(&format!("SET executor = {executor}"));
        let options = "(ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)";
        let rows = database.query(&format!("EXPLAIN {options} {LATERAL}")).rows;
        let lines: Vec<String> = rows.into_iter().flatten().flatten().collect();
        let plan = lines.join("\n");
        for line in [
            "->  Memoize (actual rows=1 loops=300)",
            "Cache Key: o.k",
            "Cache Mode: binary",
            "Hits: 293  Misses: 7  Evictions: 0  Overflows: 0  Memory Usage: 1kB",
            "->  Aggregate (actual rows=1 loops=7)",
        ] {
            assert!(plan.contains(line), "no {line} in\n{plan}");
        }
    }
}

#[test]
fn nothing_is_kept_where_it_does_not_pay_or_may_not_be() {
    let mut database = Database::after(SCHEMA);
    let mut is_kept = |sql: &str| {
        let plan = database.explain(sql).join("\n");
        plan.contains("Memoize")
    };
    assert!(is_kept(LATERAL));
    // Each row has its own value, or a value of its own each time.
    assert!(!is_kept(
        "SELECT * FROM n o, LATERAL (SELECT max(n.v) AS m FROM n WHERE n.v = o.v) s"
    ));
    assert!(!is_kept(
        "SELECT * FROM o, LATERAL (SELECT random() + o.k OFFSET 0) s"
    ));
    database.execute("SET enable_memoize = off");
    let plan = database.explain(LATERAL).join("\n");
    assert!(!plan.contains("Memoize"), "{plan}");
}
