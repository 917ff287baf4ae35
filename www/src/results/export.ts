import type { Column } from "../engine/protocol";

export type Cell = string | null;

/** A rectangle of a result. */
export interface Range {
  columns: Column[];
  rows: Cell[][];
}

export const FORMATS = ["TSV", "CSV", "Markdown", "JSON"] as const;
export type Format = (typeof FORMATS)[number];

/** Types whose values stand right, as numbers do. */
const NUMERIC = /^(smallint|integer|bigint|numeric|real|double precision)/;

export function isNumeric(type: string): boolean {
  return NUMERIC.test(type) && !type.endsWith("[]");
}

export function exportRange(range: Range, format: Format): string {
  switch (format) {
    case "TSV":
      return lines(range, "\t", tsv);
    case "CSV":
      return lines(range, ",", csv);
    case "Markdown":
      return markdown(range);
    case "JSON":
      return json(range);
  }
}

function lines({ columns, rows }: Range, separator: string, cell: (value: Cell) => string): string {
  const head = columns.map((column) => cell(column.name)).join(separator);
  return [head, ...rows.map((row) => row.map(cell).join(separator))].join("\n");
}

/** As COPY's text format has it: NULL is `\N`, and the signs that would break a line are escaped. */
function tsv(value: Cell): string {
  if (value === null) return "\\N";
  return value.replace(/[\\\t\n\r]/g, (sign) => ({ "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" })[sign] ?? sign);
}

/** As COPY's CSV format has it: NULL is nothing, an empty text is quoted. */
function csv(value: Cell): string {
  if (value === null) return "";
  return value === "" || /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function markdown({ columns, rows }: Range): string {
  const cell = (value: Cell) => (value === null ? "*NULL*" : value.replace(/[\\|*_`<>[\]]/g, "\\$&").replace(/\r?\n/g, "<br>"));
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map((column) => cell(column.name))),
    line(columns.map((column) => (isNumeric(column.type) ? "--:" : "---"))),
    ...rows.map((row) => line(row.map(cell))),
  ].join("\n");
}

/** Objects by column name; a repeated name gets a number. Values stay text but for those JSON can carry exactly. */
function json({ columns, rows }: Range): string {
  const seen = new Map<string, number>();
  const names = columns.map(({ name }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name}_${times}`;
  });
  const value = (cell: Cell, type: string) => {
    if (cell === null) return "null";
    if (type === "boolean") return cell === "t" || cell === "true" ? "true" : "false";
    if (type === "smallint" || type === "integer") return cell;
    return JSON.stringify(cell);
  };
  const objects = rows.map((row) => `{${row.map((cell, i) => `${JSON.stringify(names[i])}: ${value(cell, columns[i]?.type ?? "text")}`).join(", ")}}`);
  return `[\n${objects.map((object) => `  ${object}`).join(",\n")}\n]`;
}
