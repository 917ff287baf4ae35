// Runs the browser tests, Chromium first, and closes with one line of counts.
// Usage: node run.mjs [part of a file's name …]
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const wanted = process.argv.slice(2);

/** What the tests compare with or look through. */
function prepare() {
  if (!existsSync(join(root, "www/dist/index.html"))) throw new Error("www/dist is missing: run ./build.sh dist first");
  execFileSync("cargo", ["build", "-q", "--locked", "-p", "engine", "--bin", "tuplescope"], { cwd: root, stdio: "inherit" });
  execFileSync(join(root, "www/node_modules/.bin/vite"), ["build", "--logLevel", "warn", "--config", "pev2/vite.config.mjs"], { cwd: here, stdio: "inherit" });
}

const files = ["chromium", "firefox"]
  .flatMap((browser) => readdirSync(join(here, browser)).sort().map((name) => join(here, browser, name)))
  .filter((file) => file.endsWith(".test.mjs") && (wanted.length === 0 || wanted.some((part) => file.includes(part))));

prepare();

let passed = 0;
let failed = 0;
// One file at a time: two browsers on two cores would disturb each other's clocks.
const tests = run({ files, concurrency: 1, timeout: 900_000 });
const isTest = (event) => event.details?.type !== "suite" && !files.includes(event.name);
tests.on("test:pass", (event) => isTest(event) && (passed += 1));
tests.on("test:fail", (event) => {
  if (isTest(event) || !(event.details?.error?.failureType === "subtestsFailed")) failed += 1;
});
tests.compose(new spec()).pipe(process.stdout);
tests.on("end", () => {
  // After the reporter's own last lines.
  setTimeout(() => {
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
  }, 200);
});
