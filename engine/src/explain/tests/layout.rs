//! The JSON format's keys, order and layout, and the options of EXPLAIN.

use super::{Database, without_costs};
use crate::bind::{ExplainOptions, Format};

const SCHEMA: &str = "CREATE TABLE t (i integer, x text); CREATE TABLE s (i integer, k integer)";

fn json(sql: &str, options: ExplainOptions) -> String {
    Database::with(SCHEMA).explain(
        sql,
        &ExplainOptions {
            format: Format::Json,
            ..options
        },
    )
}

#[test]
fn json_is_laid_out_as_postgresql_does() {
    let options = ExplainOptions {
        costs: true,
        ..without_costs()
    };
    assert_eq!(
        json("SELECT count(*) FROM t WHERE i + 1 = 5", options),
        r#"[
  {
    "Plan": {
      "Node Type": "Aggregate",
      "Strategy": "Plain",
      "Partial Mode": "Simple",
      "Parallel Aware": false,
      "Async Capable": false,
      "Startup Cost": 28.02,
      "Total Cost": 28.03,
      "Plan Rows": 1,
      "Plan Width": 8,
      "Plans": [
        {
          "Node Type": "Seq Scan",
          "Parent Relationship": "Outer",
          "Parallel Aware": false,
          "Async Capable": false,
          "Relation Name": "t",
          "Alias": "t",
          "Startup Cost": 0.00,
          "Total Cost": 28.00,
          "Plan Rows": 6,
          "Plan Width": 0,
          "Filter": "((i + 1) = 5)",
          "Not Pushed": "((i + 1) = 5) [expression on the column side]"
        }
      ]
    }
  }
]"#
    );
}

#[test]
fn json_names_relationships_and_sub_plans() {
    let plan = json(
        "SELECT s.k FROM t JOIN s ON t.i = s.i WHERE t.i > (SELECT max(k) FROM s)",
        without_costs(),
    );
    for line in [
        r#""Node Type": "Hash Join","#,
        r#""Join Type": "Inner","#,
        r#""Inner Unique": false,"#,
        r#""Hash Cond": "(s.i = t.i)","#,
        r#""Parent Relationship": "InitPlan","#,
        r#""Subplan Name": "InitPlan 1 (returns $0)","#,
        r#""Parent Relationship": "Outer","#,
        r#""Parent Relationship": "Inner","#,
        r#""Scan Keys": "(i > $0) [exact]""#,
    ] {
        assert!(plan.contains(line), "{line}\n{plan}");
    }
}

#[test]
fn verbose_shows_outputs_and_schemas() {
    let options = ExplainOptions {
        verbose: true,
        ..without_costs()
    };
    let mut database = Database::with(SCHEMA);
    database.run("SET enable_mergejoin = off");
    assert_eq!(
        database.explain(
            "SELECT i + 1, count(*) FROM t WHERE x <> 'a' GROUP BY i + 1",
            &options
        ),
        "HashAggregate
  Output: ((i + 1)), count(*)
  Group Key: (t.i + 1)
  ->  Seq Scan on public.t
        Output: i
        Scan Keys: (t.x <> 'a'::text) [exact]"
    );
    assert_eq!(
        database.explain(
            "SELECT a.x FROM t a, s WHERE a.i = s.i ORDER BY s.k",
            &options
        ),
        "Sort
  Output: a.x
  Sort Key: s.k
  ->  Hash Join
        Output: a.x, s.k
        Hash Cond: (s.i = a.i)
        ->  Seq Scan on public.s
              Output: s.i, s.k
        ->  Hash
              Output: a.i, a.x
              ->  Seq Scan on public.t a
                    Output: a.i, a.x"
    );
}

#[test]
fn settings_that_are_not_the_default_are_shown() {
    let mut database = Database::with(SCHEMA);
    database.run("SET enable_hashjoin = off; SET batch_rows = 7");
    let options = ExplainOptions {
        settings: true,
        ..without_costs()
    };
    let plan = database.explain("SELECT i FROM t", &options);
    assert_eq!(
        plan,
        "Seq Scan on t\nSettings: batch_rows = '7', enable_hashjoin = 'off'"
    );
}
