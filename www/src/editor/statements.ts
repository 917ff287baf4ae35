/** A statement of a script: its place, from the first sign that is neither blank nor comment. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Splits a script at the semicolons that end statements, as PostgreSQL's lexer sees them: not those in
 * strings, quoted names, dollar quotes and (nested) comments. A span has no semicolon at its end.
 */
export function statements(script: string): Span[] {
  const spans: Span[] = [];
  let start = -1;
  let end = -1;
  let at = 0;
  const finish = () => {
    if (start >= 0) spans.push({ from: start, to: end });
    start = -1;
  };
  while (at < script.length) {
    const sign = script.charAt(at);
    if (/\s/.test(sign)) {
      at += 1;
      continue;
    }
    const comment = commentEnd(script, at);
    if (comment > at) {
      at = comment;
      continue;
    }
    if (sign === ";") {
      finish();
      at += 1;
      continue;
    }
    if (start < 0) start = at;
    at = tokenEnd(script, at);
    end = at;
  }
  finish();
  return spans;
}

/** The statement at a place: the one that holds it, else the last one that begins before it, else the first. */
export function statementAt(script: string, place: number): Span | null {
  const spans = statements(script);
  let found = spans[0] ?? null;
  for (const span of spans) if (span.from <= place) found = span;
  return found;
}

/** Where the comment at `at` ends; `at` itself when there is none. */
function commentEnd(script: string, at: number): number {
  if (script.startsWith("--", at)) {
    const line = script.indexOf("\n", at);
    return line < 0 ? script.length : line + 1;
  }
  if (!script.startsWith("/*", at)) return at;
  let depth = 0;
  let place = at;
  while (place < script.length) {
    if (script.startsWith("/*", place)) {
      depth += 1;
      place += 2;
    } else if (script.startsWith("*/", place)) {
      depth -= 1;
      place += 2;
      if (depth === 0) return place;
    } else place += 1;
  }
  return place;
}

function tokenEnd(script: string, at: number): number {
  const sign = script.charAt(at);
  if (sign === "'" || sign === '"') return quoteEnd(script, at, false);
  if (/[eE]/.test(sign) && script.charAt(at + 1) === "'") return quoteEnd(script, at + 1, true);
  if (sign === "$") {
    const tag = /^\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/.exec(script.slice(at, at + 70))?.[0];
    if (tag) {
      const close = script.indexOf(tag, at + tag.length);
      return close < 0 ? script.length : close + tag.length;
    }
  }
  const word = /^[A-Za-z0-9_$\u0080-\uffff]+/.exec(script.slice(at, at + 200))?.[0];
  return at + (word?.length ?? 1);
}

/** The end of a quoted text; a doubled quote goes on, a backslash escapes only in `E'…'`. */
function quoteEnd(script: string, at: number, escapes: boolean): number {
  const quote = script.charAt(at);
  let place = at + 1;
  while (place < script.length) {
    const sign = script.charAt(place);
    if (escapes && sign === "\\") place += 2;
    else if (sign !== quote) place += 1;
    else if (script.charAt(place + 1) === quote) place += 2;
    else return place + 1;
  }
  return script.length;
}

/**
 * Whether a statement only reads, so that repeating it changes nothing. `WITH` may hold an INSERT:
 * the command tag of its last run decides there.
 */
export function readsOnly(sql: string, tag: string): boolean {
  let at = 0;
  for (;;) {
    const blank = /^[\s(]+/.exec(sql.slice(at))?.[0].length ?? 0;
    const next = commentEnd(sql, at + blank);
    if (next === at) break;
    at = next;
  }
  return /^(select|values|table|with)\b/i.test(sql.slice(at)) && /^SELECT\b/.test(tag) && !/\b(nextval|setval|set_config)\s*\(/i.test(sql);
}
