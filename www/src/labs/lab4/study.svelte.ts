import type { Assignment } from "../../engine/messages";
import { MeasureJob } from "../../measure/job.svelte";
import type { MeasureEngine } from "../../measure/engine";
import type { Dataset } from "../../measure/dataset";
import type { Shared } from "../../share/link";
import { powersOfTwo, type CellResult, type Grid } from "../../sweep/model";
import { runSweep } from "../../sweep/runner";
import { SCALES, TABLES, tpchDataset } from "../../tpch/dataset";
import { SCHEMA, queryText } from "../../tpch/scripts";
import { runLab, type QueryResult } from "./lab4";
import { QUERIES, SWITCHES } from "./mail4";

/** Tuple at a time as in the mail, then the default. */
export const BATCH_ROWS = [1, 1024];
/** Both drivers of a batch size run one after the other, so that they have the same neighbors in time. */
export const GRID: Grid = [
  { setting: "batch_rows", values: powersOfTwo(1, 4096) },
  { setting: "executor", values: ["pull", "push"] },
];

/** What figures were measured with. */
export interface Conditions {
  scale: number;
  planner: Assignment[];
  /** Pairs of the table, samples of the sweep. */
  runs: number;
}

/** Choices and results of lab 4. It outlives the page's visits: a run that is opened in the notebook can be returned from. */
export class Study {
  readonly job = new MeasureJob(true);
  /** The smallest, so that the first figures are there within seconds. */
  scale = $state<number>(SCALES[0]);
  mailsPlanner = $state(true);
  pairs = $state(9);
  results = $state.raw<QueryResult[]>([]);
  measuredWith = $state.raw<Conditions | null>(null);
  sweepQuery = $state<number>(QUERIES[0]);
  samples = $state(5);
  swept = $state.raw<{ query: number; with: Conditions; cells: CellResult[] } | null>(null);

  measure(): Promise<void> {
    return this.job.run("lab", async (engine, hello) => {
      const conditions = this.conditions(this.pairs);
      this.results = [];
      this.measuredWith = conditions;
      await this.load(engine, conditions.scale);
      await runLab({
        queries: QUERIES.map((query) => ({ query, sql: queryText(query, conditions.scale) })),
        batchRows: BATCH_ROWS,
        pairs: conditions.runs,
        planner: conditions.planner,
        clockStepMs: hello.clockStepMs,
        execute: engine.execute,
        progress: (done, total, what) => this.job.tell(what, done / total),
        finished: (result) => (this.results = [...this.results, result]),
      });
    });
  }

  sweep(): Promise<void> {
    return this.job.run("sweep", async (engine, hello) => {
      const conditions = this.conditions(this.samples);
      const query = this.sweepQuery;
      this.swept = null;
      await this.load(engine, conditions.scale);
      await runSweep({
        grid: GRID,
        sql: queryText(query, conditions.scale),
        settings: conditions.planner,
        samples: conditions.runs,
        clockStepMs: hello.clockStepMs,
        execute: engine.execute,
        progress: (done, total, what) => this.job.tell(what, done / total),
        told: (cells) => (this.swept = { query, with: conditions, cells }),
      });
    });
  }

  /** A notebook that makes the data and runs a query as it was measured. */
  notebook(query: number, { scale, planner }: Conditions, settings: Assignment[]): Shared {
    return { setup: labDataset(scale).script, query: queryText(query, scale), settings: [...planner, ...settings], view: "table", node: null };
  }

  private conditions(runs: number): Conditions {
    return { scale: this.scale, planner: this.mailsPlanner ? SWITCHES : [], runs };
  }

  private load(engine: MeasureEngine, scale: number): Promise<void> {
    return engine.load(labDataset(scale), (share) => this.job.tell(`Making TPC-H at scale factor ${scale}`, share));
  }
}

/** The tables of the lab's queries: none reads partsupp. Prices are doubles, as in the mail. */
export function labDataset(scale: number): Dataset {
  return tpchDataset(
    SCHEMA,
    scale,
    "double precision",
    TABLES.filter((table) => table !== "partsupp"),
  );
}
