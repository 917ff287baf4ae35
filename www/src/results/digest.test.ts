import { expect, test } from "vitest";
import { resultDigest } from "./digest";

const columns = [
  { name: "f", type: "double precision" },
  { name: "s", type: "text" },
];
const digest = (...rows: (string | null)[][]) => resultDigest(columns, rows);

test("the order of rows does not matter, their number does", () => {
  expect(digest(["1", "a"], ["2", "b"])).toBe(digest(["2", "b"], ["1", "a"]));
  expect(digest(["1", "a"], ["1", "a"])).not.toBe(digest(["1", "a"]));
  expect(digest()).toBe("0000000000000000/0");
});

test("floats are equal to twelve digits, text to the last sign", () => {
  expect(digest(["0.1234567890123", "x"])).toBe(digest(["0.1234567890124", "x"]));
  expect(digest(["0.123456789012", "x"])).not.toBe(digest(["0.123456789013", "x"]));
  expect(digest(["-0", "x"])).toBe(digest(["0", "x"]));
  expect(digest(["NaN", "x"])).not.toBe(digest(["Infinity", "x"]));
  expect(digest(["1", "0.1234567890123"])).not.toBe(digest(["1", "0.1234567890124"]));
});

test("NULL is not an empty text, and cells keep their columns", () => {
  expect(digest(["1", null])).not.toBe(digest(["1", ""]));
  expect(resultDigest([columns[1]!, columns[1]!], [["ab", "c"]])).not.toBe(resultDigest([columns[1]!, columns[1]!], [["a", "bc"]]));
});
