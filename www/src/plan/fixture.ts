/** EXPLAIN's JSON of mail 1's case #1, for the tests of this folder. */
export const CASE_1 = JSON.stringify([
  {
    Plan: {
      "Node Type": "Aggregate",
      Strategy: "Plain",
      "Plan Rows": 1,
      "Actual Rows": 1,
      "Actual Loops": 1,
      "Actual Startup Time": 12.5,
      "Actual Total Time": 12.5,
      "Own Time": 0.5,
      "Rows In": 1,
      "Rows Out": 1,
      Pipeline: 1,
      Plans: [
        {
          "Node Type": "Seq Scan",
          "Parent Relationship": "Outer",
          "Relation Name": "t",
          Alias: "t",
          "Plan Rows": 5000,
          "Actual Rows": 1,
          "Actual Loops": 1,
          "Actual Startup Time": 0.6,
          "Actual Total Time": 12,
          "Own Time": 12,
          "Rows Out": 1,
          "Scan Keys": "(i = 50000) [exact]",
          "Rows Removed by Scan Keys": 999999,
          "Key Evaluations": 1000000,
          Pipeline: 1,
        },
      ],
    },
    Executor: "push",
    Pipelines: 1,
    "Batch Rows": 1024,
    "Timing Mode": "batch",
    "Planning Time": 0.1,
    "Execution Time": 12.6,
    "Clock Step": 0.1,
  },
]);

/** A nested loop without the engine's own keys, as PostgreSQL writes it. */
export const POSTGRES = JSON.stringify([
  {
    Plan: {
      "Node Type": "Nested Loop",
      "Join Type": "Left",
      "Plan Rows": 10,
      "Actual Rows": 20,
      "Actual Loops": 1,
      "Actual Total Time": 10,
      Plans: [
        { "Node Type": "Seq Scan", "Relation Name": "a", Alias: "x", "Plan Rows": 10, "Actual Rows": 10, "Actual Loops": 1, "Actual Total Time": 1, "Rows Removed by Filter": 5 },
        { "Node Type": "Seq Scan", "Relation Name": "b", Alias: "b", "Plan Rows": 1, "Actual Rows": 2, "Actual Loops": 10, "Actual Total Time": 0.5, "Rows Removed by Filter": 3 },
      ],
    },
    "Execution Time": 10.2,
  },
]);
