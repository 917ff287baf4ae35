// TPC-H query by query: our engine over the heap and over columnar storage (push, batches of 1024) beside
// the peers, each in a worker of its own, in interleaved rounds.
import { Remote, TimeLimit } from "../peers/remote.mjs";
import { geometricMean, median, order } from "../statistics.mjs";
import { difference } from "./answers.mjs";
import { ownScript, tableTexts } from "./data.mjs";
import { queryName, queryText, schema } from "./queries.mjs";

const SCALE = 0.1;
const WARM_UP = 3;
/** A peer that is slow takes part in fewer rounds: its share of a query's measurement ends here. */
const BUDGET_MS = 20_000;
const SETTINGS = [
  ["explain_timing", "off"],
  ["executor", "push"],
  ["batch_rows", "1024"],
];

const engine = (storage, scale, money) => ({
  name: storage,
  remote: new Remote("tuplescope.mjs", {}, (call) => call("run", ownScript(scale, money, storage))),
  settings: SETTINGS,
});
const peer = (module, money, texts) => ({
  name: module,
  remote: new Remote(`${module}.mjs`, {}, (call) => call("tables", schema(money), texts)),
  settings: [],
});

export async function measure({ scale: wanted, money, queries, rounds, peers, limitMs }) {
  const scale = wanted ?? SCALE;
  const texts = peers.length > 0 ? await tableTexts(scale, money) : [];
  const engines = [engine("heap", scale, money), engine("columnar", scale, money), ...peers.map((it) => peer(it, money, texts))];
  const said = [];
  const present = [];
  for (const it of engines) {
    const began = performance.now();
    try {
      const { name, version } = await it.remote.open();
      console.log(`${it.name.padEnd(9)} ${name} ${version}: tables made in ${((performance.now() - began) / 1000).toFixed(1)} s`);
      present.push(it);
    } catch (cause) {
      said.push(`${it.name}: ${cause.message}`);
    }
  }
  const others = present.slice(2);
  console.log(
    `scale factor ${scale}, ${money === "double" ? "double precision" : "numeric"}, no indexes; medians in ms of ${rounds} interleaved rounds; × is a peer's time over the heap's / over columnar's: above 1 we are faster\n`,
  );
  console.log(["query", ...present.map((it) => it.name), ...others.map((it) => `${it.name} ×`)].map((head, i) => column(head, i, present.length)).join(""));

  const ratios = new Map(others.map((it) => [it, []]));
  for (const number of queries) {
    const times = await compare(number, queryText(number, scale), present, { rounds, limitMs, said });
    const ms = times.map((all) => (all.length > 0 ? median(all) : null));
    const [heap, columnar] = ms;
    const over = others.map((it, i) => {
      const theirs = ms[i + 2];
      if (theirs === null || heap === null || columnar === null) return "–";
      ratios.get(it).push([theirs / heap, theirs / columnar]);
      return `${ratio(theirs / heap)} / ${ratio(theirs / columnar)}`;
    });
    const cells = times.map((all, i) => (ms[i] === null ? "–" : `${ms[i].toPrecision(4)}${all.length < rounds ? ` (${all.length})` : ""}`));
    console.log([queryName(number), ...cells, ...over].map((text, i) => column(text, i, present.length)).join(""));
  }
  console.log("");
  for (const [{ name }, all] of ratios) {
    if (all.length === 0) continue;
    for (const [at, storage] of ["heap", "columnar"].entries()) {
      const of = all.map((pair) => pair[at]);
      const least = Math.min(...of);
      console.log(`${storage} against ${name}: faster in ${of.filter((it) => it > 1).length} of ${of.length} queries, at worst ${ratio(least)} ×, geometric mean ${ratio(geometricMean(of))} ×`);
    }
  }
  if (said.length > 0) console.log(`\nNot measured, or measured in fewer rounds (in brackets):\n${said.map((line) => `  ${line}`).join("\n")}`);
  for (const { remote } of present) await remote.close();
}

/** The times of each engine, in its rounds; empty where it failed, was too slow, or answered something else. */
async function compare(number, sql, engines, { rounds, limitMs, said }) {
  const name = queryName(number);
  const times = engines.map(() => []);
  const takesPart = engines.map(() => 0);
  let answer = null;
  for (const [i, { name: who, remote, settings }] of engines.entries()) {
    try {
      const first = await remote.query(sql, { settings, wantRows: true, limitMs });
      answer ??= first.rows;
      const differs = difference(answer, first.rows);
      if (differs) said.push(`${name}, ${who}: answered ${differs}`);
      takesPart[i] = Math.max(1, Math.min(rounds, Math.floor(BUDGET_MS / first.ms)));
      if (takesPart[i] < rounds) said.push(`${name}, ${who}: ${(first.ms / 1000).toFixed(1)} s a run, ${takesPart[i]} of ${rounds} rounds`);
      else for (let warm = 1; warm < WARM_UP; warm += 1) await remote.query(sql, { settings });
    } catch (cause) {
      said.push(`${name}, ${who}: ${cause instanceof TimeLimit ? `given up, ${cause.message}` : cause.message}`);
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const i of order(engines.length, round)) {
      if (round < takesPart[i]) times[i].push((await engines[i].remote.query(sql, { settings: engines[i].settings })).ms);
    }
  }
  return times;
}

const ratio = (value) => (value >= 10 ? value.toFixed(0) : value.toFixed(2));
const column = (text, i, times) => (i === 0 ? text.padEnd(6) : text.padStart(i <= times ? 14 : 18));
