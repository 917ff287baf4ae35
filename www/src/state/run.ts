import type { StatementResult } from "../engine/client";
import type { Event } from "../engine/protocol";

/** Whose text runs: errors are underlined in the editor it came from. */
export type Source = "setup" | "query" | "console";

/** What the running statement has told so far. */
export interface Live {
  statement: number;
  fraction: number | null;
  elapsedMs: number;
  /** EXPLAIN's JSON of the running plan. */
  plan: string | null;
  counters: Float64Array | null;
}

/**
 * Where a run is.
 *
 * ```text
 * idle ──prepare→ preparing ──run→ running ──→ done | failed | cancelled
 *   └────────────────run──────────────┘            └── prepare | run, again
 * ```
 */
export type Phase = "idle" | "preparing" | "running" | "done" | "failed" | "cancelled";

export interface Run {
  phase: Phase;
  source: Source;
  /** The whole text of the editor that the script came from: an edit makes its underlines stale. */
  text: string;
  /** Where the script begins in that text, in UTF-16 units. */
  offset: number;
  statements: StatementResult[];
  live: Live | null;
  /** A cancel was asked for and not yet heard. */
  cancelling: boolean;
  /** The engine's own failure, as opposed to a statement's error. */
  failure: string | null;
}

export type Action =
  | { type: "prepare"; text: string }
  | { type: "run"; source: Source; text: string; offset: number }
  | { type: "event"; event: Event }
  | { type: "cancel" }
  | { type: "end"; statements: StatementResult[] }
  | { type: "fail"; failure: string; statements: StatementResult[] }
  | { type: "clear" };

export const IDLE: Run = { phase: "idle", source: "query", text: "", offset: 0, statements: [], live: null, cancelling: false, failure: null };

export function isBusy(run: Run): boolean {
  return run.phase === "preparing" || run.phase === "running";
}

/** PostgreSQL's `query_canceled`. */
const CANCELED = "57014";

export function reduce(run: Run, action: Action): Run {
  switch (action.type) {
    case "prepare":
      return { ...IDLE, phase: "preparing", source: "setup", text: action.text };
    case "run":
      return { ...IDLE, phase: "running", source: action.source, text: action.text, offset: action.offset };
    case "cancel":
      return isBusy(run) ? { ...run, cancelling: true } : run;
    case "event":
      return isBusy(run) ? { ...run, live: live(run.live, action.event) } : run;
    case "end": {
      const errors = action.statements.flatMap((statement) => statement.error ?? []);
      const phase = errors.length === 0 ? "done" : errors.some((error) => error.sqlstate === CANCELED) ? "cancelled" : "failed";
      return { ...run, phase, statements: action.statements, live: null, cancelling: false };
    }
    case "fail":
      return { ...run, phase: "failed", failure: action.failure, statements: action.statements, live: null, cancelling: false };
    case "clear":
      return IDLE;
  }
}

function live(before: Live | null, event: Event): Live | null {
  if (event.kind !== "progress") return before;
  const same = before?.statement === event.statement;
  return {
    statement: event.statement,
    fraction: event.fraction,
    elapsedMs: event.elapsed_ms,
    plan: event.plan ?? (same ? before.plan : null),
    counters: event.counters ?? (same ? before.counters : null),
  };
}
