import assert from "node:assert/strict";
import { test } from "node:test";
import { attempt, onPage, pressRun, run, withChromium } from "../support/page.mjs";

const context = withChromium();

/** Makes the engine's next read of the clock throw in the middle of its work, as a trap would. */
async function breakEngine(page) {
  const [worker] = page.workers();
  await worker.evaluate(() => {
    performance.now = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
  });
}

test("a trapped engine is replaced, the visitor is told, and the next Run works", () =>
  onPage(context, {}, async (page) => {
    await pressRun(page);
    await breakEngine(page);
    await page.getByRole("button", { name: /^Run Ctrl/ }).click();
    await page.getByText(/The engine stopped and was started again with an empty database/).waitFor();
    await page.getByText("runs once before the query").waitFor();
    await pressRun(page);
    assert.ok((await page.getByRole("tab").count()) >= 2);
    await page.getByText("in the database").waitFor();
  }));

test("changed settings survive the engine", () =>
  onPage(context, {}, async (page) => {
    await run(page, "SET executor = pull;");
    await breakEngine(page);
    await assert.rejects(attempt(page, "SELECT 1;"), /unreachable/);
    assert.deepEqual((await run(page, "SHOW executor;"))[0].rows, [["pull"]]);
  }));

test("a statement that outgrows memory fails with 53200 and the session goes on", () =>
  onPage(context, {}, async (page) => {
    await run(page, "CREATE TABLE kept (i int); INSERT INTO kept VALUES (1);");
    const { statements } = await attempt(page, "SELECT md5(g::text) AS m FROM generate_series(1, 3000000) AS g ORDER BY m;", { memory_limit: "16MB" });
    assert.equal(statements[0].error?.sqlstate, "53200");
    assert.deepEqual((await run(page, "SELECT count(*) FROM kept;"))[0].rows, [["1"]]);
  }));

test("a statement too deep for the parser fails with 54001, not with a trap", () =>
  onPage(context, {}, async (page) => {
    for (const sql of [`SELECT ${"(".repeat(50_000)}1${")".repeat(50_000)};`, `SELECT 1${" + 1".repeat(50_000)};`, `SELECT 1${" UNION ALL SELECT 1".repeat(10_000)};`, `SELECT ${"NOT ".repeat(50_000)}true;`]) {
      const { statements } = await attempt(page, sql);
      assert.equal(statements[0].error?.sqlstate, "54001", sql.slice(0, 40));
    }
    assert.deepEqual((await run(page, "SELECT 1;"))[0].rows, [["1"]]);
  }));
