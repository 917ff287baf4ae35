import type { Progress } from "../engine/protocol";

/** A script that makes the tables of a measurement. */
export interface Dataset {
  script: string;
  /** Rows that each statement of the script makes, in order: its part of the progress. */
  rows: number[];
}

/** How much of the data is made, 0 to 1; null where the running statement does not tell. */
export function loadedShare(dataset: Dataset, event: Progress, counterNames: readonly string[]): number | null {
  const expected = dataset.rows[event.statement] ?? 0;
  const total = dataset.rows.reduce((sum, rows) => sum + rows, 0);
  if (total === 0) return null;
  const before = dataset.rows.slice(0, event.statement).reduce((sum, rows) => sum + rows, 0);
  if (expected === 0) return before / total;
  const made = event.fraction === null ? rowsMade(event.counters, counterNames) / expected : event.fraction;
  return (before + Math.min(1, made) * expected) / total;
}

/** Rows that have come out of the busiest node so far: of an INSERT the one that makes them. */
function rowsMade(counters: Float64Array | null, names: readonly string[]): number {
  const at = names.indexOf("rowsOut");
  let most = 0;
  if (counters && at >= 0) for (let i = at; i < counters.length; i += names.length) most = Math.max(most, counters[i] ?? 0);
  return most;
}
