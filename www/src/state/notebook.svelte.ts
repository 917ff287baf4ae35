import { EngineClient, type Outcome, type RunOptions, type StatementResult, type WorkerLike } from "../engine/client";
import type { Assignment, Hello } from "../engine/messages";
import type { Setting, Table } from "../engine/protocol";
import { spawnWorker } from "../engine/spawn";
import { readsOnly, statementAt } from "../editor/statements";
import { withCounters } from "../plan/live";
import { hottest, parsePlan, type PlanModel } from "../plan/model";
import { addRun, enough, type Repeated } from "../plan/repeat";
import { decodeLink, encodeLink, type Shared, type View } from "../share/link";
import { IDLE, isBusy, reduce, type Action, type Run, type Source } from "./run";
import { changed, setStatement, setupKey } from "./setup_key";

export interface Message {
  id: number;
  tone: "info" | "error";
  text: string;
}

/** A repeated measurement of one statement of the present results. */
export interface Measurement {
  statement: number;
  repeated: Repeated;
  running: boolean;
}

/** A cancel that is not heard by then is a step that does not yield: the worker can still be ended. */
const DEAF_AFTER_MS = 2000;
/** How long Measure repeats a statement whose nodes stay below the clock's step. */
const MEASURE_FOR_MS = 10_000;

/** The page's state: the notebook's two texts, the session's settings, the run and what is looked at. */
export class Notebook {
  setup = $state("");
  query = $state("");
  settings = $state.raw<Setting[]>([]);
  tables = $state.raw<Table[]>([]);
  hello = $state.raw<Hello | null>(null);
  run = $state.raw<Run>(IDLE);
  statement = $state(0);
  node = $state<number | null>(null);
  view = $state<View>("tree");
  messages = $state.raw<Message[]>([]);
  measurement = $state.raw<Measurement | null>(null);
  /** The setup that the database holds; null for a fresh one. */
  private ready = $state<string | null>(null);
  deaf = $state(false);
  /** Why there is no engine at all, where that is so. */
  broken = $state<string | null>(null);

  readonly busy = $derived(isBusy(this.run) || this.measurement?.running === true);
  readonly changed = $derived(changed(this.settings));
  readonly setupIsCurrent = $derived(this.ready !== null && this.ready === setupKey(this.setup, this.settings));
  readonly current = $derived<StatementResult | null>(this.run.statements[this.statement] ?? null);
  readonly plan = $derived.by<PlanModel | null>(() => (this.current?.plan ? readPlan(this.current.plan) : null));
  private readonly liveShape = $derived.by<PlanModel | null>(() => (this.run.live?.plan ? readPlan(this.run.live.plan) : null));
  readonly livePlan = $derived.by<PlanModel | null>(() => {
    const counters = this.run.live?.counters;
    return this.liveShape && counters && this.hello ? withCounters(this.liveShape, this.hello.counterNames, counters) : this.liveShape;
  });

  private readonly client: EngineClient;
  private operations: Promise<unknown> = Promise.resolve();
  private cancelled = false;
  private wantedNode: number | null = null;
  private messageIds = 0;

  constructor(spawn: () => WorkerLike = spawnWorker) {
    this.client = new EngineClient(spawn, {
      session: (settings, tables) => {
        this.settings = settings;
        this.tables = tables;
      },
      restarted: (message) => this.restarted(message),
    });
    this.greet();
  }

  /** Runs the setup where the database does not hold it yet, then the whole query. */
  runQuery(): Promise<void> {
    return this.start("query", this.query, 0);
  }

  /** Runs the selection, or the statement at the cursor. */
  runPart(from: number, to: number): Promise<void> {
    const span = from < to ? { from, to } : statementAt(this.query, from);
    return span ? this.start("query", this.query.slice(span.from, span.to), span.from) : Promise.resolve();
  }

  /** Runs a script in the session as it is, for automation. The settings hold for this script only. */
  async runConsole(script: string, settings: Assignment[]): Promise<Outcome> {
    return this.inTurn(() => this.execute("console", script, 0, { settings }));
  }

  cancel(): void {
    if (!this.busy) return;
    this.cancelled = true;
    this.dispatch({ type: "cancel" });
    this.client.cancel();
    setTimeout(() => (this.deaf = this.cancelled && this.busy), DEAF_AFTER_MS);
  }

  /** Ends a worker that does not hear a cancel. */
  restart(): void {
    this.client.restart("The engine was ended because it did not hear the cancel.");
  }

  /** A fresh database; the knobs keep their values. */
  reset(): Promise<void> {
    return this.inTurn(async () => {
      await this.fresh();
      this.dispatch({ type: "clear" });
      this.measurement = null;
    });
  }

  /** Turns a knob: a SET, or with null a RESET, of the session. */
  async setKnob(name: string, value: string | null): Promise<void> {
    const outcome = await this.inTurn(() => this.client.run(setStatement(name, value)));
    const error = outcome.end === "done" ? outcome.statements.find((statement) => statement.error)?.error?.message : outcome.message;
    // The table is drawn anew from the session's values, so a refused knob springs back.
    this.settings = [...this.settings];
    if (error) this.tell("error", error);
  }

  async resetKnobs(): Promise<void> {
    for (const [name] of this.changed) await this.setKnob(name, null);
  }

  shared(): Shared {
    return { setup: this.setup, query: this.query, settings: this.changed, view: this.view, node: this.node };
  }

