import { expect, test } from "vitest";
import { ScriptedEngine, ScriptedWorker } from "../engine/fake";
import type { Event, Progress } from "../engine/protocol";
import { loadedShare } from "./dataset";
import { MeasureJob } from "./job.svelte";
import { MeasureEngine } from "./engine";
import { WARM_UP, executionsFor, measurePairs, warmUp } from "./sampling";
import { executionsPerSample, floor, gain, geometricMean, interleaved, median, paired, quantile, sampleDeviation, settled, speedup } from "./statistics";

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

test("a sample lasts at least twenty milliseconds and fifty clock steps", () => {
  expect(executionsPerSample(20, 0.1)).toBe(1);
  expect(executionsPerSample(2, 0.1)).toBe(10);
  expect(executionsPerSample(2, 1)).toBe(25);
  expect(executionsPerSample(0, 1)).toBe(500);
});

test("each mail has its own formula", () => {
  expect(speedup(138.94, 128.53) * 100).toBeCloseTo(8.1, 2);
  expect(paired([11, 11, 11], [10, 10, 10], speedup).gain).toBeCloseTo(0.1);
  expect(geometricMean([0.5, 2])).toBeCloseTo(1);
});

test("a warm-up stops executing when runs agree, and is told as long as expected", async () => {
  const times = [9, 5, 5, 5, 1];
  let told = 0;
  let ran = 0;
  expect(await warmUp(async () => times[ran++] ?? 0, () => (told += 1))).toBe(5);
  expect([ran, told]).toEqual([4, WARM_UP]);
  expect(executionsFor([20, 2], 0.1)).toBe(10);
});

test("pairs keep their sides apart", async () => {
  const order: string[] = [];
  const side = (name: string, ms: number) => async () => {
    order.push(name);
    return ms;
  };
  const it = await measurePairs(2, side("a", 12), side("b", 10), speedup, () => order.push("·"));
  expect(order.join("")).toBe("·a·b·b·a");
  expect([it.a, it.b, it.gain]).toEqual([[12, 12], [10, 10], 0.2]);
});

const progress = (statement: number, fraction: number | null, counters: number[] = []): Progress => ({ statement, fraction, elapsed_ms: 1, counters: new Float64Array(counters), plan: null });

test("the share of the data that is made is by rows, told or counted", () => {
  const data = { script: "", rows: [0, 100, 0, 300] };
  const share = (event: Progress) => loadedShare(data, event, ["steps", "rowsOut"]);
  expect(share(progress(0, null))).toBe(0);
  expect(share(progress(1, 0.5))).toBe(0.125);
  expect(share(progress(2, null))).toBe(0.25);
  // An INSERT over a function: the function's 150 rows count, not the INSERT's none.
  expect(share(progress(3, null, [7, 0, 7, 150]))).toBe(0.625);
  expect(share(progress(3, null, [7, 0, 7, 400]))).toBe(1);
  expect(loadedShare({ script: "", rows: [0] }, progress(0, null), [])).toBeNull();
});

function ended(sql: string): Event {
  const plan = JSON.stringify([{ Plan: { "Node Type": "Result", "Actual Loops": 1 }, "Timing Mode": "off", "Execution Time": 2 }]);
  const error = sql === "bad" ? { sqlstate: "53200", message: "out of memory", detail: null, hint: null, line: 1, column: 1 } : null;
  return { kind: "statement", statement: 0, sql, tag: "SELECT 1", columns: [], rows_total: 0, error, notices: [], plan, plan_text: null, elapsed_ms: 1 };
}

/** A job over an engine that answers any script; `bad` fails. */
function job(keepsData: boolean) {
  const engine = new ScriptedEngine((script) => [ended(script)]);
  const workers: ScriptedWorker[] = [];
  const spawn = () => {
    const worker = new ScriptedWorker(engine);
    workers.push(worker);
    return worker;
  };
  const it = new MeasureJob(keepsData, () => new MeasureEngine(spawn));
  const load = (script: string) => it.run("load", (lab) => lab.load({ script, rows: [1] }, () => undefined));
  return { it, load, workers, ran: () => engine.started.map(({ script }) => script) };
}

test("tables are made once, and again for another script or after a failure", async () => {
  const { it, load, ran, workers } = job(true);
  for (const script of ["small", "small", "large", "bad"]) await load(script);
  expect([it.failure, it.running]).toEqual(["out of memory", false]);
  await load("large");
  expect(it.failure).toBe("");
  expect(ran()).toEqual(["small", "large", "bad", "large"]);
  expect(workers.length).toBe(1);
  it.leave();
  expect(workers[0]?.terminated).toBe(true);
});

test("a job that keeps no data has a new engine each time", async () => {
  const { load, workers } = job(false);
  await load("small");
  await load("small");
  expect(workers.map((worker) => worker.terminated)).toEqual([true, true]);
});

test("a cancelled job executes nothing more, and the next one may", async () => {
  const { it, ran } = job(true);
  const work = async (lab: MeasureEngine) => {
    for (const sql of ["one", "two"]) {
      expect((await lab.execute(sql, [])).ms).toBe(2);
      if (it.failure === "" && ran().length === 1) it.cancel();
    }
  };
  await it.run("work", work);
  expect([it.failure, ran()]).toEqual(["Cancelled", ["one"]]);
  await it.run("work", work);
  expect([it.failure, ran()]).toEqual(["", ["one", "one", "two"]]);
});

test("who leaves a running job is told nothing", async () => {
  const { it, workers } = job(true);
  const running = it.run("work", async (lab) => {
    it.leave();
    await lab.execute("one", []);
  });
  await running;
  expect([it.failure, it.running, workers[0]?.terminated]).toEqual(["", false, true]);
});
