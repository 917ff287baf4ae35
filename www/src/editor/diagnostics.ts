import type { StatementResult } from "../engine/client";
import type { Diagnostic } from "./codemirror";
import { offsetOf, wordAt } from "./positions";

/** The underlines for the errors of a run, in the text that was run from `offset` on. */
export function diagnostics(text: string, offset: number, statements: readonly StatementResult[]): Diagnostic[] {
  return statements.flatMap(({ error }) => {
    if (!error || error.line === null || error.column === null) return [];
    const part = text.slice(offset);
    const { from, to } = wordAt(part, offsetOf(part, { line: error.line, column: error.column }));
    if (from >= to) return [];
    const message = [error.message, error.detail, error.hint && `Hint: ${error.hint}`].filter(Boolean).join("\n");
    return [{ from: offset + from, to: offset + to, severity: "error" as const, source: error.sqlstate, message }];
  });
}
