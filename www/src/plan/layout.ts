import { flextree } from "d3-flextree";
import type { PlanModel } from "./model";

export const BOX_WIDTH = 204;
export const BOX_HEIGHT = 74;
const GAP_X = 22;
const GAP_Y = 44;
const MARGIN = 12;

export interface Box {
  id: number;
  x: number;
  y: number;
}

export interface Edge {
  from: number;
  to: number;
  /** An SVG path from the child's top to the parent's bottom: the way the rows go. */
  path: string;
  /** Stroke width in pixels, by the rows that went over it. */
  width: number;
  rows: number | null;
}

export interface Layout {
  width: number;
  height: number;
  boxes: Box[];
  edges: Edge[];
}

interface Item {
  id: number;
  children: Item[];
}

/** Places the boxes of a plan, the root on top; `collapsed` nodes hide what is below them. */
export function layout(model: PlanModel, collapsed: ReadonlySet<number> = new Set()): Layout {
  const item = (id: number): Item => ({
    id,
    children: collapsed.has(id) ? [] : (model.nodes[id]?.children ?? []).map(item),
  });
  const tree = flextree<Item>({
    nodeSize: () => [BOX_WIDTH + GAP_X, BOX_HEIGHT + GAP_Y],
    spacing: 0,
  });
  const root = tree.hierarchy(item(0), (node) => node.children);
  tree(root);
  const nodes = root.nodes;
  const left = Math.min(...nodes.map((node) => node.x)) - BOX_WIDTH / 2 - MARGIN;
  const boxes = nodes.map((node) => ({ id: node.data.id, x: node.x - BOX_WIDTH / 2 - left, y: node.y + MARGIN }));
  const at = new Map(boxes.map((box) => [box.id, box]));
  const edges = boxes.flatMap((box): Edge[] => {
    const node = model.nodes[box.id];
    const above = node?.parent == null ? undefined : at.get(node.parent);
    if (!node || !above) return [];
    const x1 = box.x + BOX_WIDTH / 2;
    const y1 = box.y;
    const x2 = above.x + BOX_WIDTH / 2;
    const y2 = above.y + BOX_HEIGHT;
    const bend = (y1 - y2) / 2;
    const rows = node.figures?.rowsOut ?? null;
    return [
      {
        from: box.id,
        to: above.id,
        path: `M${x1} ${y1}C${x1} ${y1 - bend} ${x2} ${y2 + bend} ${x2} ${y2}`,
        width: edgeWidth(rows ?? node.estimatedRows),
        rows,
      },
    ];
  });
  return {
    width: Math.max(...boxes.map((box) => box.x)) + BOX_WIDTH + MARGIN,
    height: Math.max(...boxes.map((box) => box.y)) + BOX_HEIGHT + MARGIN,
    boxes,
    edges,
  };
}

/** Rows from which on an edge is no longer widened. */
const WIDEST_ROWS = 10_000_000;

/** Between 1.5 and 14 pixels, by the logarithm, and the same for the same rows in every plan. */
export function edgeWidth(rows: number): number {
  return 1.5 + 12.5 * Math.min(1, Math.log1p(Math.max(rows, 0)) / Math.log1p(WIDEST_ROWS));
}

/** Where a key leads from a node: up is the parent, down the first child, left and right the siblings. */
export function neighbour(model: PlanModel, id: number, key: string, collapsed: ReadonlySet<number> = new Set()): number {
  const node = model.nodes[id];
  if (!node) return 0;
  const siblings = node.parent === null ? [id] : (model.nodes[node.parent]?.children ?? [id]);
  const place = siblings.indexOf(id);
  switch (key) {
    case "ArrowUp":
      return node.parent ?? id;
    case "ArrowDown":
      return collapsed.has(id) ? id : (node.children[0] ?? id);
    case "ArrowLeft":
      return siblings[place - 1] ?? id;
    case "ArrowRight":
      return siblings[place + 1] ?? id;
    case "Home":
      return 0;
    default:
      return id;
  }
}
