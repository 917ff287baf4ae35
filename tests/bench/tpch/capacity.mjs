// Whether all of TPC-H runs in wasm's 4 GiB: each query once under each driver, with the memory that has
// been needed so far. Wasm's memory only grows, so its size at the end is the peak.
import * as tuplescope from "../peers/tuplescope.mjs";
import { difference } from "./answers.mjs";
import { ownScript } from "./data.mjs";
import { queryName, queryText } from "./queries.mjs";

const SCALE = 1;
const DRIVERS = ["push", "pull"];
const mib = (bytes) => `${Math.round(bytes / 2 ** 20).toLocaleString("en-US")} MiB`;

export async function measure({ scale: wanted, money, queries, storage }) {
  const scale = wanted ?? SCALE;
  const { run, version, memory, close } = await tuplescope.open();
  console.log(`Tuplescope ${version}, scale factor ${scale}, ${storage}, ${money === "double" ? "double precision" : "numeric"}, batch_rows 1024; one run each, in ms`);
  const began = performance.now();
  // Statement by statement, so that who waits sees how far it is.
  for (const statement of ownScript(scale, money, storage).split(";\n")) {
    run(`${statement};`);
    const table = /^\s*INSERT INTO (\w+)/.exec(statement)?.[1];
    if (table) console.log(`  ${table.padEnd(9)} ${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s ${mib(memory()).padStart(10)}`);
  }
  console.log(`tables made in ${((performance.now() - began) / 1000).toFixed(1)} s, ${mib(memory())}\n`);
  console.log(["query", ...DRIVERS, "rows", "memory so far"].map(column).join(""));
  const failed = [];
  for (const number of queries) {
    const cells = [];
    let answer = null;
    for (const executor of DRIVERS) {
      try {
        const start = performance.now();
        const rows = run(queryText(number, scale), [["explain_timing", "off"], ["executor", executor]]);
        cells.push((performance.now() - start).toFixed(0));
        answer ??= rows;
        const differs = difference(answer, rows);
        if (differs) failed.push(`${queryName(number)}, ${executor}: answered ${differs}`);
      } catch (cause) {
        cells.push("–");
        failed.push(`${queryName(number)}, ${executor}: ${cause.message}`);
      }
    }
    console.log([queryName(number), ...cells, String(answer?.length ?? "–"), mib(memory())].map(column).join(""));
  }
  console.log(`\npeak memory ${mib(memory())} of 4,096 MiB; ${failed.length === 0 ? `all ${queries.length} ran, both drivers agree` : `${failed.length} failed`}`);
  for (const line of failed) console.log(`  ${line}`);
  close();
}

const column = (text, i) => (i === 0 ? text.padEnd(6) : text.padStart(i === 4 ? 15 : 10));
