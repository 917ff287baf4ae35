import type { Assignment, FromWorker, Hello, ToWorker } from "./messages";
import type { Event, Setting, Statement, Table } from "./protocol";

/** The part of a `Worker` that the client needs; tests bring their own. */
export interface WorkerLike {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** A statement that has ended, with the rows that were kept of it. */
export interface StatementResult extends Statement {
  rows: (string | null)[][];
}

export type Outcome =
  | { end: "done"; statements: StatementResult[] }
  | { end: "refused"; message: string }
  | { end: "dead"; message: string; statements: StatementResult[] };

export interface RunOptions {
  settings?: Assignment[];
  sliceMs?: number;
  keepRows?: number;
  onEvent?: (event: Event) => void;
}

export interface ClientListeners {
  session?: (settings: Setting[], tables: Table[]) => void;
  /** The instance died and a new one is starting: its database is empty. */
  restarted?: (message: string) => void;
}

/** Long enough that a turn costs nothing, short enough that nobody waits for a cancel. */
const SLICE_MS = 8;
/** As many rows as the grid can show; more are counted, not kept. */
export const KEEP_ROWS = 1_000_000;
/** A worker that dies this often before its first answer will not do better the next time. */
const STARTS = 3;

interface Running {
  run: number;
  options: RunOptions;
  rows: Map<number, (string | null)[][]>;
  statements: StatementResult[];
  resolve: (outcome: Outcome) => void;
}

/**
 * Owns the worker that owns the engine. Scripts wait their turn; a dead worker is replaced.
 *
 * ```text
 * starting ─ready→ idle ─run→ running ─done→ idle
 *     ↑                          │ dead
 *     └──────────────────────────┘
 * ```
 */
export class EngineClient {
  private worker: WorkerLike;
  private running: Running | null = null;
  private queue: Promise<unknown> = Promise.resolve();
  private runs = 0;
  private deaths = 0;
  private hello!: Promise<Hello>;
  private greeted: (hello: Hello) => void = () => undefined;
  private refusedToStart: (cause: Error) => void = () => undefined;

  constructor(
    private readonly spawn: () => WorkerLike,
    private readonly listeners: ClientListeners = {},
  ) {
    this.worker = this.start();
  }

  /** Resolves when the present worker is ready; rejects when no worker will start. */
  get ready(): Promise<Hello> {
    return this.hello;
  }

  get busy(): boolean {
    return this.running !== null;
  }

  /** Runs a script after those already asked for. Never rejects: each end is an `Outcome`. */
  run(script: string, options: RunOptions = {}): Promise<Outcome> {
    const mine = this.queue.then(() => this.startRun(script, options));
    this.queue = mine;
    return mine;
  }

  cancel(): void {
    if (this.running) this.worker.postMessage({ type: "cancel" });
  }

  /** A fresh database with default settings, in turn with the scripts. */
  reset(): Promise<void> {
    const mine = this.queue.then(async () => {
      await this.hello.catch(() => undefined);
      this.worker.postMessage({ type: "reset" });
    });
    this.queue = mine;
    return mine;
  }

  /** Ends the worker whatever it does and starts another: the way out when a cancel is not heard. */
  restart(message: string): void {
    this.died(message);
  }

  close(): void {
    this.worker.terminate();
    this.finish({ end: "dead", message: "The engine was closed.", statements: this.running?.statements ?? [] });
  }

  private start(): WorkerLike {
    this.hello = new Promise((resolve, reject) => {
      this.greeted = resolve;
      this.refusedToStart = reject;
    });
    // Nobody may be waiting for the first answer yet.
    this.hello.catch(() => undefined);
    const worker = this.spawn();
    worker.onmessage = ({ data }) => this.receive(data);
    worker.onerror = (event) => this.died(event.message || "The engine's worker could not be loaded.");
    return worker;
  }

  private async startRun(script: string, options: RunOptions): Promise<Outcome> {
    try {
      await this.hello;
    } catch (cause) {
      return { end: "dead", message: (cause as Error).message, statements: [] };
    }
    return new Promise((resolve) => {
      const run = ++this.runs;
      this.running = { run, options, rows: new Map(), statements: [], resolve };
      this.worker.postMessage({
        type: "start",
        run,
        script,
        settings: options.settings ?? [],
        sliceMs: options.sliceMs ?? SLICE_MS,
        keepRows: options.keepRows ?? KEEP_ROWS,
      });
    });
  }

  private receive(message: FromWorker): void {
    switch (message.type) {
      case "ready":
        this.deaths = 0;
        this.greeted(message.hello);
        return;
      case "session":
        this.listeners.session?.(message.settings, message.tables);
        return;
      case "dead":
        this.died(message.message);
        return;
      case "refused":
        if (message.run === this.running?.run) this.finish({ end: "refused", message: message.message });
        return;
      case "event":
        if (message.run === this.running?.run) this.event(this.running, message.event);
    }
  }

  private event(running: Running, event: Event): void {
    if (event.kind === "rows") {
      const rows = running.rows.get(event.statement);
      // One by one: a spread of a large page would overflow the stack.
      if (rows) for (const row of event.rows) rows.push(row);
      else running.rows.set(event.statement, event.rows);
    } else if (event.kind === "statement") {
      const { kind: _, ...statement } = event;
      running.statements.push({ ...statement, rows: running.rows.get(event.statement) ?? [] });
      running.rows.delete(event.statement);
    }
    running.options.onEvent?.(event);
    if (event.kind === "done") this.finish({ end: "done", statements: running.statements });
  }

  private finish(outcome: Outcome): void {
    const running = this.running;
    this.running = null;
    running?.resolve(outcome);
  }

  private died(message: string): void {
    this.worker.onmessage = null;
    this.worker.onerror = null;
    this.worker.terminate();
    this.deaths += 1;
    const statements = this.running?.statements ?? [];
    if (this.deaths >= STARTS) {
      this.refusedToStart(new Error(message));
      this.hello = Promise.reject(new Error(message));
      this.hello.catch(() => undefined);
    } else {
      const waiting = this.refusedToStart;
      const greeted = this.greeted;
      this.worker = this.start();
      // Whoever waited for the dead worker is answered by the new one.
      this.hello.then(greeted, waiting);
    }
    this.finish({ end: "dead", message, statements });
    this.listeners.restarted?.(message);
  }
}
