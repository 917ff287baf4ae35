// Ratios against other engines in one process, and what this engine's own switches do.
// Usage: node run.mjs [PART …] [OPTION …]; without a part: mail1, tpch and executors.
import os from "node:os";
import { parseArgs } from "node:util";

/** The parts and what they measure; each is given all options. */
const PARTS = {
  mail1: "mail 1's two cases and the load, beside the peers",
  tpch: "TPC-H query by query, heap and columnar, beside the peers",
  executors: "TPC-H by both drivers, tuple by tuple and in batches, and what EXPLAIN ANALYZE costs",
  capacity: "all of TPC-H once under each driver, with the memory that it takes; by itself only",
};
const BY_DEFAULT = ["mail1", "tpch", "executors"];

const OPTIONS = {
  rounds: { type: "string", default: "9" },
  rows: { type: "string", default: "1000000,10000000" },
  sf: { type: "string" },
  queries: { type: "string", default: "1-22" },
  peers: { type: "string", default: "duckdb,pglite,sqlite" },
  storage: { type: "string", default: "heap" },
  money: { type: "string", default: "double" },
  limit: { type: "string", default: "60" },
  help: { type: "boolean", default: false },
};
const HELP = `Usage: ./build.sh bench [PART …] [OPTION …]
${Object.entries(PARTS).map(([part, what]) => `  ${part.padEnd(10)} ${what}`).join("\n")}
Options
  --rounds 9          interleaved rounds
  --rows 1000000,…    rows of mail1's table
  --sf 0.1            TPC-H's scale factor (capacity: 1)
  --queries 1-22      as in 1,6,12-14
  --peers duckdb,pglite,sqlite
  --storage heap      or columnar: executors and capacity
  --money double      or numeric: the type of prices
  --limit 60          seconds after which a peer's query is given up`;

function refuse(message) {
  console.error(`${message}\n\n${HELP}`);
  process.exit(2);
}

/** `1,6,12-14` as numbers of queries. */
function queryNumbers(text) {
  const numbers = text.split(",").flatMap((part) => {
    const [from, to = from] = part.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
  if (numbers.length === 0 || numbers.some((n) => !(n >= 1 && n <= 22))) refuse(`--queries ${text}: queries are 1 to 22`);
  return numbers;
}

function oneOf(name, value, allowed) {
  if (!allowed.includes(value)) refuse(`--${name} ${value}: it is one of ${allowed.join(", ")}`);
  return value;
}

function number(name, value) {
  if (!(Number(value) > 0)) refuse(`--${name} ${value}: it is a number above zero`);
  return Number(value);
}

let given;
try {
  given = parseArgs({ allowPositionals: true, options: OPTIONS });
} catch (cause) {
  refuse(cause.message);
}
const { values, positionals } = given;
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const parts = positionals.length > 0 ? positionals.map((part) => oneOf("part", part, Object.keys(PARTS))) : BY_DEFAULT;
const options = {
  rounds: number("rounds", values.rounds),
  rows: values.rows.split(",").map((rows) => number("rows", rows)),
  scale: values.sf === undefined ? null : number("sf", values.sf),
  queries: queryNumbers(values.queries),
  peers: values.peers.split(",").filter((peer) => peer !== "").map((peer) => oneOf("peers", peer, ["duckdb", "pglite", "sqlite"])),
  storage: oneOf("storage", values.storage, ["heap", "columnar"]),
  money: oneOf("money", values.money, ["double", "numeric"]),
  limitMs: number("limit", values.limit) * 1000,
};

console.log(`Node ${process.version}, ${os.cpus()[0]?.model ?? "unknown processor"}, ${os.cpus().length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB`);
for (const part of parts) {
  console.log(`\n== ${part}: ${PARTS[part]}`);
  const { measure } = await import(`./${part === "mail1" ? "" : "tpch/"}${part}.mjs`);
  await measure(options);
}
// A peer may leave handles open.
process.exit(0);
