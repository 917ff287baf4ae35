import type { Event, Setting, Table } from "./protocol";

/** A setting and its value, as `SET name = value` takes them. */
export type Assignment = [name: string, value: string];

/** What the page asks of the worker. One script runs at a time. */
export type ToWorker =
  | { type: "start"; run: number; script: string; settings: Assignment[]; sliceMs: number; keepRows: number }
  | { type: "cancel" }
  | { type: "reset" };

/** What the engine is and where it runs; sent once, when the worker is ready. */
export interface Hello {
  version: string;
  settings: Setting[];
  counterNames: string[];
  /** The smallest step of the worker's clock, in milliseconds. */
  clockStepMs: number;
  isolated: boolean;
}

export type FromWorker =
  | { type: "ready"; hello: Hello }
  | { type: "event"; run: number; event: Event }
  /** The session as it is, after every script and reset. */
  | { type: "session"; settings: Setting[]; tables: Table[] }
  /** The script was refused before it began. */
  | { type: "refused"; run: number; message: string }
  /** The instance is dead: a trap or a panic. Nothing more comes from this worker. */
  | { type: "dead"; message: string };
