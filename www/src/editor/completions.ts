import type { Completion } from "@codemirror/autocomplete";
import type { Setting, Table } from "../engine/protocol";

/** What the editor completes beside SQL's own words: the session's tables, their columns, the settings. */
export function completions(settings: readonly Setting[], tables: readonly Table[]): Completion[] {
  const names: Completion[] = tables.map((table) => ({ label: table.name, type: "class", detail: "table", boost: 2 }));
  const columns = new Map<string, Completion>();
  for (const table of tables) {
    for (const column of table.columns) columns.set(column.name, { label: column.name, type: "variable", detail: column.type, boost: 1 });
  }
  const knobs = settings.filter((setting) => setting.shape.type !== "inert").map((setting): Completion => ({ label: setting.name, type: "property", detail: setting.value, info: setting.help }));
  return [...names, ...columns.values(), ...knobs];
}
