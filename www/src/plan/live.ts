import type { PlanModel } from "./model";

/**
 * The plan's model with the counters of a running statement in it: `counters` holds
 * `names.length` numbers for each node, depth first. Figures that do not move yet stay empty.
 */
export function withCounters(model: PlanModel, names: readonly string[], counters: Float64Array): PlanModel {
  const read = (node: number, name: string) => {
    const at = names.indexOf(name);
    return at < 0 ? 0 : (counters[node * names.length + at] ?? 0);
  };
  const nodes = model.nodes.map((node) => ({
    ...node,
    figures: {
      ownMs: read(node.id, "ownNs") / 1e6,
      ownDerived: false,
      inclusiveMs: 0,
      rowsOut: read(node.id, "rowsOut"),
      rowsIn: read(node.id, "rowsIn"),
      loops: read(node.id, "loops"),
      removedByFilter: read(node.id, "removedByFilter"),
      removedByKeys: read(node.id, "removedByKeys"),
    },
  }));
  // Children come after their parents, so the sums run from the end.
  for (const node of [...nodes].reverse()) {
    node.figures.inclusiveMs = node.figures.ownMs + node.children.reduce((sum, child) => sum + (nodes[child]?.figures.inclusiveMs ?? 0), 0);
  }
  const total = nodes[0]?.figures.inclusiveMs ?? 0;
  return {
    ...model,
    nodes: nodes.map((node) => ({ ...node, share: total > 0 ? node.figures.ownMs / total : null })),
  };
}