  link(): string {
    return location.href.replace(/#.*$/, "") + encodeLink(this.shared());
  }

  /** Restores what a link holds, in a fresh database. Nothing runs but the SETs. Throws `LinkError`. */
  async open(link: string): Promise<void> {
    await this.load(decodeLink(link));
  }

  async load(shared: Shared): Promise<void> {
    this.cancel();
    await this.inTurn(async () => {
      await this.fresh(shared.settings);
      this.setup = shared.setup;
      this.query = shared.query;
      this.view = shared.view;
      this.node = null;
      this.wantedNode = shared.node;
      this.measurement = null;
      this.dispatch({ type: "clear" });
    });
  }

  /** Repeats the shown statement until each of its nodes has run for twenty clock steps. */
  async measure(): Promise<void> {
    const statement = this.statement;
    const result = this.current;
    if (!result || this.busy || !this.measurable(result)) return;
    this.cancelled = false;
    const began = performance.now();
    let repeated: Repeated | null = null;
    for (;;) {
      const outcome = await this.inTurn(() => this.client.run(result.sql, { keepRows: 0 }));
      const plan = outcome.end === "done" ? outcome.statements[0]?.plan : null;
      const model = plan ? readPlan(plan) : null;
      if (!model || outcome.end !== "done" || outcome.statements[0]?.error) break;
      repeated = addRun(repeated, model);
      const over = this.cancelled || performance.now() - began > MEASURE_FOR_MS || enough(repeated, model, model.clockStepMs);
      this.measurement = { statement, repeated, running: !over };
      if (over) return;
    }
    this.measurement = repeated ? { statement, repeated, running: false } : null;
  }

  measurable(result: StatementResult): boolean {
    return result.plan !== null && !result.error && readsOnly(result.sql, result.tag);
  }

  select(statement: number): void {
    this.statement = statement;
    this.node = this.plan ? hottest(this.plan) : null;
  }

  tell(tone: Message["tone"], text: string): void {
    const message = { id: (this.messageIds += 1), tone, text };
    this.messages = [...this.messages.slice(-2), message];
  }

  dismiss(id: number): void {
    this.messages = this.messages.filter((message) => message.id !== id);
  }

  private async start(source: Source, script: string, offset: number): Promise<void> {
    if (this.busy || script.trim() === "") return;
    await this.inTurn(async () => {
      this.measurement = null;
      if (await this.prepare()) await this.execute(source, script, offset, {});
    });
  }

  /** Brings the database to what the setup makes; false when the setup failed, which is then shown. */
  private async prepare(): Promise<boolean> {
    if (this.setupIsCurrent) return true;
    if (this.ready !== null || this.setup.trim() !== "") {
      this.dispatch({ type: "prepare", text: this.setup });
      await this.fresh();
    }
    if (this.setup.trim() !== "") {
      const outcome = await this.execute("setup", this.setup, 0, {});
      if (outcome.end !== "done" || outcome.statements.some((statement) => statement.error)) return false;
    }
    this.ready = setupKey(this.setup, this.settings);
    return true;
  }

  private async execute(source: Source, script: string, offset: number, options: RunOptions): Promise<Outcome> {
    this.cancelled = false;
    this.deaf = false;
    if (source === "setup") this.dispatch({ type: "prepare", text: this.setup });
    else this.dispatch({ type: "run", source, text: source === "query" ? this.query : script, offset });
    const outcome = await this.client.run(script, { ...options, onEvent: (event) => this.dispatch({ type: "event", event }) });
    this.deaf = false;
    if (outcome.end === "done") this.dispatch({ type: "end", statements: outcome.statements });
    else this.dispatch({ type: "fail", failure: outcome.message, statements: outcome.end === "dead" ? outcome.statements : [] });
    this.show();
    return outcome;
  }

  /** Looks at the first error, else at the last statement that has something to show. */
  private show(): void {
    const { statements } = this.run;
    const failed = statements.findIndex((statement) => statement.error);
    const shown = statements.findLastIndex((statement) => statement.columns.length > 0);
    const planned = statements.findLastIndex((statement) => statement.plan);
    this.select(failed >= 0 ? failed : shown >= 0 ? shown : planned >= 0 ? planned : Math.max(0, statements.length - 1));
    if (this.wantedNode !== null && this.run.source === "query" && this.plan) {
      if (this.wantedNode < this.plan.nodes.length) this.node = this.wantedNode;
      this.wantedNode = null;
    }
  }

  private async fresh(settings: Assignment[] = this.changed): Promise<void> {
    this.ready = null;
    await this.client.reset();
    for (const [name, value] of settings) {
      const outcome = await this.client.run(setStatement(name, value));
      const error = outcome.end === "done" ? outcome.statements[0]?.error?.message : outcome.message;
      if (error) this.tell("error", error);
    }
  }

  private restarted(message: string): void {
    const keep = this.changed;
    this.ready = null;
    this.tell("error", `The engine stopped and was started again with an empty database: ${message} The next Run makes the data anew.`);
    this.greet();
    // Before anything else that waits for the new engine.
    for (const [name, value] of keep) void this.client.run(setStatement(name, value));
  }

  private greet(): void {
    this.client.ready.then(
      (hello) => {
        this.hello = hello;
        this.settings = hello.settings;
        this.tables = [];
      },
      (cause: Error) => (this.broken = cause.message),
    );
  }

  private dispatch(action: Action): void {
    this.run = reduce(this.run, action);
  }

  /** One operation at a time: each sees the session as the one before left it. */
  private inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const mine = this.operations.then(operation, operation);
    this.operations = mine;
    return mine;
  }
}

function readPlan(json: string): PlanModel | null {
  try {
    return parsePlan(json);
  } catch {
    return null;
  }
}
