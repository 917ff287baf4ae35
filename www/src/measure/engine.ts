import { EngineClient, type WorkerLike } from "../engine/client";
import type { Assignment } from "../engine/messages";
import type { Column } from "../engine/protocol";
import { spawnWorker } from "../engine/spawn";
import { parsePlan, type PlanModel } from "../plan/model";
import { loadedShare, type Dataset } from "./dataset";

/** Long enough that few slice ends fall into a run, short enough for a cancel. */
const SLICE_MS = 60;

/** One execution of one statement. */
export interface Execution {
  ms: number;
  plan: PlanModel;
  columns: Column[];
  rows: (string | null)[][];
}

/** Runs a statement once under the settings; throws when it fails or is cancelled. */
export type Execute = (sql: string, settings: Assignment[]) => Promise<Execution>;

/** An engine of its own for measuring: its tables do not touch the notebook's session. */
export class MeasureEngine {
  private readonly client: EngineClient;
  private cancelled = false;
  /** The script whose tables the database holds, whole. */
  private holds: string | null = null;
  private used = false;

  constructor(spawn: () => WorkerLike = spawnWorker) {
    this.client = new EngineClient(spawn, { restarted: () => (this.holds = null) });
  }

  get ready() {
    return this.client.ready;
  }

  /** Makes the tables where the database does not hold them yet; `progress` is the share that is done. */
  async load(dataset: Dataset, progress: (share: number | null) => void): Promise<void> {
    if (this.holds === dataset.script) return;
    if (this.used) await this.client.reset();
    this.used = true;
    this.holds = null;
    const { counterNames } = await this.ready;
    this.refuseCancelled();
    const outcome = await this.client.run(dataset.script, {
      keepRows: 0,
      onEvent: (event) => {
        if (event.kind === "progress") progress(loadedShare(dataset, event, counterNames));
      },
    });
    if (outcome.end !== "done") throw new Error(outcome.message);
    const error = outcome.statements.find((statement) => statement.error)?.error;
    if (error) throw new Error(error.message);
    this.refuseCancelled();
    this.holds = dataset.script;
  }

  readonly execute: Execute = async (sql, settings) => {
    this.refuseCancelled();
    const outcome = await this.client.run(sql, { settings, sliceMs: SLICE_MS });
    if (outcome.end !== "done") throw new Error(outcome.message);
    const [statement] = outcome.statements;
    if (statement?.error) throw new Error(statement.error.message);
    if (!statement?.plan) throw new Error("The statement has no plan.");
    const plan = parsePlan(statement.plan);
    if (plan.executionMs === null) throw new Error("The plan has no figures.");
    return { ms: plan.executionMs, plan, columns: statement.columns, rows: statement.rows };
  };

  /** Ends what runs; nothing more is executed until `begin`. */
  cancel(): void {
    this.cancelled = true;
    this.client.cancel();
  }

  begin(): void {
    this.cancelled = false;
  }

  close(): void {
    this.cancelled = true;
    this.client.close();
  }

  private refuseCancelled(): void {
    if (this.cancelled) throw new Error("Cancelled");
  }
}
