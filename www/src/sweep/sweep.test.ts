import { expect, test } from "vitest";
import type { Execute } from "../measure/engine";
import { parsePlan } from "../plan/model";
import { COUNTS, TIME, cells, figures, lines, powersOfTwo, ratios, sweepCsv, type CellResult, type Grid } from "./model";
import { runSweep, type SweepOptions } from "./runner";

const GRID: Grid = [
  { setting: "executor", values: ["pull", "push"] },
  { setting: "batch_rows", values: ["1", "64", "4096"] },
];

test("cells are the product of the axes, the last the fastest", () => {
  const all = cells(GRID);
  expect(all.map((cell) => cell.settings.map(([, value]) => value).join(" "))).toEqual(["pull 1", "pull 64", "pull 4096", "push 1", "push 64", "push 4096"]);
  expect(all[4]).toEqual({ index: 4, at: [1, 1], settings: [["executor", "push"], ["batch_rows", "64"]] });
  expect(cells([{ setting: "a", values: ["1", "2"] }, ...GRID])).toHaveLength(12);
});

test("the batch sizes from 1 to 4096", () => {
  expect(powersOfTwo(1, 4096)).toHaveLength(13);
  expect(powersOfTwo(8, 40)).toEqual(["8", "16", "32"]);
});

const result = (index: number, ...samples: number[]): CellResult => ({ index, samples, counts: { steps: 100 - index, batches: 10, rows: 5, pagesRead: 3 } });

test("a cell that has not been measured has no figure, and no ratio", () => {
  const some = [result(0, 30, 10, 20), result(1, 5), result(3, 40)];
  const times = figures(GRID, some, TIME);
  expect(times).toEqual([20, 5, null, 40, null, null]);
  expect(ratios(GRID, times, 1)).toEqual([1, 0.25, null, 1, null, null]);
  // Along the other axis push is compared with pull.
  expect(ratios(GRID, times, 0)).toEqual([1, 1, null, 2, null, null]);
  expect(figures(GRID, [result(2)], TIME)[2]).toBeNull();
  expect(figures(GRID, [result(2)], COUNTS[0]!)[2]).toBe(98);
});

test("a curve has a line for each place on the other axes", () => {
  expect(lines(GRID, 1).map((line) => [line.label, line.cells.map((cell) => cell.index)])).toEqual([
    ["pull", [0, 1, 2]],
    ["push", [3, 4, 5]],
  ]);
  expect(lines([GRID[1]!], 0).map((line) => line.label)).toEqual([""]);
});

test("CSV has a line for each measured cell", () => {
  expect(sweepCsv(GRID, [result(1, 5, 7), result(0, 20)], 1).split("\n")).toEqual([
    "executor,batch_rows,samples,median_ms,lower_quartile_ms,upper_quartile_ms,ratio_to_batch_rows_1,steps,batches,rows,pages",
    "pull,1,1,20.0000,20.0000,20.0000,1.0000,100,10,5,3",
    "pull,64,2,6.0000,5.5000,6.5000,0.3000,99,10,5,3",
    "",
  ]);
  expect(sweepCsv(GRID, [result(5)], 1).split("\n")[1]).toBe("push,4096,0,,,,,95,10,5,3");
});

/** An engine whose steps and times shrink with the batch; `order` notes what it was asked. */
function engine(order: string[]): Execute {
  return async (_sql, settings) => {
    const of = Object.fromEntries(settings);
    const batch = Number(of["batch_rows"]);
    order.push(`${of["executor"]?.charAt(2)}${batch}`);
    expect([of["enable_sort"], of["explain_timing"]]).toEqual(["off", "off"]);
    const plan = parsePlan(JSON.stringify([{ Plan: { "Node Type": "Seq Scan", "Actual Loops": 1, "Rows Out": 4096, Steps: 4096 / batch, "Batches Out": 4096 / batch, "Pages Read": 2 }, "Timing Mode": "off" }]));
    return { ms: 4096 / batch + 20, plan, columns: [], rows: [["1"]] };
  };
}

function options(execute: Execute, samples: number): SweepOptions & { progressed: number[] } {
  const progressed: number[] = [];
  return { grid: GRID, sql: "q", settings: [["enable_sort", "off"]], samples, clockStepMs: 0.1, execute, progress: (done, total) => progressed.push(done / total), told: () => undefined, progressed };
}

test("counts alone take one execution of a cell", async () => {
  const order: string[] = [];
  const given = options(engine(order), 0);
  const results = await runSweep(given);
  expect(order).toEqual(["l1", "l64", "l4096", "s1", "s64", "s4096"]);
  expect(results.map((it) => it.counts.steps)).toEqual([4096, 64, 1, 4096, 64, 1]);
  expect(results.every((it) => it.samples.length === 0)).toBe(true);
  expect(given.progressed.at(-1)).toBe(1);
});

test("samples are taken in rounds, forwards and backwards, after the warm-up", async () => {
  const order: string[] = [];
  const told: number[] = [];
  const results = await runSweep({ ...options(engine(order), 2), told: (it) => told.push(it.reduce((sum, cell) => sum + cell.samples.length, 0)) });
  expect(order.slice(18)).toEqual(["l1", "l64", "l4096", "s1", "s64", "s4096", "s4096", "s64", "s1", "l4096", "l64", "l1"]);
  expect(results.map((it) => it.samples)).toEqual([[4116, 4116], [84, 84], [21, 21], [4116, 4116], [84, 84], [21, 21]]);
  expect(told.slice(-2)).toEqual([6, 12]);
});

test("an answer that differs stops the sweep", async () => {
  const execute: Execute = async (sql, settings) => ({ ...(await engine([])(sql, settings)), rows: [[settings.some(([, value]) => value === "64") ? "2" : "1"]] });
  await expect(runSweep(options(execute, 0))).rejects.toThrow("The answer with executor pull, batch_rows 64 differs");
});
