import { EngineClient } from "../engine/client";
import { spawnWorker } from "../engine/spawn";
import { numericFact, parsePlan } from "../plan/model";
import type { Counters, Execute } from "./lab1";

/** Long enough that few slice ends fall into a run, short enough for a cancel. */
const SLICE_MS = 60;

/** The lab's table; the setting decides about push-down, so the table itself says nothing. */
export function labScript(rows: number): string {
  return `CREATE TABLE t (i INTEGER);\nINSERT INTO t SELECT generate_series(1, ${rows});\nVACUUM t;`;
}

/** An engine of the lab's own: its table does not touch the notebook's session. */
export class LabEngine {
  private readonly client = new EngineClient(spawnWorker);
  private cancelled = false;

  get ready() {
    return this.client.ready;
  }

  /** Makes the table; `progress` is the share of the INSERT that is done. */
  async load(rows: number, progress: (share: number | null) => void): Promise<void> {
    const outcome = await this.client.run(labScript(rows), {
      onEvent: (event) => {
        if (event.kind === "progress" && event.statement === 1) progress(event.fraction);
      },
    });
    if (outcome.end !== "done") throw new Error(outcome.message);
    const error = outcome.statements.find((statement) => statement.error)?.error;
    if (error) throw new Error(error.message);
  }

  readonly execute: Execute = async (sql, settings) => {
    if (this.cancelled) throw new Error("Cancelled");
    const outcome = await this.client.run(sql, { settings, sliceMs: SLICE_MS });
    if (outcome.end !== "done") throw new Error(outcome.message);
    const [statement] = outcome.statements;
    if (statement?.error) throw new Error(statement.error.message);
    if (!statement?.plan) throw new Error("The statement has no plan.");
    const plan = parsePlan(statement.plan);
    const scan = plan.nodes.find((node) => node.type === "Seq Scan");
    if (!scan?.figures || plan.executionMs === null) throw new Error("The plan has no figures.");
    const figure = (key: string) => numericFact(scan, key) ?? 0;
    const counters: Counters = {
      keyEvaluations: figure("Key Evaluations"),
      qualEvaluations: figure("Qual Evaluations"),
      rowsRechecked: figure("Rows Rechecked"),
      removedByKeys: scan.figures.removedByKeys,
      removedByFilter: scan.figures.removedByFilter,
      returned: scan.figures.rowsOut,
    };
    return { ms: plan.executionMs, counters, answer: statement.rows[0]?.[0] ?? "" };
  };

  cancel(): void {
    this.cancelled = true;
    this.client.cancel();
  }

  close(): void {
    this.cancelled = true;
    this.client.close();
  }
}
