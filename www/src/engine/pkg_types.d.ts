/** The class that `web` exports; wasm-bindgen writes its JavaScript into `pkg/` when the page is built. */
declare module "#engine-pkg" {
  import type { Event, Setting, Table } from "./protocol";

  export class Engine {
    constructor();
    free(): void;
    /** The engine's version. */
    version(): string;
    /** Every setting with the session's value. */
    settings_table(): Setting[];
    /** The session's tables. */
    tables(): Table[];
    /** What the numbers of `Progress.counters` are, in order, for each node. */
    counter_names(): string[];
    /** The smallest step of the clock seen when the engine started, in milliseconds. */
    clock_step_ms(): number;
    /**
     * Begins a script; `settings` hold for this script only, and of each statement's rows the first
     * `keep_rows` are told. Throws a string when a setting is refused.
     */
    start(script: string, settings: [string, string][], keep_rows: number): void;
    /** Works for about `slice_ms` milliseconds and says what came of it. */
    resume(slice_ms: number): Event;
    /** Asks the running statement to end with 57014; the next `resume` reports it. */
    cancel(): void;
    /** A fresh database, with every setting at its default. */
    reset(): void;
  }

  export default function init(): Promise<unknown>;
}
