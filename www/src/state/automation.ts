import type { StatementResult } from "../engine/client";
import type { Column, StatementError } from "../engine/protocol";
import type { Notebook } from "./notebook.svelte";

/** What `window.tuplescope.run` tells of a statement. */
export interface AutomatedStatement {
  sql: string;
  tag: string;
  columns: Column[];
  rows: (string | null)[][];
  error: StatementError | null;
  /** EXPLAIN's JSON with actual figures, parsed. */
  plan: unknown;
}

/** The page for programs and for the browser's console. */
export interface Automation {
  /** Runs a script in the session; `settings` hold for this call. Rejects when the engine itself fails. */
  run(script: string, options?: { settings?: Record<string, unknown> }): Promise<{ statements: AutomatedStatement[] }>;
  cancel(): void;
  /** A link to the page as it is. */
  link(): string;
  /** Opens a link as a visitor would; runs nothing. */
  open(link: string): Promise<void>;
  readonly version: string;
}

declare global {
  interface Window {
    tuplescope: Automation;
  }
}

export function automation(notebook: Notebook): Automation {
  return {
    async run(script, options = {}) {
      const settings = Object.entries(options.settings ?? {}).map(([name, value]): [string, string] => [name, settingText(value)]);
      const outcome = await notebook.runConsole(String(script), settings);
      if (outcome.end !== "done") throw new Error(outcome.message);
      return { statements: outcome.statements.map(automated) };
    },
    cancel: () => notebook.cancel(),
    link: () => notebook.link(),
    open: (link) => notebook.open(String(link)),
    get version() {
      return notebook.hello?.version ?? "";
    },
  };
}

/** JavaScript's own words for a setting: `true` is `on`. */
function settingText(value: unknown): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return String(value);
}

function automated({ sql, tag, columns, rows, error, plan }: StatementResult): AutomatedStatement {
  return { sql, tag, columns, rows, error, plan: plan === null ? null : JSON.parse(plan) };
}
