import { expect, test } from "vitest";
import { formatSql } from "./formatter";

test("a query is laid out anew with its words as they were", () => {
  expect(formatSql("select a, b FROM t where a = 1; select 2")).toBe("select\n  a,\n  b\nFROM\n  t\nwhere\n  a = 1;\n\nselect\n  2");
  expect(formatSql("select 'open")).toBe(null);
});
