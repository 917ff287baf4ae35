import { expect, test } from "vitest";
import { parsePlan } from "../../plan/model";
import { planCounts } from "../../plan/totals";
import type { Execute } from "../../measure/engine";
import { mean, speedup } from "../../measure/statistics";
import { aboveFloor, batchGain, runLab, summary, type Lab4Options } from "./lab4";
import { PUBLISHED, QUERIES, SWITCHES } from "./mail4";
import { pairNodes } from "./nodes";

test("the mail's speed-ups follow from its seconds by its formula", () => {
  for (const { master, reversed, speedup: printed } of PUBLISHED) expect(Math.abs(speedup(master, reversed) * 100 - Number(printed))).toBeLessThan(0.0051);
  expect(mean(PUBLISHED.map((it) => Number(it.speedup)))).toBeCloseTo(8.535);
  expect(PUBLISHED.map((it) => it.query)).toEqual(QUERIES.filter((query) => query !== 14));
});

/** A scan under an aggregate, with as many calls as the driver made. */
function plan(steps: number, filter = "Seq Scan") {
  return parsePlan(
    JSON.stringify([
      {
        Plan: {
          "Node Type": "Aggregate",
          "Actual Loops": 1,
          "Rows Out": 4,
          "Batches Out": 4,
          Steps: 6,
          "Own Time": 1,
          Plans: [{ "Node Type": filter, "Relation Name": "lineitem", Alias: "lineitem", "Actual Loops": 1, "Rows Out": 100, "Batches Out": 100, Steps: steps, "Own Time": 3 }],
        },
        "Timing Mode": "batch",
        "Execution Time": 4,
      },
    ]),
  );
}

test("nodes stand beside each other where the plans are the same", () => {
  const nodeMs = { pull: [1, 3], push: [2, 4] };
  const pairs = pairNodes({ plans: { pull: plan(201), push: plan(101) }, nodeMs });
  expect(pairs?.map((it) => [it.depth, it.type, it.pull.steps, it.push.steps, it.push.rows, it.push.ownMs])).toEqual([
    [0, "Aggregate", 6, 6, 4, 2],
    [1, "Seq Scan", 201, 101, 100, 4],
  ]);
  expect(pairNodes({ plans: { pull: plan(1), push: plan(1, "Index Scan") }, nodeMs })).toBeNull();
  expect(planCounts(plan(201))).toEqual({ steps: 207, batches: 104, rows: 104, pagesRead: 0 });
});

const columns = [{ name: "f", type: "double precision" }];

function options(execute: Execute): Lab4Options & { told: number[] } {
  const told: number[] = [];
  return {
    queries: [
      { query: 1, sql: "one" },
      { query: 3, sql: "three" },
    ],
    batchRows: [1, 1024],
    pairs: 3,
    planner: SWITCHES,
    clockStepMs: 0.1,
    execute,
    progress: (done, total) => told.push(done / total),
    finished: () => undefined,
    told,
  };
}

test("the lab pairs pull with push at each batch_rows, under the planner's settings", async () => {
  const timings = new Set<string | undefined>();
  const given = options(async (sql, settings) => {
    const of = Object.fromEntries(settings);
    timings.add(of["explain_timing"]);
    expect(of["enable_nestloop"]).toBe("off");
    const ms = (of["batch_rows"] === "1" ? 100 : 10) * (of["executor"] === "pull" ? 1.1 : 1) * (sql === "three" ? 2 : 1);
    return { ms, plan: plan(of["executor"] === "pull" ? 201 : 101), columns, rows: [["1.25"]] };
  });
  const results = await runLab(given);
  expect(results.map((it) => [it.batchRows, it.query])).toEqual([
    [1, 1],
    [1, 3],
    [1024, 1],
    [1024, 3],
  ]);
  for (const result of results) {
    expect(result.pairs.gain).toBeCloseTo(0.1);
    expect([result.floor, result.rows, aboveFloor(result)]).toEqual([0, 1, true]);
    expect([planCounts(result.plans.pull).steps, planCounts(result.plans.push).steps]).toEqual([207, 107]);
    expect(result.nodeMs).toEqual({ pull: [1, 3], push: [1, 3] });
  }
  expect(timings).toEqual(new Set(["off", "batch"]));
  expect(given.told.at(-1)).toBe(1);
  expect([...given.told].sort((a, b) => a - b)).toEqual(given.told);
  expect(summary(results)?.meanSpeedup).toBeCloseTo(0.1);
  expect(summary(results)?.slower).toEqual([]);
  expect(summary([])).toBeNull();
  expect(batchGain(results, 1, 1024)).toBeCloseTo(10);
  expect(batchGain(results, 1, 64)).toBeNull();
});

test("answers that differ stop the lab", async () => {
  const given = options(async (_sql, settings) => ({ ms: 1, plan: plan(1), columns, rows: [[settings.some(([, value]) => value === "push") ? "1" : "2"]] }));
  await expect(runLab(given)).rejects.toThrow("the answer under push differs");
});
