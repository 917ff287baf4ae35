/** A time below this many steps of the clock says more about the clock than about the node. */
export const TRUSTED_STEPS = 20;

/** Milliseconds with three significant digits: `0.012 ms`, `21.3 ms`, `1.25 s`. */
export function duration(ms: number): string {
  const magnitude = Math.abs(ms);
  if (magnitude >= 60_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  if (magnitude >= 1000) return `${(ms / 1000).toPrecision(3)} s`;
  if (magnitude >= 100) return `${Math.round(ms)} ms`;
  if (magnitude >= 10) return `${ms.toFixed(1)} ms`;
  if (magnitude >= 1) return `${ms.toFixed(2)} ms`;
  return `${ms.toFixed(3)} ms`;
}

/** Whether a time is long enough for the clock it was read from. */
export function trusted(ms: number, clockStepMs: number): boolean {
  return ms >= TRUSTED_STEPS * clockStepMs;
}

/** A measured time, or the bound that is all the clock can say: `< 2.00 ms`. */
export function measured(ms: number, clockStepMs: number): string {
  return trusted(ms, clockStepMs) ? duration(ms) : `< ${duration(TRUSTED_STEPS * clockStepMs)}`;
}
