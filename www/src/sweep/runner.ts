import type { Assignment } from "../engine/messages";
import type { Execute } from "../measure/engine";
import { executionsFor, sample } from "../measure/sampling";
import { planCounts } from "../plan/totals";
import { resultDigest } from "../results/digest";
import { cells, type Cell, type CellResult, type Grid } from "./model";

export interface SweepOptions {
  grid: Grid;
  sql: string;
  /** Settings that hold in every cell. */
  settings: Assignment[];
  /** Samples of a cell; with none everything that is told is deterministic. */
  samples: number;
  clockStepMs: number;
  execute: Execute;
  progress: (done: number, total: number, what: string) => void;
  /** All cells as they are by now, after each that is counted and after each round of samples. */
  told: (results: CellResult[]) => void;
}

/** Executions of a cell before its time counts. */
const WARM_UP = 3;

/**
 * Runs a read-only statement in every cell of a grid. First each cell by itself, for its counts and as
 * warm-up; then rounds over all cells, forwards and backwards, so that a slow minute of the machine falls
 * on all of them.
 */
export async function runSweep(options: SweepOptions): Promise<CellResult[]> {
  const { grid, sql, settings, samples, clockStepMs, execute, progress, told } = options;
  const all = cells(grid);
  const warmUps = samples > 0 ? WARM_UP : 1;
  const total = all.length * (warmUps + samples);
  let done = 0;
  let digest: string | null = null;
  const results: CellResult[] = [];
  const executions: number[] = [];

  const once = async (cell: Cell) => {
    const got = await execute(sql, [...settings, ...cell.settings, ["explain_timing", "off"]]);
    const answer = resultDigest(got.columns, got.rows);
    digest ??= answer;
    if (digest !== answer) throw new Error(`The answer with ${words(cell)} differs from the one before.`);
    return got;
  };

  for (const cell of all) {
    let last = 0;
    for (let i = 0; i < warmUps; i += 1) {
      progress((done += 1), total, `counting, ${words(cell)}`);
      const { ms, plan } = await once(cell);
      last = ms;
      results[cell.index] = { index: cell.index, samples: [], counts: planCounts(plan) };
    }
    executions[cell.index] = executionsFor([last], clockStepMs);
    told([...results]);
  }
  for (let round = 0; round < samples; round += 1) {
    for (const cell of round % 2 === 0 ? all : [...all].reverse()) {
      progress((done += 1), total, `sample ${round + 1} of ${samples}, ${words(cell)}`);
      const ms = await sample(async () => (await once(cell)).ms, executions[cell.index] ?? 1);
      const before = results[cell.index];
      if (before) results[cell.index] = { ...before, samples: [...before.samples, ms] };
    }
    told([...results]);
  }
  return results;
}

function words(cell: Cell): string {
  return cell.settings.map(([name, value]) => `${name} ${value}`).join(", ");
}
