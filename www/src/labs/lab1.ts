import type { Assignment } from "../engine/messages";
import { CASES, mailArithmetic, type CaseId, type MailFigures } from "./mail1";
import { executionsPerSample, floor, interleaved, paired, settled, type Paired } from "./statistics";

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

/** One execution. */
export interface Sample {
  ms: number;
  counters: Counters;
  /** The count that the query answered. */
  answer: string;
}

/** Runs a statement once under the settings; throws when it fails or is cancelled. */
export type Execute = (sql: string, settings: Assignment[]) => Promise<Sample>;

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

/** More warm-up than this does not help; a noisy machine never settles. */
const WARM_UP = 10;

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
  let executions = 1;
  const counted = new Map<VariantId, Counters>();

  const sample = async (variant: Variant): Promise<number> => {
    let ms = 0;
    for (let i = 0; i < executions; i += 1) {
      // Totals are taken without node times: reading the clock would be part of what is measured.
      const got = await execute(what.sql, [...variant.settings, ["executor", executor], ["explain_timing", "off"]]);
      if (got.answer !== String(what.answer(rows))) throw new Error(`${what.sql} answered ${got.answer} under ${variant.label}`);
      counted.set(variant.id, got.counters);
      ms += got.ms;
    }
    return ms / executions;
  };
  const tell = (phase: string) => progress((done += 1), total, `Case #${id}, ${executor}: ${phase}`);

  let fastest = Number.POSITIVE_INFINITY;
  for (const variant of VARIANTS) {
    const runs: number[] = [];
    for (let i = 0; i < WARM_UP; i += 1) {
      tell("warming up");
      if (!settled(runs)) runs.push(await sample(variant));
    }
    fastest = Math.min(fastest, runs.at(-1) ?? fastest);
  }
  executions = executionsPerSample(fastest, clockStepMs);

  const [head, always] = VARIANTS as [Variant, Variant, ...Variant[]];
  const three = async (variant: Variant) => {
    const runs: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      tell("three runs as in the mail");
      runs.push(await sample(variant));
    }
    return runs;
  };
  const headRuns = await three(head);
  const patchRuns = await three(always);

  const variants: VariantResult[] = [];
  for (const variant of VARIANTS) {
    const a: number[] = [];
    const b: number[] = [];
    for (const side of interleaved(pairs)) {
      tell(variant === head ? "head against itself" : `interleaved pairs, ${variant.label}`);
      if (side === "a") a.push(await sample(head));
      else b.push(await sample(variant));
    }
    const counters = counted.get(variant.id);
    if (counters) variants.push({ variant, counters, pairs: paired(a, b) });
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
