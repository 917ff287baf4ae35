import { statements } from "../editor/statements";
import type { Dataset } from "../measure/dataset";

/** Scale factors that the page offers; 1 is TPC-H's gigabyte. */
export const SCALES = [0.01, 0.1, 1] as const;

/** The type of prices, discounts and balances: TPC-H's own, or the mail's. */
export type Money = "numeric" | "double precision";

/** The tables in an order that follows their keys, with their rows at scale factor 1. */
const ROWS = {
  region: 5,
  nation: 25,
  supplier: 10_000,
  customer: 150_000,
  part: 200_000,
  partsupp: 800_000,
  orders: 1_500_000,
  lineitem: 6_001_215,
} as const;
export type TpchTable = keyof typeof ROWS;
export const TABLES = Object.keys(ROWS) as TpchTable[];

/** What a scale factor costs, for who chooses one. */
export const SCALE_NOTES: Record<number, string> = {
  0.01: "60,000 line items",
  0.1: "600,000 line items",
  1: "6,000,000: gigabytes, minutes",
};

/** The script that makes the tables: their definitions, their rows by the engine's own generator, statistics. */
export function tpchDataset(schema: string, scale: number, money: Money, tables: readonly TpchTable[] = TABLES): Dataset {
  const wanted = TABLES.filter((table) => tables.includes(table));
  const definitions = wanted.map((table) => definition(schema, table, money));
  const loads = wanted.map((table) => `INSERT INTO ${table} SELECT * FROM tpch('${table}', ${scale});`);
  const script = [...definitions, "", ...loads, "VACUUM;", "ANALYZE;"].join("\n");
  return { script, rows: [...definitions.map(() => 0), ...wanted.map((table) => rowsAt(table, scale)), 0, 0] };
}

function rowsAt(table: TpchTable, scale: number): number {
  return table === "region" || table === "nation" ? ROWS[table] : Math.round(ROWS[table] * scale);
}

/** A table's CREATE TABLE out of the schema, with its money in the wanted type. */
function definition(schema: string, table: TpchTable, money: Money): string {
  const create = new RegExp(`^create\\s+table\\s+${table}\\b`, "i");
  const found = statements(schema)
    .map(({ from, to }) => schema.slice(from, to))
    .find((sql) => create.test(sql));
  if (!found) throw new Error(`The schema has no table ${table}.`);
  return `${money === "numeric" ? found : found.replace(/\b(?:numeric|decimal)\s*\(\s*\d+\s*,\s*\d+\s*\)/gi, money)};`;
}
