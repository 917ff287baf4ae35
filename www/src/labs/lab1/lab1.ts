import type { Assignment } from "../../engine/messages";
import { numericFact, type PlanModel } from "../../plan/model";
import type { Dataset } from "../../measure/dataset";
import type { Execute } from "../../measure/engine";
import { WARM_UP, executionsFor, measurePairs, sample, warmUp } from "../../measure/sampling";
import { floor, gain, type Paired } from "../../measure/statistics";
import { CASES, mailArithmetic, type CaseId, type MailFigures } from "./mail1";

export type ExecutorName = "push" | "pull";
export type VariantId = "head" | "always" | "auto" | "batched";

/** One way to run a case. */
export interface Variant {
  id: VariantId;
  label: string;
  settings: Assignment[];
}

/** Head is push-down off at the same batch_rows in the same driver; `batched` alone changes batch_rows too. */
export const VARIANTS: Variant[] = [
  { id: "head", label: "Push-down off (the mail's Head)", settings: [["quals_push_down", "off"], ["batch_rows", "1"]] },
  { id: "always", label: "Push-down, recheck always (the mail's Patch)", settings: [["quals_push_down", "on"], ["quals_recheck", "always"], ["batch_rows", "1"]] },
  { id: "auto", label: "Push-down, recheck auto", settings: [["quals_push_down", "on"], ["quals_recheck", "auto"], ["batch_rows", "1"]] },
  { id: "batched", label: "Push-down, recheck auto, batch_rows 1024", settings: [["quals_push_down", "on"], ["quals_recheck", "auto"], ["batch_rows", "1024"]] },
];

/** What the scan counted: the same on every machine. */
export interface Counters {
  keyEvaluations: number;
  qualEvaluations: number;
  rowsRechecked: number;
  removedByKeys: number;
  removedByFilter: number;
  returned: number;
}

/** The lab's table; the setting decides about push-down, so the table itself says nothing. */
export function labTable(rows: number): Dataset {
  return { script: `CREATE TABLE t (i INTEGER);\nINSERT INTO t SELECT generate_series(1, ${rows});\nVACUUM t;`, rows: [0, rows, 0] };
}

export interface VariantResult {
  variant: Variant;
  counters: Counters;
  /** Head against this variant; for head itself, head against head. */
  pairs: Paired;
}

export interface CaseResult {
  case: CaseId;
  executor: ExecutorName;
  rows: number;
  /** The mail's arithmetic: three runs of head, three of `always`. */
  mail: MailFigures;
  /** Three runs each, in milliseconds, as the mail prints them. */
  headRuns: number[];
  patchRuns: number[];
  floor: number;
  variants: VariantResult[];
  executionsPerSample: number;
}

export interface LabOptions {
  rows: number;
  pairs: number;
  executors: ExecutorName[];
  clockStepMs: number;
  execute: Execute;
  progress: (done: number, total: number, what: string) => void;
  finished: (result: CaseResult) => void;
}

/** Measures every case under every executor; each result is told as it is there. */
export async function runLab(options: LabOptions): Promise<CaseResult[]> {
  const { executors, pairs } = options;
  const perCase = VARIANTS.length * WARM_UP + 6 + VARIANTS.length * pairs * 2;
  const total = perCase * CASES.length * executors.length;
  const results: CaseResult[] = [];
  for (const executor of executors) {
    for (const { id } of CASES) {
      const result = await measureCase(id, executor, options, results.length * perCase, total);
      results.push(result);
      options.finished(result);
    }
  }
  options.progress(total, total, "Done");
  return results;
}

async function measureCase(id: CaseId, executor: ExecutorName, options: LabOptions, before: number, total: number): Promise<CaseResult> {
  const { rows, pairs, clockStepMs, execute, progress } = options;
  const what = CASES.find((it) => it.id === id) ?? CASES[0];
  let done = before;
  const counted = new Map<VariantId, Counters>();

  const once = (variant: Variant) => async () => {
    // Totals are taken without node times: reading the clock would be part of what is measured.
    const got = await execute(what.sql, [...variant.settings, ["executor", executor], ["explain_timing", "off"]]);
    const answer = got.rows[0]?.[0];
    if (answer !== String(what.answer(rows))) throw new Error(`${what.sql} answered ${answer} under ${variant.label}`);
    counted.set(variant.id, countersOf(got.plan));
    return got.ms;
  };
  const tell = (phase: string) => () => progress((done += 1), total, `Case #${id}, ${executor}: ${phase}`);

  const warm: number[] = [];
  for (const variant of VARIANTS) warm.push(await warmUp(once(variant), tell("warming up")));
  const executions = executionsFor(warm, clockStepMs);
  const sampleOf = (variant: Variant) => () => sample(once(variant), executions);

  const [head, always] = VARIANTS as [Variant, Variant, ...Variant[]];
  const three = async (variant: Variant) => {
    const runs: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      tell("three runs as in the mail")();
      runs.push(await sampleOf(variant)());
    }
    return runs;
  };
  const headRuns = await three(head);
  const patchRuns = await three(always);

  const variants: VariantResult[] = [];
  for (const variant of VARIANTS) {
    const phase = variant === head ? "head against itself" : `interleaved pairs, ${variant.label}`;
    const measured = await measurePairs(pairs, sampleOf(head), sampleOf(variant), gain, tell(phase));
    const counters = counted.get(variant.id);
    if (counters) variants.push({ variant, counters, pairs: measured });
  }
  const aa = variants[0]?.pairs;
  return {
    case: id,
    executor,
    rows,
    mail: mailArithmetic(headRuns, patchRuns),
    headRuns,
    patchRuns,
    floor: aa ? floor(aa) : Number.NaN,
    variants,
    executionsPerSample: executions,
  };
}

/** What the plan's scan counted. */
function countersOf(plan: PlanModel): Counters {
  const scan = plan.nodes.find((node) => node.type === "Seq Scan");
  if (!scan?.figures) throw new Error("The plan has no scan with figures.");
  return {
    keyEvaluations: numericFact(scan, "Key Evaluations") ?? 0,
    qualEvaluations: numericFact(scan, "Qual Evaluations") ?? 0,
    rowsRechecked: numericFact(scan, "Rows Rechecked") ?? 0,
    removedByKeys: scan.figures.removedByKeys,
    removedByFilter: scan.figures.removedByFilter,
    returned: scan.figures.rowsOut,
  };
}
