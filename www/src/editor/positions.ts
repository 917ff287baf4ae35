/** A place in a script as the engine reports it: both from 1, columns in characters. */
export interface Place {
  line: number;
  column: number;
}

/** Where a reported place is in a text, in UTF-16 units; a place beyond the end is the end. */
export function offsetOf(text: string, place: Place): number {
  let at = 0;
  for (let line = 1; line < place.line; line += 1) {
    const next = text.indexOf("\n", at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  for (let column = 1; column < place.column && at < text.length && text.charAt(at) !== "\n"; column += 1) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/** The word or sign to underline at an offset: never empty in a text that is not. */
export function wordAt(text: string, offset: number): { from: number; to: number } {
  const from = Math.min(offset, Math.max(0, text.length - 1));
  const length = /^(?:[\p{L}\p{N}_$.]+|"[^"\n]*"|'[^'\n]*'|[-+*/<>=~!@#%^&|`?]+)/u.exec(text.slice(from))?.[0].length ?? 1;
  return { from, to: Math.min(text.length, from + length) };
}

/**
 * Moves a place reported for a part of a script to the script itself. The part began at `offset`.
 */
export function placeInScript(script: string, offset: number, place: Place): Place {
  const before = script.slice(0, offset);
  const lines = before.split("\n");
  const lead = [...(lines.at(-1) ?? "")].length;
  return { line: place.line + lines.length - 1, column: place.line === 1 ? place.column + lead : place.column };
}
