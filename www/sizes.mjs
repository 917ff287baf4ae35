// The weight of the built page, as a static host with brotli would send it; fails above the budget.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const FIRST_LOAD_BUDGET = 1_000_000;
const ENGINE_BUDGET = 750_000;

const dist = fileURLToPath(new URL("./dist", import.meta.url));

function files(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

function brotli(bytes) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params }).length;
}

const bytes = new Map(files(dist).map((path) => [relative(dist, path), readFileSync(path)]));

/** The files that the entry page asks for before it can answer a query: what it names, and what those import. */
function firstLoad() {
  const seen = new Set(["index.html"]);
  const queue = ["index.html"];
  while (queue.length > 0) {
    const name = queue.pop();
    if (!/\.(html|js|css)$/.test(name)) continue;
    const text = bytes.get(name).toString("utf8");
    for (const other of bytes.keys()) {
      const base = other.split("/").at(-1);
      if (seen.has(other) || !text.includes(base)) continue;
      // A lazy chunk is named in `import("…")` and in the list of its preloads, never in a plain import.
      const lazy = !name.endsWith(".html") && /\.(js|css)$/.test(other) && !text.includes(`from"./${base}"`) && !text.includes(`import"./${base}"`) && !/worker/.test(base);
      if (lazy) continue;
      seen.add(other);
      queue.push(other);
    }
  }
  return seen;
}

const first = firstLoad();
const rows = [...bytes].map(([name, content]) => ({
  name,
  raw: content.length,
  brotli: brotli(content),
  first: first.has(name),
}));
rows.sort((a, b) => Number(b.first) - Number(a.first) || b.brotli - a.brotli);

const number = (n) => n.toLocaleString("en-US");
const line = (name, raw, packed, note) => console.log(`${name.padEnd(44)} ${raw.padStart(11)} ${packed.padStart(11)}  ${note}`);
line("file", "raw", "brotli", "loaded");
for (const row of rows) line(row.name, number(row.raw), number(row.brotli), row.first ? "first" : "lazily");

const total = rows.filter((row) => row.first).reduce((sum, row) => sum + row.brotli, 0);
const engine = rows.filter((row) => row.name.endsWith(".wasm")).reduce((sum, row) => sum + row.brotli, 0);
line("first load", "", number(total), `budget ${number(FIRST_LOAD_BUDGET)}`);
line("engine", "", number(engine), `budget ${number(ENGINE_BUDGET)}`);

if (total > FIRST_LOAD_BUDGET || engine > ENGINE_BUDGET) {
  console.error("The page is heavier than its budget.");
  process.exit(1);
}
