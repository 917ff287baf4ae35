// Several builds of the engine side by side in one process: what a change of the code or of the compiler's
// options does to wasm's speed. The first build is the base; a ratio above 1 is time that a build saves.
// Usage: node builds.mjs FOLDER FOLDER … [--rows 1000000] [--sf 0.02] [--rounds 9] [--only WORD]
// A folder holds web.js and web_bg.wasm, as www/src/engine/pkg does.
import { parseArgs } from "node:util";
import * as tuplescope from "./peers/tuplescope.mjs";
import { median, order, spread } from "./statistics.mjs";
import { TABLES, generated, queryName, queryText } from "./tpch/queries.mjs";

const { values: given, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string", default: "1000000" },
    sf: { type: "string", default: "0.02" },
    rounds: { type: "string", default: "9" },
    only: { type: "string", default: "" },
  },
});
const WARM_UP = 3;
const scale = Number(given.sf);

const runs = [];
for (const batch_rows of ["1", "1024"]) {
  for (const executor of ["push", "pull"]) {
    const with_ = (more) => [["explain_timing", "off"], ["executor", executor], ["batch_rows", batch_rows], ...more];
    for (const [name, sql] of [["case #1", "SELECT count(*) FROM t WHERE i = 50000"], ["case #2", "SELECT count(*) FROM t WHERE i >= 2"]]) {
      for (const [keys, more] of [
        ["off", [["quals_push_down", "off"]]],
        ["always", [["quals_push_down", "on"], ["quals_recheck", "always"]]],
        ["auto", [["quals_push_down", "on"], ["quals_recheck", "auto"]]],
      ]) runs.push({ name: `${name} ${keys} ${executor} ${batch_rows}`, sql, settings: with_(more) });
    }
    for (const q of [1, 3, 4, 5, 6, 10, 12, 14]) {
      runs.push({ name: `${queryName(q)} ${executor} ${batch_rows}`, sql: queryText(q, scale), settings: with_(batch_rows === "1" ? [["quals_push_down", "off"]] : []) });
    }
  }
}

const builds = [];
for (const folder of folders) {
  const { run } = await tuplescope.open(folder);
  run(`CREATE TABLE t (i INTEGER); INSERT INTO t SELECT generate_series(1, ${given.rows}); VACUUM t;`);
  for (const table of TABLES) run(`CREATE TABLE ${table} AS ${generated(table, scale, "double")}; VACUUM ANALYZE ${table};`);
  builds.push({ folder, run });
}
console.log(`base: ${folders[0]}`);
const sums = builds.map(() => ({}));
for (const { name, sql, settings } of runs) {
  if (!name.includes(given.only)) continue;
  const times = builds.map(() => []);
  for (let round = -WARM_UP; round < Number(given.rounds); round += 1) {
    for (const i of order(builds.length, round & 1)) {
      const began = performance.now();
      builds[i].run(sql, settings);
      if (round >= 0) times[i].push(performance.now() - began);
    }
  }
  const base = median(times[0]);
  const cells = times.map((all, i) => {
    const ms = median(all);
    ((sums[i][settings[2][1]] ??= []).push(Math.log(base / ms)));
    return `${ms.toFixed(2).padStart(9)} ±${(spread(all) * 100).toFixed(0).padStart(2)} % ${(base / ms).toFixed(3)}`;
  });
  console.log(name.padEnd(26), cells.join(" |"));
}
for (const [i, of] of sums.entries()) {
  const means = Object.entries(of).map(([batch, logs]) => `${Math.exp(logs.reduce((a, b) => a + b, 0) / logs.length).toFixed(3)} at batch_rows ${batch}`);
  console.log(`geometric mean, ${builds[i].folder}: ${means.join(", ")}`);
}
