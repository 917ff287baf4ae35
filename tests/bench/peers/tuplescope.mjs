// This project's engine, as the page loads it, without the page.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const PACKAGE = new URL("../../../www/src/engine/pkg/", import.meta.url);
/** Long slices: nothing here waits for a turn of the event loop. */
const SLICE_MS = 1000;
/** Enough for TPC-H's answers; q16's is the longest. */
const KEEP_ROWS = 100_000;
const ALL_ROWS = 2 ** 32 - 1;

export const name = "Tuplescope";

/** `folder`: where a build is, the page's if none is given. */
export async function open(folder) {
  const at = folder ? pathToFileURL(`${path.resolve(folder)}/`) : PACKAGE;
  if (!existsSync(at)) throw new Error("not built: run ./build.sh dist");
  const { Engine, default: init } = await import(new URL("web.js", at).href);
  const { memory } = await init({ module_or_path: readFileSync(new URL("web_bg.wasm", at)) });
  const engine = new Engine();

  /** Runs a script; `take` is given what comes: rows and ends of statements. */
  const each = (script, settings, keepRows, take) => {
    engine.start(script, settings, keepRows);
    for (;;) {
      const event = engine.resume(SLICE_MS);
      if (event.kind === "statement" && event.error) throw new Error(`${event.sql}: ${event.error.message}`);
      if (event.kind === "done") return;
      take(event);
    }
  };
  const run = (script, settings = []) => {
    const rows = [];
    each(script, settings, KEEP_ROWS, (event) => event.kind === "rows" && rows.push(...event.rows));
    return rows;
  };

  return {
    run,
    version: engine.version(),
    load(rows) {
      run("DROP TABLE IF EXISTS t; CREATE TABLE t (i INTEGER) WITH (quals_push_down = on);");
      const began = performance.now();
      run(`INSERT INTO t SELECT generate_series(1, ${rows});`);
      const ms = performance.now() - began;
      run("VACUUM t;");
      return ms;
    },
    /** Rows as lines with bars between the values, char's padding cut off: what every peer can read. */
    text(select) {
      const encoder = new TextEncoder();
      const lines = [];
      let padded = [];
      let columns = 0;
      each(select, [], ALL_ROWS, (event) => {
        if (event.kind !== "rows") return;
        if (event.columns) {
          padded = event.columns.map(({ type }) => /^(character|char|bpchar)\b(?! varying)/.test(type));
          columns = padded.length;
        }
        const text = event.rows.map((row) => row.map((value, i) => (padded[i] ? value.trimEnd() : value)).join("|")).join("\n");
        lines.push(encoder.encode(`${text}\n`));
      });
      const shared = new Uint8Array(new SharedArrayBuffer(lines.reduce((sum, part) => sum + part.length, 0)));
      let at = 0;
      for (const part of lines) {
        shared.set(part, at);
        at += part.length;
      }
      return { columns, text: shared };
    },
    query: run,
    rows: (rows) => rows,
    /** Bytes of wasm's memory, which only grows. */
    memory: () => memory.buffer.byteLength,
    count: (sql) => Number(run(sql, [["explain_timing", "off"]])[0][0]),
    close: () => engine.free(),
  };
}
