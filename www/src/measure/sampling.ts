import { executionsPerSample, interleaved, paired, settled, type Comparison, type Paired } from "./statistics";

/** Executes a thing once and answers the milliseconds that it took. */
export type Once = () => Promise<number>;

/** More warm-up than this does not help; a noisy machine never settles. */
export const WARM_UP = 10;

/**
 * Executes until three runs agree, `WARM_UP` times at most, and answers the last time. `tell` is called
 * `WARM_UP` times whatever happens, so that progress can be told beforehand.
 */
export async function warmUp(once: Once, tell: () => void): Promise<number> {
  const runs: number[] = [];
  for (let i = 0; i < WARM_UP; i += 1) {
    tell();
    if (!settled(runs)) runs.push(await once());
  }
  return runs.at(-1) ?? Number.NaN;
}

/** The mean of some executions, which together are long enough for the clock. */
export async function sample(once: Once, executions: number): Promise<number> {
  let ms = 0;
  for (let i = 0; i < executions; i += 1) ms += await once();
  return ms / executions;
}

/** Executions in one sample of the quicker of some things. */
export function executionsFor(warm: readonly number[], clockStepMs: number): number {
  return executionsPerSample(Math.min(...warm), clockStepMs);
}

/** Samples of A and B in interleaved pairs: A B B A …; `tell` is called before each. */
export async function measurePairs(pairs: number, sampleA: Once, sampleB: Once, compare: Comparison, tell: () => void): Promise<Paired> {
  const a: number[] = [];
  const b: number[] = [];
  for (const side of interleaved(pairs)) {
    tell();
    if (side === "a") a.push(await sampleA());
    else b.push(await sampleB());
  }
  return paired(a, b, compare);
}
