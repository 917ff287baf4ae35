// This project's engine, as the page loads it, without the page.
import { existsSync, readFileSync } from "node:fs";

const PACKAGE = new URL(process.env.TUPLESCOPE_PACKAGE ?? "../../../www/src/engine/pkg/", import.meta.url);
/** Long slices: nothing here waits for a turn of the event loop. */
const SLICE_MS = 1000;
const KEEP_ROWS = 10;

export const name = "Tuplescope";

export async function open() {
  if (!existsSync(PACKAGE)) throw new Error("not built: run ./build.sh dist");
  const { Engine, default: init } = await import(new URL("web.js", PACKAGE).href);
  await init({ module_or_path: readFileSync(new URL("web_bg.wasm", PACKAGE)) });
  const engine = new Engine();

  const run = (script, settings = []) => {
    engine.start(script, settings, KEEP_ROWS);
    let rows = [];
    for (;;) {
      const event = engine.resume(SLICE_MS);
      if (event.kind === "rows") rows = event.rows;
      if (event.kind === "statement" && event.error) throw new Error(`${event.sql}: ${event.error.message}`);
      if (event.kind === "done") return rows;
    }
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
    count: (sql) => Number(run(sql, [["explain_timing", "off"]])[0][0]),
    close: () => engine.free(),
  };
}
