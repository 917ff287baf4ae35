import type { Assignment } from "./messages";
import type { Event } from "./protocol";

/** The part of the engine that the loop needs. */
export interface Sliced {
  start(script: string, settings: Assignment[], keepRows: number): void;
  resume(sliceMs: number): Event;
}

export interface SliceOptions {
  /** Milliseconds of work between two turns of the event loop. */
  sliceMs: number;
  /** Rows of a statement beyond this number are counted but not told. */
  keepRows: number;
  /** Gives the event loop a turn, so that a cancel message can arrive. */
  turn: () => Promise<void>;
  now: () => number;
  post: (event: Event) => void;
}

/** Progress is passed on this often, in milliseconds; a screen shows no more. */
const PROGRESS_EVERY_MS = 40;

/** Runs a script slice by slice until the engine says it is done. */
export async function runSlices(engine: Sliced, script: string, settings: Assignment[], options: SliceOptions): Promise<void> {
  const { sliceMs, keepRows, turn, now, post } = options;
  let posted = Number.NEGATIVE_INFINITY;
  let turned = now();
  engine.start(script, settings, keepRows);
  for (;;) {
    const event = engine.resume(sliceMs);
    if (event.kind === "progress") {
      // The plan's shape comes once and must not be lost to the throttle.
      if (event.plan !== null || now() - posted >= PROGRESS_EVERY_MS) {
        posted = now();
        post(event);
      }
    } else {
      post(event);
      if (event.kind === "done") return;
    }
    // Events that bring rows return early: a turn is due by time, not by event.
    if (now() - turned >= sliceMs) {
      await turn();
      turned = now();
    }
  }
}
