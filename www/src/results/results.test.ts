import { expect, test } from "vitest";
import { exportRange, isNumeric, type Range } from "./export";
import { scrollToRow, windowAt } from "./window";

const range: Range = {
  columns: [
    { name: "a", type: "integer" },
    { name: "a", type: "text" },
    { name: "n", type: "numeric" },
    { name: "b", type: "boolean" },
  ],
  rows: [
    ["1", 'x,"y"', "1.50", "t"],
    [null, "", null, "f"],
    ["3", "a|b\n\tc", "9007199254740993", null],
  ],
};

test("each format keeps NULL apart from an empty text", () => {
  expect(exportRange(range, "CSV")).toBe('a,a,n,b\n1,"x,""y""",1.50,t\n,"",,f\n3,"a|b\n\tc",9007199254740993,');
  expect(exportRange(range, "TSV")).toBe('a\ta\tn\tb\n1\tx,"y"\t1.50\tt\n\\N\t\t\\N\tf\n3\ta|b\\n\\tc\t9007199254740993\t\\N');
  expect(exportRange(range, "Markdown").split("\n").slice(1)).toEqual(["| --: | --- | --: | --- |", '| 1 | x,"y" | 1.50 | t |', "| *NULL* |  | *NULL* | f |", "| 3 | a\\|b<br>\tc | 9007199254740993 | *NULL* |"]);
});

test("JSON carries exactly what JavaScript would round as text", () => {
  expect(JSON.parse(exportRange(range, "JSON"))).toEqual([
    { a: 1, a_2: 'x,"y"', n: "1.50", b: true },
    { a: null, a_2: "", n: null, b: false },
    { a: 3, a_2: "a|b\n\tc", n: "9007199254740993", b: null },
  ]);
});

test("numbers stand right, arrays of them do not", () => {
  expect(["integer", "numeric(10,2)", "double precision", "integer[]", "text"].map(isNumeric)).toEqual([true, true, true, false, false]);
});

test("a short grid scrolls by pixels", () => {
  expect(windowAt(0, 240, 1000, 24)).toEqual({ height: 24_000, first: 0, end: 19, top: 0 });
  const window = windowAt(1200, 240, 1000, 24);
  expect(window.first).toBe(42);
  expect(window.top).toBeCloseTo(42 * 24);
  expect(windowAt(0, 240, 0, 24)).toEqual({ height: 0, first: 0, end: 0, top: 0 });
});

test("a million rows reach their last row below the browsers' limit", () => {
  const rows = 1_000_000;
  const { height } = windowAt(0, 300, rows, 26);
  expect(height).toBe(12_000_000);
  const last = windowAt(height - 300, 300, rows, 26);
  expect(last.end).toBe(rows);
  expect(last.top + (rows - last.first) * 26).toBeCloseTo(height);
});

test("a row is scrolled to from either side, and not when it is in view", () => {
  expect(scrollToRow(5, 0, 240, 1000, 24)).toBe(null);
  expect(scrollToRow(10, 0, 240, 1000, 24)).toBeCloseTo(24);
  expect(scrollToRow(0, 480, 240, 1000, 24)).toBe(0);
  expect(scrollToRow(3, 0, 240, 5, 24)).toBe(null);
  const top = scrollToRow(999_999, 0, 300, 1_000_000, 26) ?? 0;
  expect(windowAt(top, 300, 1_000_000, 26).end).toBe(1_000_000);
});
