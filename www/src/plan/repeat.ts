import type { PlanModel } from "./model";
import { TRUSTED_STEPS } from "../format/time";

/** Own times of one plan over several runs, for a clock that is too coarse for one. */
export interface Repeated {
  runs: number;
  /** Mean own time of a node over the runs, in milliseconds, by node. */
  ownMs: number[];
  /** The sum of each node's own time, which the clock's step is compared with. */
  totalMs: number[];
}

/** Adds a run; a plan of another shape starts over. */
export function addRun(before: Repeated | null, model: PlanModel): Repeated {
  const own = model.nodes.map((node) => node.figures?.ownMs ?? 0);
  const same = before && before.totalMs.length === own.length ? before : { runs: 0, totalMs: own.map(() => 0) };
  const runs = same.runs + 1;
  const totalMs = own.map((ms, id) => ms + (same.totalMs[id] ?? 0));
  return { runs, totalMs, ownMs: totalMs.map((ms) => ms / runs) };
}

/** Whether every node that ran has been measured for long enough to trust its mean. */
export function enough(repeated: Repeated, model: PlanModel, clockStepMs: number): boolean {
  return model.nodes.every((node) => (node.figures?.loops ?? 0) === 0 || (repeated.totalMs[node.id] ?? 0) >= TRUSTED_STEPS * clockStepMs);
}
