// What scan keys cost where they save least: push-down off against on, for shares of rows that pass × the key
// column's place × NULLs × whether its values are wanted. Interleaved pairs (off on on off), and off against
// itself as the floor below which nothing is claimed. A gain below zero is a loss.
// Usage: node push_down.mjs [--rows 200000] [--rounds 15] [--batch_rows 1024] [--only WORD] [--package FOLDER]
import { parseArgs } from "node:util";
import * as tuplescope from "./peers/tuplescope.mjs";
import { median } from "./statistics.mjs";

const { values: given } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    rounds: { type: "string", default: "15" },
    batch_rows: { type: "string", default: "1024" },
    only: { type: "string", default: "" },
    package: { type: "string" },
  },
});
const rows = Number(given.rows);
const rounds = Number(given.rounds);
/** A sample lasts at least this long: many of the clock's steps. */
const SAMPLE_MS = 10;
const SHARES = [100, 95, 90, 80, 70, 50, 20, 1];

// Of every hundred rows each has another number from 0 to 99, in no order; or some are NULL.
const spread = "g * 37 % 100";
const tables = [];
for (const [density, value] of [["no NULLs", spread], ["10 % NULLs", `CASE WHEN g % 10 > 0 THEN ${spread} END`], ["50 % NULLs", `CASE WHEN g % 2 > 0 THEN ${spread} END`]]) {
  const columns = Array.from({ length: 15 }, (_, i) => ([1, 4, 8, 15].includes(i + 1) ? value : `g % ${i + 2}`));
  const name = `n${density.split(" ")[0]}`;
  tables.push({
    density,
    places: [["first column", "c1"], ["fourth column", "c4"], ["eighth column", "c8"], ["last column", "c15"]],
    name,
    sql: `CREATE TABLE ${name} (${columns.map((_, i) => `c${i + 1} int`).join(", ")}); INSERT INTO ${name} SELECT ${columns.join(", ")} FROM generate_series(1, ${rows}) g; VACUUM ${name};`,
  });
  tables.push({
    density,
    places: [["behind text", "i"]],
    name: `b${name}`,
    sql: `CREATE TABLE b${name} (s text, i int, j int); INSERT INTO b${name} SELECT 'text ' || g, ${value}, g % 10 FROM generate_series(1, ${rows}) g; VACUUM b${name};`,
  });
}

const engine = await tuplescope.open(given.package);
console.log(`gain of push-down at batch_rows ${given.batch_rows}, ${rows} rows, medians of ${rounds} interleaved pairs; in brackets off against off`);
const executor = "push";
const common = [["explain_timing", "off"], ["executor", executor], ["batch_rows", given.batch_rows]];
const OFF = [...common, ["quals_push_down", "off"]];
const ON = [...common, ["quals_push_down", "on"], ["quals_recheck", "auto"]];
for (const { sql } of tables) engine.run(sql);

function sample(sql, settings, times) {
  const began = performance.now();
  for (let i = 0; i < times; i += 1) engine.run(sql, settings);
  return performance.now() - began;
}

let worst = 0;
for (const what of ["sum", "count"]) {
  for (const { density, places, name } of tables) {
    for (const [place, column] of places) {
      const title = `${what}, ${place}, ${density}`;
      if (!title.includes(given.only)) continue;
      const cells = [];
      for (const share of SHARES) {
        const sql = `SELECT ${what === "sum" ? `sum(${column})` : "count(*)"} FROM ${name} WHERE ${column} >= ${100 - share}`;
        const trials = [0, 1, 2].map(() => {
          sample(sql, ON, 1);
          return sample(sql, OFF, 1);
        });
        const once = Math.min(...trials);
        const times = Math.max(1, Math.ceil(SAMPLE_MS / once));
        const gains = [];
        const floor = [];
        for (let round = 0; round < rounds; round += 1) {
          let [off, on, off2] = [0, 0, 0];
          if (round % 2) {
            off = sample(sql, OFF, times);
            on = sample(sql, ON, times);
            off2 = sample(sql, OFF, times);
          } else {
            off2 = sample(sql, OFF, times);
            on = sample(sql, ON, times);
            off = sample(sql, OFF, times);
          }
          gains.push(((off + off2) / 2 - on) / ((off + off2) / 2));
          floor.push(Math.abs(off - off2) / off);
        }
        const [gain, noise] = [median(gains), median(floor)];
        worst = Math.min(worst, gain + noise);
        const percent = (x) => (x * 100).toFixed(1);
        cells.push(`${share}: ${percent(gain)} (${percent(noise)})`);
      }
      console.log(title.padEnd(34), cells.join("  "));
    }
  }
}
console.log(`worst loss beyond the floor: ${(worst * 100).toFixed(1)} %`);
engine.close();
