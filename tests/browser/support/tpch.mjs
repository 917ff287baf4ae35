// PostgreSQL's answers to TPC-H's queries at scale factor 0.01, as the tests keep them.
import { readFileSync } from "node:fs";

/** `q01` … `q22`. */
export const QUERIES = Array.from({ length: 22 }, (_, i) => `q${String(i + 1).padStart(2, "0")}`);

/** The rows of a query's answer, each a list of values as PostgreSQL prints them. */
export function answer(query) {
  const lines = readFileSync(new URL(`../../tpch/answers/${query}.txt`, import.meta.url), "utf8").split("\n");
  return lines.slice(0, -1).map((line) => line.split("|").map((value) => (value === "NULL" ? null : value)));
}
