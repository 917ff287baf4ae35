import type { Completion } from "@codemirror/autocomplete";
import type { Setting } from "../engine/protocol";

/** What the editor completes beside SQL's own words: the settings. */
export function completions(settings: readonly Setting[]): Completion[] {
  return settings.filter((setting) => setting.shape.type !== "inert").map((setting) => ({ label: setting.name, type: "property", detail: setting.value, info: setting.help }));
}
