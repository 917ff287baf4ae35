import { expect, test } from "vitest";
import { parsePlan } from "../../plan/model";
import type { Execute } from "../../measure/engine";
import { VARIANTS, runLab } from "./lab1";
import { PUBLISHED, mailArithmetic } from "./mail1";

test("the mail's table follows from its runs by the mail's arithmetic", () => {
  const printed = [
    ["39.052", "0.171", "21.512", "0.386", "44.91"],
    ["365.116", "0.800", "154.351", "1.158", "57.73"],
    ["3874.896", "63.815", "1539.235", "21.640", "60.28"],
    ["69.079", "0.594", "80.840", "0.408", "-17.02"],
    ["677.815", "4.547", "781.436", "8.914", "-15.29"],
    ["6765.407", "204.457", "7885.429", "203.327", "-16.56"],
  ];
  const computed = PUBLISHED.map(({ head, patch }) => {
    const it = mailArithmetic(head, patch);
    return [it.headAverage.toFixed(3), it.headDeviation.toFixed(3), it.patchAverage.toFixed(3), it.patchDeviation.toFixed(3), (it.gain * 100).toFixed(2)];
  });
  // The mail cuts digits where we round: the last digit may differ by one.
  for (const [i, row] of computed.entries()) for (const [j, text] of row.entries()) expect(Math.abs(Number(text) - Number(printed[i]?.[j]))).toBeLessThan(0.0115);
});

/** A scan's plan with a figure of each kind. */
const PLAN = parsePlan(
  JSON.stringify([
    {
      Plan: {
        "Node Type": "Seq Scan",
        "Actual Loops": 1,
        "Rows Out": 6,
        "Key Evaluations": 1,
        "Qual Evaluations": 2,
        "Rows Rechecked": 3,
        "Rows Removed by Scan Keys": 4,
        "Rows Removed by Filter": 5,
      },
      "Timing Mode": "off",
    },
  ]),
);
const COUNTERS = { keyEvaluations: 1, qualEvaluations: 2, rowsRechecked: 3, removedByKeys: 4, removedByFilter: 5, returned: 6 };

test("the lab measures both cases under both executors and pairs head with every variant", async () => {
  const seen: string[] = [];
  const execute: Execute = async (sql, settings) => {
    const of = Object.fromEntries(settings);
    seen.push(`${of["executor"]}`);
    expect(of["explain_timing"]).toBe("off");
    const one = sql.includes("50000");
    const ms = of["quals_push_down"] === "off" ? 40 : of["batch_rows"] === "1024" ? 10 : of["quals_recheck"] === "always" ? 47 : 30;
    return { ms, plan: PLAN, columns: [], rows: [[one ? "1" : "999999"]] };
  };
  const progress: number[] = [];
  const results = await runLab({
    rows: 1_000_000,
    pairs: 9,
    executors: ["push", "pull"],
    clockStepMs: 0.1,
    execute,
    progress: (done, total) => progress.push(done / total),
    finished: () => undefined,
  });
  expect(results.map((it) => [it.executor, it.case])).toEqual([
    ["push", 1],
    ["push", 2],
    ["pull", 1],
    ["pull", 2],
  ]);
  const [first] = results;
  expect(first?.mail.gain).toBeCloseTo(-0.175);
  expect(first?.floor).toBe(0);
  expect(first?.variants[0]?.counters).toEqual(COUNTERS);
  expect(first?.variants.map((it) => it.pairs.gain.toFixed(3))).toEqual(["0.000", "-0.175", "0.250", "0.750"]);
  expect(first?.variants.every((it) => it.pairs.a.length === 9 && it.pairs.b.length === 9)).toBe(true);
  expect(progress.at(-1)).toBe(1);
  expect([...progress].sort((a, b) => a - b)).toEqual(progress);
  expect(new Set(seen)).toEqual(new Set(["push", "pull"]));
  expect(VARIANTS).toHaveLength(4);
});

test("a wrong answer stops the lab", async () => {
  const execute: Execute = async () => ({ ms: 1, plan: PLAN, columns: [], rows: [["7"]] });
  await expect(runLab({ rows: 1e6, pairs: 9, executors: ["push"], clockStepMs: 0.1, execute, progress: () => undefined, finished: () => undefined })).rejects.toThrow("answered 7");
});
