// Mail 1's two cases and the load, by this engine and its peers side by side in one process.
import * as duckdb from "./peers/duckdb.mjs";
import * as pglite from "./peers/pglite.mjs";
import * as sqlite from "./peers/sqlite.mjs";
import * as tuplescope from "./peers/tuplescope.mjs";
import { median, order, spread } from "./statistics.mjs";

const PEERS = { duckdb, pglite, sqlite };
const LOADS = 3;
const WARM_UP = 3;

const CASES = [
  { name: "case #1", sql: "SELECT count(*) AS count FROM t WHERE i = 50000", answer: () => 1 },
  { name: "case #2", sql: "SELECT count(*) AS count FROM t WHERE i >= 2", answer: (rows) => rows - 1 },
];

export async function measure({ rows: sizes, rounds, peers: wanted }) {
  const unmeasured = [];
  const peers = [];
  for (const module of [tuplescope, ...wanted.map((peer) => PEERS[peer])]) {
    try {
      peers.push({ name: module.name, ...(await module.open()) });
    } catch (cause) {
      unmeasured.push(`${module.name}: ${cause.message}`);
    }
  }
  const [ours] = peers;
  if (ours?.name !== tuplescope.name) throw new Error(unmeasured.join("\n"));

  for (const peer of peers) console.log(`${peer.name} ${peer.version}`);
  console.log(`medians in ms of ${rounds} interleaved rounds (loads: ${LOADS}), ± half the distance of the quartiles; a ratio above 1 is time that we save\n`);

  /** Measures one thing by every peer, round by round, and prints the medians and ratios. */
  async function compare(name, count, measure) {
    const times = peers.map(() => []);
    for (let round = 0; round < count; round += 1) {
      for (const i of order(peers.length, round)) {
        const ms = await measure(peers[i]);
        if (ms !== null) times[i].push(ms);
      }
    }
    const base = median(times[0]);
    console.log(name);
    for (const [i, peer] of peers.entries()) {
      if (times[i].length < count) continue;
      const ms = median(times[i]);
      const ratio = i === 0 ? "" : `${(ms / base).toFixed(2)} ×`;
      console.log(`  ${peer.name.padEnd(18)} ${ms.toFixed(2).padStart(10)} ± ${(spread(times[i]) * 100).toFixed(0).padStart(3)} %  ${ratio.padStart(10)}`);
    }
  }

  /** A failure of a peer is said once, at the end, and does not stop the others. */
  async function attempt(peer, what, work) {
    try {
      return await work();
    } catch (cause) {
      unmeasured.push(`${peer.name}, ${what}: ${cause.message}`);
      return null;
    }
  }

  for (const rows of sizes) {
    const size = `${rows.toLocaleString("en-US")} rows`;
    await compare(`load, ${size}`, LOADS, (peer) => attempt(peer, `load of ${size}`, () => peer.load(rows)));
    for (const { name, sql, answer } of CASES) {
      const once = (peer) =>
        attempt(peer, `${name}, ${size}`, async () => {
          const began = performance.now();
          const got = await peer.count(sql);
          const ms = performance.now() - began;
          if (got !== answer(rows)) throw new Error(`answered ${got}`);
          return ms;
        });
      for (let i = 0; i < WARM_UP; i += 1) for (const peer of peers) await once(peer);
      await compare(`${name}, ${size}`, rounds, once);
    }
  }
  for (const peer of peers) await peer.close();
  if (unmeasured.length > 0) console.log(`\nNot measured:\n${[...new Set(unmeasured)].map((line) => `  ${line}`).join("\n")}`);
}
