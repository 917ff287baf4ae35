import type { Setting } from "../engine/protocol";

/** A setting that a script reads: `SHOW name` or `current_setting('name'`. */
const READS = /\bshow\s+([a-z_][a-z0-9_.]*)|\bcurrent_setting\s*\(\s*'([^']*)'/gi;

/**
 * What decides whether the setup must run again: its text, and the value of each setting that it reads.
 * Other settings cannot change what it makes.
 */
export function setupKey(script: string, settings: readonly Setting[]): string {
  const names = new Set([...script.matchAll(READS)].map((match) => (match[1] ?? match[2] ?? "").toLowerCase()));
  const read = settings.filter((setting) => names.has(setting.name.toLowerCase())).map((setting) => [setting.name, setting.value]);
  return JSON.stringify([script.trim(), read]);
}

/** The settings that differ from their defaults, in the table's order. */
export function changed(settings: readonly Setting[]): [string, string][] {
  return settings.filter((setting) => setting.value !== setting.default).map((setting) => [setting.name, setting.value]);
}

/** The statement that a knob stands for. */
export function setStatement(name: string, value: string | null): string {
  return value === null ? `RESET ${name};` : `SET ${name} = '${value.replaceAll("'", "''")}';`;
}
