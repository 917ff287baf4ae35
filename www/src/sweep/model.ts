import type { Assignment } from "../engine/messages";
import { exportRange } from "../results/export";
import { median, quantile } from "../measure/statistics";
import type { Counts } from "../plan/totals";

/** A setting and the values that it takes. */
export interface Axis {
  setting: string;
  values: readonly string[];
}

/** The product of one or more axes; cells count with the last axis the fastest. */
export type Grid = readonly Axis[];

/** One combination of values. */
export interface Cell {
  index: number;
  /** Place on each axis. */
  at: number[];
  settings: Assignment[];
}

/** What a cell's runs said. */
export interface CellResult {
  index: number;
  /** Milliseconds of each sample; none where only counts were asked for. */
  samples: number[];
  counts: Counts;
}

/** A figure of a cell. */
export interface Measure {
  id: string;
  label: string;
  /** Null where the cell was not timed. */
  of: (cell: CellResult) => number | null;
}

export const TIME: Measure = { id: "time", label: "Time per run", of: ({ samples }) => (samples.length > 0 ? median(samples) : null) };
export const COUNTS: Measure[] = [
  { id: "steps", label: "Steps", of: ({ counts }) => counts.steps },
  { id: "batches", label: "Hand-overs", of: ({ counts }) => counts.batches },
  { id: "rows", label: "Rows handed over", of: ({ counts }) => counts.rows },
  { id: "pages", label: "Pages read", of: ({ counts }) => counts.pagesRead },
];
export const MEASURES: Measure[] = [TIME, ...COUNTS];

/** From one power of two to another, both included. */
export function powersOfTwo(from: number, to: number): string[] {
  const values: string[] = [];
  for (let value = from; value <= to; value *= 2) values.push(String(value));
  return values;
}

export function cells(grid: Grid): Cell[] {
  const count = grid.reduce((product, axis) => product * axis.values.length, 1);
  return Array.from({ length: count }, (_, index) => {
    const at = places(grid, index);
    return { index, at, settings: grid.map((axis, i): Assignment => [axis.setting, axis.values[at[i] ?? 0] ?? ""]) };
  });
}

function places(grid: Grid, index: number): number[] {
  const at: number[] = [];
  let left = index;
  for (const axis of [...grid].reverse()) {
    at.unshift(left % axis.values.length);
    left = Math.floor(left / axis.values.length);
  }
  return at;
}

/** A measure over a grid's cells, by place: what a curve draws as lines and a heat map as fields. */
export function figures(grid: Grid, results: readonly CellResult[], measure: Measure): (number | null)[] {
  const found: (number | null)[] = cells(grid).map(() => null);
  for (const result of results) found[result.index] = measure.of(result);
  return found;
}

/** Figures over the one that stands first on an axis while the other places are the same. */
export function ratios(grid: Grid, values: readonly (number | null)[], axis: number): (number | null)[] {
  const stride = grid.slice(axis + 1).reduce((product, it) => product * it.values.length, 1);
  return cells(grid).map(({ index, at }) => {
    const value = values[index] ?? null;
    const first = values[index - (at[axis] ?? 0) * stride] ?? null;
    return value === null || first === null || first === 0 ? null : value / first;
  });
}

/** A line of a curve: all cells that differ only on the curve's axis. */
export interface Line {
  label: string;
  cells: Cell[];
}

/** The lines of a grid along an axis, named by their places on the others. */
export function lines(grid: Grid, along: number): Line[] {
  const found = new Map<string, Cell[]>();
  for (const cell of cells(grid)) {
    const label = cell.settings.filter((_, i) => i !== along).map(([, value]) => value).join(", ");
    found.set(label, [...(found.get(label) ?? []), cell]);
  }
  return [...found].map(([label, members]) => ({ label, cells: members }));
}

/** All cells that have been measured as CSV, one a line. */
export function sweepCsv(grid: Grid, results: readonly CellResult[], along: number): string {
  const relative = ratios(grid, figures(grid, results, TIME), along);
  const base = `${grid[along]?.setting ?? ""}_${grid[along]?.values[0] ?? ""}`;
  const heads = [...grid.map((axis) => axis.setting), "samples", "median_ms", "lower_quartile_ms", "upper_quartile_ms", `ratio_to_${base}`, ...COUNTS.map((it) => it.id)];
  const all = cells(grid);
  const rows = [...results]
    .sort((a, b) => a.index - b.index)
    .map((result) => {
      const { samples } = result;
      const timed = samples.length > 0;
      const ms = timed ? [TIME.of(result), quantile(samples, 0.25), quantile(samples, 0.75)] : [null, null, null];
      const numbers = [...ms, relative[result.index] ?? null].map((value) => (value === null ? null : value.toFixed(4)));
      return [...(all[result.index]?.settings.map(([, value]) => value) ?? []), String(samples.length), ...numbers, ...COUNTS.map((it) => String(it.of(result)))];
    });
  return `${exportRange({ columns: heads.map((name) => ({ name, type: "text" })), rows }, "CSV")}\n`;
}
