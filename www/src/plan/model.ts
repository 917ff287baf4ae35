/** A node's figures as the page shows them. */
export interface PlanNode {
  /** Depth first from 0, as EXPLAIN prints the nodes. */
  id: number;
  parent: number | null;
  children: number[];
  depth: number;
  /** PostgreSQL's name of the node: `Seq Scan`, `Hash Join`. */
  type: string;
  /** What it works on: a relation, an index, a join type. */
  subject: string;
  /** How it hangs on its parent: `Outer`, `Inner`, `InitPlan`, `SubPlan`. */
  relationship: string;
  /** Every scalar of the node, in the engine's order, under the engine's keys. */
  facts: [key: string, value: string | number | boolean][];
  figures: Figures | null;
  estimatedRows: number;
  /** Rows a loop over the estimate; above 1 the planner expected too few. Derived. */
  estimateRatio: number | null;
  /** Own time over the plan's own times together. Derived. */
  share: number | null;
}

/** What a node did. Rows count all loops. */
export interface Figures {
  ownMs: number;
  /** Whether `ownMs` is the engine's figure or inclusive time less the children's. */
  ownDerived: boolean;
  inclusiveMs: number;
  rowsOut: number;
  rowsIn: number;
  loops: number;
  removedByFilter: number;
  removedByKeys: number;
}

export interface PlanModel {
  nodes: PlanNode[];
  /** How the plan was run, in EXPLAIN's words: `push (1 pipeline, batch_rows 1024)`. */
  executor: string | null;
  /** Whether node times were measured at all, and how: `batch`, `batch, sampled`, `full`, `off`. */
  timing: string | null;
  executionMs: number | null;
  planningMs: number | null;
  clockStepMs: number;
}

type Json = Record<string, unknown>;

/** Reads EXPLAIN's JSON, with or without actual figures. */
export function parsePlan(json: string): PlanModel {
  const parsed: unknown = JSON.parse(json);
  const top = (Array.isArray(parsed) ? parsed[0] : parsed) as Json | undefined;
  const root = top?.["Plan"];
  if (!top || !isObject(root)) throw new Error("EXPLAIN's JSON has no Plan");
  const nodes: PlanNode[] = [];
  const timing = text(top["Timing Mode"]) || null;
  // Our engine leaves figures of zero out; in another's plan a missing own time must be derived.
  collect(root, null, 0, nodes, timing !== null);
  addShares(nodes);
  return {
    nodes,
    executor: executor(top),
    timing,
    executionMs: number(top["Execution Time"]),
    planningMs: number(top["Planning Time"]),
    clockStepMs: number(top["Clock Step"]) ?? 0,
  };
}

/** A fact of a node by its key. */
export function fact(node: PlanNode, key: string): string | number | boolean | undefined {
  return node.facts.find(([name]) => name === key)?.[1];
}

/** A fact that is a number, else null. */
export function numericFact(node: PlanNode, key: string): number | null {
  return number(fact(node, key));
}

/** The node that a person should look at first: the one with the greatest own time. */
export function hottest(model: PlanModel): number {
  let best = 0;
  for (const node of model.nodes) {
    if ((node.figures?.ownMs ?? 0) > (model.nodes[best]?.figures?.ownMs ?? 0)) best = node.id;
  }
  return best;
}

function executor(top: Json): string | null {
  const driver = text(top["Executor"]);
  if (!driver) return null;
  const pipelines = number(top["Pipelines"]);
  const parts = [pipelines === null ? "" : `${pipelines} ${pipelines === 1 ? "pipeline" : "pipelines"}`, `batch_rows ${number(top["Batch Rows"]) ?? "?"}`];
  return `${driver} (${parts.filter(Boolean).join(", ")})`;
}

function collect(json: Json, parent: number | null, depth: number, nodes: PlanNode[], ours: boolean): number {
  const id = nodes.length;
  const facts: PlanNode["facts"] = [];
  for (const [key, value] of Object.entries(json)) {
    if (key === "Plans") continue;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") facts.push([key, value]);
    else if (Array.isArray(value)) facts.push([key, value.join(", ")]);
  }
  const node: PlanNode = {
    id,
    parent,
    children: [],
    depth,
    type: text(json["Node Type"]) || "Node",
    subject: subject(json),
    relationship: text(json["Parent Relationship"]),
    facts,
    figures: null,
    estimatedRows: number(json["Plan Rows"]) ?? 0,
    estimateRatio: null,
    share: null,
  };
  nodes.push(node);
  const children = Array.isArray(json["Plans"]) ? json["Plans"].filter(isObject) : [];
  node.children = children.map((child) => collect(child, id, depth + 1, nodes, ours));
  node.figures = figures(json, node.children.map((child) => nodes[child]), ours);
  if (node.figures && node.figures.loops > 0) {
    const perLoop = node.figures.rowsOut / node.figures.loops;
    node.estimateRatio = node.estimatedRows > 0 ? perLoop / node.estimatedRows : null;
  }
  return id;
}

function figures(json: Json, children: (PlanNode | undefined)[], ours: boolean): Figures | null {
  const loops = number(json["Actual Loops"]);
  if (loops === null) return null;
  const rowsOut = number(json["Rows Out"]) ?? Math.round((number(json["Actual Rows"]) ?? 0) * loops);
  // PostgreSQL's times and removed rows are means over the loops.
  const inclusiveMs = (number(json["Actual Total Time"]) ?? 0) * loops;
  const below = children.reduce((sum, child) => sum + (child?.figures?.inclusiveMs ?? 0), 0);
  const own = number(json["Own Time"]) ?? (ours ? 0 : null);
  const rowsBelow = children.reduce((sum, child) => sum + (child?.figures?.rowsOut ?? 0), 0);
  return {
    ownMs: own ?? Math.max(0, inclusiveMs - below),
    ownDerived: own === null,
    inclusiveMs,
    rowsOut,
    rowsIn: number(json["Rows In"]) ?? (ours ? 0 : rowsBelow),
    loops,
    removedByFilter: Math.round((number(json["Rows Removed by Filter"]) ?? 0) * Math.max(1, loops)),
    removedByKeys: Math.round((number(json["Rows Removed by Scan Keys"]) ?? 0) * Math.max(1, loops)),
  };
}

function addShares(nodes: PlanNode[]): void {
  const total = nodes.reduce((sum, node) => sum + (node.figures?.ownMs ?? 0), 0);
  if (total <= 0) return;
  for (const node of nodes) if (node.figures) node.share = node.figures.ownMs / total;
}

/** The words beside the node's type, as EXPLAIN's text would put them. */
function subject(json: Json): string {
  const relation = text(json["Relation Name"]) || text(json["Function Name"]) || text(json["CTE Name"]);
  const alias = text(json["Alias"]);
  const index = text(json["Index Name"]);
  const parts = [];
  if (index) parts.push(`using ${index}`);
  if (relation) parts.push(`on ${relation}${alias && alias !== relation ? ` ${alias}` : ""}`);
  else if (alias) parts.push(`on ${alias}`);
  const join = text(json["Join Type"]);
  if (join) parts.push(join);
  const strategy = text(json["Strategy"]);
  if (strategy && strategy !== "Plain") parts.push(strategy);
  const operation = text(json["Operation"]);
  if (operation) parts.push(operation);
  return parts.join(" ");
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
