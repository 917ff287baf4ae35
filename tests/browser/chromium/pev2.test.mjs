import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serve } from "../../../www/serve.mjs";
import { nodes, onPage, run, withChromium } from "../support/page.mjs";

const context = withChromium();
let viewer;
before(async () => (viewer = await serve({ root: fileURLToPath(new URL("../pev2/dist", import.meta.url)) })));
after(() => viewer?.close());

const TABLES = `CREATE TABLE a (i int, s text); INSERT INTO a SELECT g, 'row ' || g % 100 FROM generate_series(1, 50000) AS g;
CREATE TABLE b (k int, v numeric); INSERT INTO b SELECT g, g / 3.0 FROM generate_series(1, 2000) AS g; VACUUM a; VACUUM b;`;

const QUERIES = [
  "SELECT count(*) FROM a WHERE i = 5000;",
  "SELECT count(*) FROM a WHERE i >= 2 AND s LIKE '%7';",
  "SELECT a.s, count(*), sum(b.v) FROM a JOIN b ON b.k = a.i GROUP BY a.s ORDER BY 2 DESC LIMIT 5;",
  "SELECT * FROM b LEFT JOIN a ON a.i = b.k AND a.i > 1000 ORDER BY b.k;",
  "SELECT count(*) FROM b AS x, b AS y WHERE x.k < y.k AND x.k < 50;",
  "SELECT count(*) FROM a WHERE i > (SELECT avg(k) FROM b);",
  "SELECT DISTINCT s FROM a UNION ALL SELECT v::text FROM b LIMIT 50;",
  "SELECT 1;",
  "SELECT count(*) FROM a WHERE i = NULL;",
  "UPDATE b SET v = v + 1 WHERE k < 10;",
];

test("pev2 draws every plan, without a figure that is not one", async () => {
  const plans = [];
  await onPage(context, {}, async (page) => {
    await run(page, TABLES);
    for (const executor of ["push", "pull"]) {
      for (const sql of QUERIES) {
        const [statement] = await run(page, sql, { executor });
        plans.push({ sql, plan: statement.plan });
      }
    }
  });
  const page = await context.browser.newPage({ viewport: { width: 1600, height: 1200 } });
  try {
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(viewer.url);
    await page.waitForFunction(() => window.ready);
    for (const { sql, plan } of plans) {
      await page.evaluate(([source, query]) => window.show(source, query), [JSON.stringify(plan, null, 2), sql]);
      await page.waitForFunction((count) => document.querySelectorAll(".plan-node").length >= count, nodes(plan).length);
      const text = await page.locator("#app").innerText();
      for (const wrong of ["NaN", "undefined", "Infinity", "[object"]) assert.ok(!text.includes(wrong), `${sql}: ${wrong} in ${text}`);
      assert.ok(!/[-−]\d[\d.,]*\s*m?s\b/.test(text), `${sql}: a negative time in ${text}`);
    }
    assert.deepEqual(problems, []);
  } finally {
    await page.close();
  }
});

test("a plan's own times are never negative and add up to its total", () =>
  onPage(context, {}, async (page) => {
    await run(page, TABLES);
    for (const executor of ["push", "pull"]) {
      for (const sql of QUERIES) {
        const [{ plan }] = await run(page, sql, { executor });
        const all = nodes(plan);
        const own = all.map((node) => node["Own Time"] ?? 0);
        assert.ok(own.every((ms) => ms >= 0), `${sql}: ${own}`);
        const total = all[0]["Actual Total Time"] * all[0]["Actual Loops"];
        const sum = own.reduce((a, b) => a + b, 0);
        // PostgreSQL's per-loop figures are rounded to microseconds: half of one for each loop.
        const slack = 0.01 + all.reduce((loops, node) => loops + node["Actual Loops"], 0) * 0.0006;
        assert.ok(Math.abs(sum - total) <= slack, `${sql}: own times ${sum}, total ${total}`);
        assert.ok(plan[0]["Execution Time"] > 0, sql);
      }
    }
  }));
