import type { Assignment } from "../../engine/messages";
import type { PlanModel } from "../../plan/model";
import { resultDigest } from "../../results/digest";
import type { Execute } from "../../measure/engine";
import { WARM_UP, executionsFor, measurePairs, sample, warmUp } from "../../measure/sampling";
import { floor, geometricMean, mean, median, speedup, type Paired } from "../../measure/statistics";

/** Both drivers over the same tables with the same plan: pull is the mail's master, push its "reversed". */
const DRIVERS = ["pull", "push"] as const;
type Driver = (typeof DRIVERS)[number];

/** Runs of each driver with node times. */
export const NODE_RUNS = 5;

/** A query at one batch_rows. */
export interface QueryResult {
  query: number;
  batchRows: number;
  /** Pull against push by the mail's formula. */
  pairs: Paired;
  /** The A/A floor: pull against itself. */
  floor: number;
  executionsPerSample: number;
  /** A run of each driver with its counts. */
  plans: Record<Driver, PlanModel>;
  /** Own time of each node, median of `NODE_RUNS` runs apart from those above. */
  nodeMs: Record<Driver, number[]>;
  /** Both drivers' answer. */
  digest: string;
  rows: number;
}

export interface Lab4Options {
  queries: { query: number; sql: string }[];
  batchRows: number[];
  pairs: number;
  /** Settings of the planner that hold for every run. */
  planner: Assignment[];
  clockStepMs: number;
  execute: Execute;
  progress: (done: number, total: number, what: string) => void;
  finished: (result: QueryResult) => void;
}

/** Measures each query under both drivers, at one batch_rows after the other; each result is told as it is there. */
export async function runLab(options: Lab4Options): Promise<QueryResult[]> {
  const { queries, batchRows, pairs, progress, finished } = options;
  const perQuery = DRIVERS.length * (WARM_UP + NODE_RUNS) + 4 * pairs;
  const total = perQuery * queries.length * batchRows.length;
  const results: QueryResult[] = [];
  for (const rows of batchRows) {
    for (const { query, sql } of queries) {
      const before = perQuery * results.length;
      let done = before;
      const result = await measureQuery(query, sql, rows, options, (phase) => progress((done += 1), total, phase));
      results.push(result);
      finished(result);
    }
  }
  progress(total, total, "Done");
  return results;
}

async function measureQuery(query: number, sql: string, batchRows: number, options: Lab4Options, progress: (phase: string) => void): Promise<QueryResult> {
  const { pairs, planner, clockStepMs, execute } = options;
  const name = `q${query}, batch_rows ${batchRows}`;
  const tell = (phase: string) => () => progress(`${name}: ${phase}`);
  let answer: { digest: string; rows: number } | null = null;

  const run = async (driver: Driver, timing: "off" | "batch") => {
    const got = await execute(sql, [...planner, ["executor", driver], ["batch_rows", String(batchRows)], ["explain_timing", timing]]);
    const digest = resultDigest(got.columns, got.rows);
    answer ??= { digest, rows: got.rows.length };
    if (answer.digest !== digest) throw new Error(`${name}: the answer under ${driver} differs from the one before.`);
    return got;
  };
  // Totals are taken without node times: reading the clock would be part of what is measured.
  const once = (driver: Driver) => async () => (await run(driver, "off")).ms;

  const warm: number[] = [];
  for (const driver of DRIVERS) warm.push(await warmUp(once(driver), tell(`warming up ${driver}`)));
  const executions = executionsFor(warm, clockStepMs);
  const sampleOf = (driver: Driver) => () => sample(once(driver), executions);

  const aa = await measurePairs(pairs, sampleOf("pull"), sampleOf("pull"), speedup, tell("pull against itself"));
  const measured = await measurePairs(pairs, sampleOf("pull"), sampleOf("push"), speedup, tell("pull against push"));
  const timed: Record<Driver, PlanModel[]> = { pull: [], push: [] };
  for (let i = 0; i < NODE_RUNS; i += 1) {
    for (const driver of DRIVERS) {
      tell(`node times of ${driver}`)();
      timed[driver].push((await run(driver, "batch")).plan);
    }
  }
  const [pull, push] = [timed.pull[0], timed.push[0]];
  if (!pull || !push) throw new Error(`${name}: no run had a plan.`);
  const { digest = "", rows = 0 } = answer ?? {};
  return { query, batchRows, pairs: measured, floor: floor(aa, speedup), executionsPerSample: executions, plans: { pull, push }, nodeMs: { pull: ownTimes(timed.pull), push: ownTimes(timed.push) }, digest, rows };
}

/** The median own time of each node over runs of one plan. */
function ownTimes(runs: readonly PlanModel[]): number[] {
  return (runs[0]?.nodes ?? []).map((_, node) => median(runs.map((plan) => plan.nodes[node]?.figures?.ownMs ?? 0)));
}

/** Whether a figure is larger than what the same thing differs from itself. */
export function aboveFloor(result: QueryResult): boolean {
  return Math.abs(result.pairs.gain) > result.floor;
}

/** What a set of results says together. */
export interface Summary {
  /** Mean speed-up, as the mail's reader would form it. */
  meanSpeedup: number;
  /** Queries in which push is slower than pull by more than the floor. */
  slower: number[];
}

export function summary(results: readonly QueryResult[]): Summary | null {
  if (results.length === 0) return null;
  return {
    meanSpeedup: mean(results.map((it) => it.pairs.gain)),
    slower: results.filter((it) => it.pairs.gain < 0 && aboveFloor(it)).map((it) => it.query),
  };
}

/** How many times faster push is at the second batch_rows than at the first, over the queries measured at both. */
export function batchGain(results: readonly QueryResult[], from: number, to: number): number | null {
  const ratios = results.flatMap((slow) => {
    const fast = results.find((it) => it.query === slow.query && it.batchRows === to);
    return slow.batchRows === from && fast ? [slow.pairs.medianB / fast.pairs.medianB] : [];
  });
  return ratios.length > 0 ? geometricMean(ratios) : null;
}
