// TPC-H's schema and queries, as the tests keep them.
import { readFileSync } from "node:fs";

const FOLDER = new URL("../../tpch/", import.meta.url);
const read = (name) => readFileSync(new URL(`${name}.sql`, FOLDER), "utf8");

/** What q11's file says of scale factor 0.01; the specification has 0.0001 over the scale factor. */
const Q11_FRACTION = "0.0100000000";

export const TABLES = ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"];

/** `q01`, as the files name a query. */
export const queryName = (number) => `q${String(number).padStart(2, "0")}`;

/** A query as it is asked at a scale factor. */
export const queryText = (number, scale) => read(queryName(number)).replace(Q11_FRACTION, (0.0001 / scale).toFixed(10));

/** The tables' definitions; `money` is the type of prices: `numeric` as TPC-H demands or `double`, the mail's. */
export function schema(money) {
  const definitions = read("schema");
  return money === "numeric" ? definitions : definitions.replace(/numeric\(\d+,\d+\)/g, "double precision");
}

/** The engine's own script for a table's rows. */
export const generated = (table, scale, money) => `SELECT * FROM ${money === "numeric" ? "tpch" : "tpch_float"}('${table}', ${scale})`;
