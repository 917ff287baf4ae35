import { expect, test } from "vitest";
import { statements } from "../editor/statements";
import { decodeLink, encodeLink } from "../share/link";
import { ABOUT } from "./about";
import { TABLES, tpchDataset } from "./dataset";
import { TPCH_DEMOS } from "./demos";
import { SCHEMA, queryText, tpchNotebook } from "./scripts";
import { TITLES, queryName } from "./titles";

test("each of the 22 queries has a name, a line, and a statement that only reads", () => {
  expect([TITLES.length, ABOUT.length, TPCH_DEMOS.length]).toEqual([22, 22, 22]);
  for (const [i] of TITLES.entries()) {
    expect(statements(queryText(i + 1, 0.01)).length).toBe(1);
    expect(queryText(i + 1, 0.01)).toMatch(/^(--.*\n)*(select|with)\b/i);
  }
  expect([queryName(1), queryName(22)]).toEqual(["q01", "q22"]);
  expect(() => queryText(23, 0.01)).toThrow("q23.sql");
});

test("q11's fraction follows the scale factor, the others do not change", () => {
  expect(queryText(11, 0.01)).toMatch(/\* 0\.0100000000\n/);
  expect(queryText(11, 0.1)).toMatch(/\* 0\.0010000000\n/);
  expect(queryText(11, 1)).toMatch(/\* 0\.0001000000\n/);
  expect(queryText(6, 1)).toBe(queryText(6, 0.01));
});

test("a dataset is a script: definitions, rows, statistics", () => {
  const { script, rows } = tpchDataset(SCHEMA, 0.01, "numeric");
  const parts = statements(script).map(({ from, to }) => script.slice(from, to));
  expect(parts.filter((sql) => /^create table/i.test(sql)).length).toBe(8);
  expect(parts).toContain("INSERT INTO lineitem SELECT * FROM tpch('lineitem', 0.01)");
  expect(parts.length).toBe(rows.length);
  expect(rows[parts.indexOf("INSERT INTO orders SELECT * FROM tpch('orders', 0.01)")]).toBe(15_000);
  expect(rows[parts.indexOf("INSERT INTO nation SELECT * FROM tpch('nation', 0.01)")]).toBe(25);
  expect(script).toContain("numeric(15,2)");
});

test("the mail's doubles, and only the tables that are asked for", () => {
  const { script } = tpchDataset(SCHEMA, 1, "double precision", ["lineitem", "orders"]);
  expect(script).not.toMatch(/numeric|decimal|partsupp/i);
  expect(script).toMatch(/l_extendedprice\s+double precision/i);
  // Keys before what refers to them, however they are asked for.
  expect(script.indexOf("tpch('orders', 1)")).toBeLessThan(script.indexOf("tpch('lineitem', 1)"));
  expect(() => tpchDataset("CREATE TABLE region (r_regionkey int);", 1, "numeric", TABLES)).toThrow("no table nation");
});

test("a demo and a link hold the query with its data", async () => {
  const notebook = await TPCH_DEMOS[3]?.load();
  expect(notebook?.query).toBe(queryText(4, 0.01));
  const link = encodeLink(tpchNotebook(21, 0.1, "double precision"));
  expect(decodeLink(link).setup).toContain("tpch('lineitem', 0.1)");
  expect(link.length).toBeLessThan(4000);
});
