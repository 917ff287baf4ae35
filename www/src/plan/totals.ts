import { numericFact, type PlanModel, type PlanNode } from "./model";

/** What was counted of a node or of a whole plan: the same on every machine. */
export interface Counts {
  /** How often the driver called. */
  steps: number;
  /** Hand-overs to a parent. */
  batches: number;
  rows: number;
  pagesRead: number;
}

const NOTHING: Counts = { steps: 0, batches: 0, rows: 0, pagesRead: 0 };

export function nodeCounts(node: PlanNode): Counts {
  return {
    steps: numericFact(node, "Steps") ?? 0,
    batches: numericFact(node, "Batches Out") ?? 0,
    rows: node.figures?.rowsOut ?? 0,
    pagesRead: numericFact(node, "Pages Read") ?? 0,
  };
}

/** All nodes of a plan together. */
export function planCounts(plan: PlanModel): Counts {
  return plan.nodes.map(nodeCounts).reduce(
    (sum, it) => ({ steps: sum.steps + it.steps, batches: sum.batches + it.batches, rows: sum.rows + it.rows, pagesRead: sum.pagesRead + it.pagesRead }),
    NOTHING,
  );
}
