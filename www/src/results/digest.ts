import type { Column } from "../engine/protocol";
import type { Cell } from "./export";

/** Types whose last digits depend on the order of additions. */
const FLOAT = /^(real|double precision)$/;

/**
 * What tells two results apart: the same for the same multiset of rows, floats to 12 digits. Sixteen
 * hexadecimal signs and the number of rows.
 */
export function resultDigest(columns: readonly Column[], rows: readonly Cell[][]): string {
  const floats = columns.map(({ type }) => FLOAT.test(type));
  let high = 0;
  let low = 0;
  for (const row of rows) {
    const [a, b] = hash(row.map((cell, i) => (cell === null ? "\u0000" : floats[i] ? rounded(cell) : cell)).join("\u0001"));
    // Sums do not depend on the order, and unlike exclusive or do not cancel equal rows.
    high = (high + a) >>> 0;
    low = (low + b) >>> 0;
  }
  const hex = (n: number) => n.toString(16).padStart(8, "0");
  return `${hex(high)}${hex(low)}/${rows.length}`;
}

/** NaN and infinities keep their words; both zeros are one. */
function rounded(cell: string): string {
  const value = Number(cell);
  return Number.isFinite(value) ? String(Number(value.toPrecision(12)) + 0) : cell;
}

/** Two 32-bit FNV-1a hashes with different beginnings, mixed at the end as MurmurHash3 does. */
function hash(text: string): [number, number] {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
  }
  return [mix(a), mix(b)];
}

function mix(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
