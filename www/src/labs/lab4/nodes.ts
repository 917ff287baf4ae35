import { nodeCounts, type Counts } from "../../plan/totals";
import type { QueryResult } from "./lab4";

/** What a node did under one driver. */
export interface NodeFigures extends Counts {
  ownMs: number;
}

/** A node of a plan that both drivers ran. */
export interface NodePair {
  id: number;
  depth: number;
  type: string;
  subject: string;
  loops: number;
  pull: NodeFigures;
  push: NodeFigures;
}

/** The nodes side by side; null where the two runs had different plans. */
export function pairNodes({ plans: { pull, push }, nodeMs }: Pick<QueryResult, "plans" | "nodeMs">): NodePair[] | null {
  if (pull.nodes.length !== push.nodes.length) return null;
  const pairs: NodePair[] = [];
  for (const [i, a] of pull.nodes.entries()) {
    const b = push.nodes[i];
    if (!b || a.type !== b.type || a.subject !== b.subject || a.depth !== b.depth) return null;
    pairs.push({
      id: a.id,
      depth: a.depth,
      type: a.type,
      subject: a.subject,
      loops: a.figures?.loops ?? 0,
      pull: { ...nodeCounts(a), ownMs: nodeMs.pull[i] ?? 0 },
      push: { ...nodeCounts(b), ownMs: nodeMs.push[i] ?? 0 },
    });
  }
  return pairs;
}
