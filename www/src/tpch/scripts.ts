import type { Shared } from "../share/link";
import { tpchDataset, type Money } from "./dataset";
import { queryName } from "./titles";

/** The statements that the project's tests check, by name of file; there is one copy of each. */
const FILES = import.meta.glob<string>("../../../tests/tpch/{schema,q*}.sql", { query: "?raw", import: "default", eager: true });

function file(name: string): string {
  const text = FILES[`../../../tests/tpch/${name}.sql`];
  if (text === undefined) throw new Error(`There is no ${name}.sql.`);
  return text.trim();
}

export const SCHEMA = file("schema");

/** What q11's file says of scale factor 0.01; the specification has 0.0001 over the scale factor. */
const Q11_FRACTION = "0.0100000000";

/** A query as it is asked at a scale factor: q11's fraction depends on it. */
export function queryText(query: number, scale: number): string {
  const text = file(queryName(query));
  return query === 11 ? text.replace(Q11_FRACTION, (0.0001 / scale).toFixed(10)) : text;
}

/** A notebook with a query and the script of its data. */
export function tpchNotebook(query: number, scale: number, money: Money): Shared {
  return { setup: tpchDataset(SCHEMA, scale, money).script, query: queryText(query, scale), settings: [], view: "tree", node: null };
}
