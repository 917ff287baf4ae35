import { expect, test } from "vitest";
import { VARIANTS, runLab, type Execute } from "./lab1";
import { PUBLISHED, mailArithmetic } from "./mail1";
import { executionsPerSample, floor, gain, interleaved, median, paired, quantile, sampleDeviation, settled } from "./statistics";

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

test("medians, quartiles and deviations", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(quantile([1, 2, 3, 4, 5], 0.25)).toBe(2);
  expect(sampleDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(2.138, 3);
  expect(sampleDeviation([1])).toBe(0);
  expect(gain(40, 20)).toBe(0.5);
  expect(gain(40, 50)).toBe(-0.25);
});

test("pairs are interleaved A B B A", () => {
  expect(interleaved(3).join("")).toBe("abbaab");
  const it = paired([10, 10, 10], [5, 6, 4]);
  expect([it.medianA, it.medianB, it.gain]).toEqual([10, 5, 0.5]);
  expect(it.low).toBeCloseTo(0.45);
  expect(floor(paired([10, 10, 10], [10, 9, 10.5]))).toBeCloseTo(0.05);
});

test("warm-up ends with three runs within two percent", () => {
  expect(settled([10, 5])).toBe(false);
  expect(settled([10, 5, 5.05, 5.09])).toBe(true);
  expect(settled([5, 5.05, 5.2])).toBe(false);
});

test("a sample lasts at least fifty clock steps", () => {
  expect(executionsPerSample(20, 0.1)).toBe(1);
  expect(executionsPerSample(2, 0.1)).toBe(3);
  expect(executionsPerSample(0, 1)).toBe(500);
});

test("the lab measures both cases under both executors and pairs head with every variant", async () => {
  const seen: string[] = [];
  const execute: Execute = async (sql, settings) => {
    const of = Object.fromEntries(settings);
    seen.push(`${of["executor"]}`);
    expect(of["explain_timing"]).toBe("off");
    const one = sql.includes("50000");
    const ms = of["quals_push_down"] === "off" ? 40 : of["batch_rows"] === "1024" ? 10 : of["quals_recheck"] === "always" ? 47 : 30;
    return { ms, answer: one ? "1" : "999999", counters: { keyEvaluations: 1, qualEvaluations: 2, rowsRechecked: 3, removedByKeys: 4, removedByFilter: 5, returned: 6 } };
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
  expect(first?.variants.map((it) => it.pairs.gain.toFixed(3))).toEqual(["0.000", "-0.175", "0.250", "0.750"]);
  expect(first?.variants.every((it) => it.pairs.a.length === 9 && it.pairs.b.length === 9)).toBe(true);
  expect(progress.at(-1)).toBe(1);
  expect([...progress].sort((a, b) => a - b)).toEqual(progress);
  expect(new Set(seen)).toEqual(new Set(["push", "pull"]));
  expect(VARIANTS).toHaveLength(4);
});

test("a wrong answer stops the lab", async () => {
  const execute: Execute = async () => ({ ms: 1, answer: "7", counters: { keyEvaluations: 0, qualEvaluations: 0, rowsRechecked: 0, removedByKeys: 0, removedByFilter: 0, returned: 0 } });
  await expect(runLab({ rows: 1e6, pairs: 9, executors: ["push"], clockStepMs: 0.1, execute, progress: () => undefined, finished: () => undefined })).rejects.toThrow("answered 7");
});
