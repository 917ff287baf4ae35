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

export function queryText(query: number): string {
  return file(queryName(query));
}

/** A notebook with a query and the script of its data. */
export function tpchNotebook(query: number, scale: number, money: Money): Shared {
  return { setup: tpchDataset(SCHEMA, scale, money).script, query: queryText(query), settings: [], view: "tree", node: null };
}
