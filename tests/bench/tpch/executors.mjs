// TPC-H by this engine alone: both drivers, tuple by tuple and in batches, by mail 4's formula with an A/A
// floor; batches against single tuples; and what EXPLAIN ANALYZE with batch timing costs.
import * as tuplescope from "../peers/tuplescope.mjs";
import { geometricMean, median, order } from "../statistics.mjs";
import { ownScript } from "./data.mjs";
import { queryName, queryText } from "./queries.mjs";

const SCALE = 0.1;
const WARM_UP = 3;
/** A shorter sample is at the mercy of whatever else the machine does. */
const SAMPLE_MS = 20;

const settings = (executor, batchRows, timing = "off") => [
  ["executor", executor],
  ["batch_rows", String(batchRows)],
  ["explain_timing", timing],
];
/** What is interleaved; pull stands there twice, for the A/A floor. */
const VARIANTS = [
  { id: "pull1", settings: settings("pull", 1) },
  { id: "push1", settings: settings("push", 1) },
  { id: "again1", settings: settings("pull", 1) },
  { id: "pull1024", settings: settings("pull", 1024) },
  { id: "push1024", settings: settings("push", 1024) },
  { id: "again1024", settings: settings("pull", 1024) },
  { id: "untimed", settings: settings("push", 1024, "off"), explain: true },
  { id: "timed", settings: settings("push", 1024, "batch"), explain: true },
];

/** Mail 4's speed-up, of pull ("master") and push ("reversed"). */
const speedup = (pull, push) => (pull - push) / push;
const signed = (share) => `${share < 0 ? "−" : "+"}${Math.abs(share * 100).toFixed(1)} %`;

export async function measure({ scale: wanted, money, queries, rounds, storage }) {
  const scale = wanted ?? SCALE;
  const { run, version, close } = await tuplescope.open();
  console.log(`Tuplescope ${version}, scale factor ${scale}, ${storage}, ${money === "double" ? "double precision" : "numeric"}; medians in ms of ${rounds} interleaved rounds`);
  console.log("speed-up is (pull − push) / push; ± is the A/A floor, pull against itself; EXPLAIN is EXPLAIN ANALYZE over the plain query, with batch timing / without\n");
  run(ownScript(scale, money, storage));
  const heads = ["query", "pull, 1", "push, 1", "speed-up", "±", "pull, 1024", "push, 1024", "speed-up", "±", "1 over 1024", "EXPLAIN"];
  console.log(heads.map(column).join(""));

  const results = [];
  for (const number of queries) {
    const result = figures(sample(run, queryText(number, scale), rounds));
    results.push(result);
    console.log(
      [queryName(number), ...[result.one, result.many].flatMap(({ pull, push, gain, floor }) => [pull.toPrecision(4), push.toPrecision(4), signed(gain), `${(floor * 100).toFixed(1)} %`]), `${result.batches.toFixed(2)} ×`, `${signed(result.timed)} / ${signed(result.untimed)}`]
        .map(column)
        .join(""),
    );
  }
  close();
  const mean = (of) => geometricMean(results.map(of));
  const slower = (at) => results.filter((it) => it[at].gain < -it[at].floor).length;
  console.log("\ngeometric means");
  for (const [at, rows] of [["one", 1], ["many", 1024]]) {
    console.log(`  push over pull at batch_rows ${rows}: ${signed(mean((it) => 1 + it[at].gain) - 1)}, slower beyond the floor in ${slower(at)} of ${results.length}`);
  }
  console.log(`  batch_rows 1024 over 1, push: ${mean((it) => it.batches).toFixed(2)} ×`);
  console.log(`  EXPLAIN ANALYZE over the plain query, batch timing: ${signed(mean((it) => 1 + it.timed) - 1)}; without timing: ${signed(mean((it) => 1 + it.untimed) - 1)}`);
}

/** Milliseconds of each variant, by round. */
function sample(run, sql, rounds) {
  const once = ({ settings: of, explain }) => {
    const began = performance.now();
    run(explain ? `EXPLAIN ANALYZE ${sql}` : sql, of);
    return performance.now() - began;
  };
  const repeats = VARIANTS.map((variant) => {
    let last = 0;
    for (let i = 0; i < WARM_UP; i += 1) last = once(variant);
    return Math.max(1, Math.ceil(SAMPLE_MS / last));
  });
  const times = Object.fromEntries(VARIANTS.map(({ id }) => [id, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const i of order(VARIANTS.length, round)) {
      let ms = 0;
      for (let k = 0; k < repeats[i]; k += 1) ms += once(VARIANTS[i]);
      times[VARIANTS[i].id].push(ms / repeats[i]);
    }
  }
  return times;
}

function figures(times) {
  const at = (rows) => {
    const [pull, push] = [median(times[`pull${rows}`]), median(times[`push${rows}`])];
    const floor = median(times[`pull${rows}`].map((ms, i) => Math.abs(speedup(ms, times[`again${rows}`][i]))));
    return { pull, push, gain: speedup(pull, push), floor };
  };
  const [one, many] = [at(1), at(1024)];
  return { one, many, batches: one.push / many.push, timed: median(times.timed) / many.push - 1, untimed: median(times.untimed) / many.push - 1 };
}

function column(text, i) {
  if (i === 0) return text.padEnd(6);
  return text.padStart([0, 11, 11, 10, 9, 12, 12, 10, 9, 13, 20][i]);
}
