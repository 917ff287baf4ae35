import { describe, expect, test } from "vitest";
import { CASE_1, POSTGRES } from "./fixture";
import { BOX_HEIGHT, BOX_WIDTH, edgeWidth, layout, neighbour } from "./layout";
import { withCounters } from "./live";
import { meaning, section } from "./meanings";
import { fact, hottest, numericFact, parsePlan } from "./model";
import { addRun, enough } from "./repeat";

describe("the model", () => {
  test("reads the engine's figures", () => {
    const model = parsePlan(CASE_1);
    expect(model.nodes.map((node) => [node.type, node.subject, node.depth])).toEqual([
      ["Aggregate", "", 0],
      ["Seq Scan", "on t", 1],
    ]);
    expect(model.nodes[1]?.figures).toEqual({
      ownMs: 12,
      ownDerived: false,
      inclusiveMs: 12,
      rowsOut: 1,
      rowsIn: 0,
      loops: 1,
      removedByFilter: 0,
      removedByKeys: 999999,
    });
    expect(model.nodes[1]?.estimateRatio).toBeCloseTo(1 / 5000);
    expect(model.nodes[0]?.share).toBeCloseTo(0.04);
    expect(model.executor).toBe("push (1 pipeline, batch_rows 1024)");
    expect([model.executionMs, model.clockStepMs, hottest(model)]).toEqual([12.6, 0.1, 1]);
    expect(fact(model.nodes[1]!, "Scan Keys")).toBe("(i = 50000) [exact]");
    expect(numericFact(model.nodes[1]!, "Alias")).toBe(null);
  });

  test("derives own time and totals where PostgreSQL has means over loops", () => {
    const model = parsePlan(POSTGRES);
    const [join, outer, inner] = model.nodes.map((node) => node.figures!);
    expect([join?.ownMs, outer?.ownMs, inner?.ownMs]).toEqual([4, 1, 5]);
    expect(join?.ownDerived).toBe(true);
    expect([inner?.rowsOut, inner?.removedByFilter, join?.rowsIn]).toEqual([20, 30, 30]);
    expect(model.nodes[2]?.estimateRatio).toBe(2);
    expect(model.nodes.map((node) => node.subject)).toEqual(["Left", "on a x", "on b"]);
  });

  test("knows a plan that was never run", () => {
    const model = parsePlan('[{"Plan":{"Node Type":"Result","Plan Rows":1}}]');
    expect(model.nodes[0]?.figures).toBe(null);
    expect(model.nodes[0]?.share).toBe(null);
    expect(() => parsePlan("[]")).toThrow();
  });
});

describe("the layout", () => {
  const model = parsePlan(POSTGRES);

  test("keeps boxes apart and inside", () => {
    const { boxes, edges, width, height } = layout(model);
    expect(boxes).toHaveLength(3);
    expect(edges).toHaveLength(2);
    for (const box of boxes) {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + BOX_WIDTH).toBeLessThanOrEqual(width);
      expect(box.y + BOX_HEIGHT).toBeLessThanOrEqual(height);
    }
    const [, left, right] = boxes;
    expect(right!.x - left!.x).toBeGreaterThan(BOX_WIDTH);
  });

  test("hides what is below a collapsed node", () => {
    expect(layout(model, new Set([0])).boxes).toHaveLength(1);
  });

  test("widens an edge with its rows", () => {
    expect(edgeWidth(0)).toBe(1.5);
    expect(edgeWidth(1)).toBeLessThan(3);
    expect(edgeWidth(10)).toBeGreaterThan(edgeWidth(1));
    expect(edgeWidth(1e9)).toBe(14);
  });

  test("keys move along the tree", () => {
    expect(neighbour(model, 0, "ArrowDown")).toBe(1);
    expect(neighbour(model, 1, "ArrowRight")).toBe(2);
    expect(neighbour(model, 2, "ArrowRight")).toBe(2);
    expect(neighbour(model, 2, "ArrowLeft")).toBe(1);
    expect(neighbour(model, 2, "ArrowUp")).toBe(0);
    expect(neighbour(model, 0, "ArrowUp")).toBe(0);
    expect(neighbour(model, 2, "Home")).toBe(0);
    expect(neighbour(model, 0, "ArrowDown", new Set([0]))).toBe(0);
  });
});

test("the panel tells counts from times, expectations and words", () => {
  const of = (key: string, value: string | number | boolean) => section(key, value);
  expect([of("Rows Removed by Filter", 5), of("Actual Total Time", 1.5), of("Plan Rows", 10), of("Total Cost", 9.5), of("Strategy", "Plain"), of("Pipeline", 1)]).toEqual([
    "Counted",
    "Timed",
    "Estimated",
    "Estimated",
    "Described",
    "Described",
  ]);
  expect(meaning("Key Evaluations")).not.toBe("");
  expect(meaning("Something Else")).toBe("");
});

test("live counters fill the shape of the plan", () => {
  const model = parsePlan('[{"Plan":{"Node Type":"Aggregate","Plan Rows":1,"Plans":[{"Node Type":"Seq Scan","Plan Rows":9}]}}]');
  const live = withCounters(model, ["rowsOut", "ownNs", "loops"], Float64Array.from([0, 1e6, 1, 500, 3e6, 1]));
  expect(live.nodes.map((node) => node.figures?.rowsOut)).toEqual([0, 500]);
  expect(live.nodes.map((node) => node.figures?.inclusiveMs)).toEqual([4, 3]);
  expect(live.nodes.map((node) => node.share)).toEqual([0.25, 0.75]);
});

test("repeats go on until each node has twenty clock steps", () => {
  const model = parsePlan(CASE_1);
  const once = addRun(null, model);
  expect(enough(once, model, 0.1)).toBe(false);
  const four = addRun(addRun(addRun(once, model), model), model);
  expect(four.runs).toBe(4);
  expect(four.ownMs).toEqual([0.5, 12]);
  expect(enough(four, model, 0.1)).toBe(true);
  expect(addRun(four, parsePlan(POSTGRES)).runs).toBe(1);
});
