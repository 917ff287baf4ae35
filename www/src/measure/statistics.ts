/** The arithmetic of the labs: the mails' own, and medians of interleaved pairs. */

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Standard deviation of a sample (divided by n - 1), as the mails' tables have it. */
export function sampleDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which a share of the values lies, interpolated between neighbours. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

/** Mail 1's gain: (head - patch) / head. Positive is faster. */
export function gain(head: number, patch: number): number {
  return (head - patch) / head;
}

/** Mail 4's speed-up: (pull - push) / push, of its "master" and "reversed". Positive is faster. */
export function speedup(pull: number, push: number): number {
  return (pull - push) / push;
}

/** How a mail compares two times, the older way first. */
export type Comparison = (before: number, after: number) => number;

/** The mean of ratios: 2 and 0.5 together are 1. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(mean(values.map(Math.log)));
}

/** Which of the two runs at each place of `pairs` interleaved pairs: A B B A A B B A … */
export function interleaved(pairs: number): ("a" | "b")[] {
  return Array.from({ length: pairs }, (_, pair): ("a" | "b")[] => (pair % 2 === 0 ? ["a", "b"] : ["b", "a"])).flat();
}

/** What interleaved pairs say of A against B. */
export interface Paired {
  a: number[];
  b: number[];
  medianA: number;
  medianB: number;
  /** The medians by the mail's formula. */
  gain: number;
  /** Quartiles of the same formula pair by pair: the spread. */
  low: number;
  high: number;
}

export function paired(a: readonly number[], b: readonly number[], compare: Comparison = gain): Paired {
  const gains = a.map((before, i) => compare(before, b[i] ?? Number.NaN));
  const medianA = median(a);
  const medianB = median(b);
  return { a: [...a], b: [...b], medianA, medianB, gain: compare(medianA, medianB), low: quantile(gains, 0.25), high: quantile(gains, 0.75) };
}

/**
 * The A/A floor: how far two runs of the same thing typically differ. A gain that is not larger
 * says nothing.
 */
export function floor(aa: Paired, compare: Comparison = gain): number {
  return median(aa.a.map((first, i) => Math.abs(compare(first, aa.b[i] ?? Number.NaN))));
}

/** Whether the last three runs lie within 2 % of each other: the browser's compilers are done. */
export function settled(runs: readonly number[], within = 0.02): boolean {
  const last = runs.slice(-3);
  return last.length === 3 && Math.max(...last) - Math.min(...last) <= within * Math.min(...last);
}

/** A sample shorter than this, in milliseconds, is at the mercy of whatever else the machine does. */
const SAMPLE_MS = 20;

/** Executions in one sample, so that it lasts at least 20 ms and 50 steps of the clock. */
export function executionsPerSample(ms: number, clockStepMs: number): number {
  return Math.max(1, Math.ceil(Math.max(50 * clockStepMs, SAMPLE_MS) / Math.max(ms, clockStepMs / 10, 1e-6)));
}
