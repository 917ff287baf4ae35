import assert from "node:assert/strict";
import { test } from "node:test";
import { MAIL_1, idle, onPage, run, type, withChromium } from "../support/page.mjs";

const context = withChromium();

/** The cancel is heard within this time, in milliseconds. */
const LIMIT = 200;
/** Another process may hold the processor for a moment: the quickest of so many tries counts. */
const TRIES = 3;

/** Cancels a script until a try is within the limit; each try must end with 57014. */
async function cancelled(page, script, wait, settings = {}) {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && best >= LIMIT; i += 1) {
    const { heardAfter, statements } = await cancelOnce(page, script, wait, settings);
    assert.equal(statements.at(-1).error?.sqlstate, "57014");
    assert.equal(statements.at(-1).error?.message, "canceling statement due to user request");
    best = Math.min(best, heardAfter);
  }
  assert.ok(best < LIMIT, `heard after ${best} ms`);
}

/** Starts a script, cancels it after `wait` ms, and says how long the page took to hear it. */
function cancelOnce(page, script, wait, settings) {
  return page.evaluate(
    async ([text, ms, values]) => {
      const running = window.tuplescope.run(text, { settings: values });
      await new Promise((resolve) => setTimeout(resolve, ms));
      const asked = performance.now();
      window.tuplescope.cancel();
      const { statements } = await running;
      return { heardAfter: performance.now() - asked, statements };
    },
    [script, wait, settings],
  );
}

const LONG = {
  "a nested loop": "SELECT count(*) FROM generate_series(1, 200000) AS a, generate_series(1, 200000) AS b WHERE a.a + b.b = -1;",
  "a cross join that is counted": "SELECT count(*) FROM generate_series(1, 200000) AS a, generate_series(1, 200000) AS b;",
  "a sort": "SELECT md5(g::text) AS m FROM generate_series(1, 20000000) AS g ORDER BY m;",
  "an aggregate over many groups": "SELECT g % 5000000, count(*) FROM generate_series(1, 100000000) AS g GROUP BY 1;",
};

for (const [what, sql] of Object.entries(LONG)) {
  for (const executor of ["push", "pull"]) {
    test(`${what} under ${executor} is cancelled within 200 ms and the data is kept`, () =>
      onPage(context, {}, async (page) => {
        await run(page, "CREATE TABLE kept (i int); INSERT INTO kept SELECT generate_series(1, 1000);");
        await cancelled(page, sql, 1500, { executor });
        const [count] = await run(page, "SELECT count(*), sum(i) FROM kept;");
        assert.deepEqual(count.rows, [["1000", "500500"]]);
      }));
  }
}

test("a load of ten million rows shows progress, is cancelled, and leaves the table empty", () =>
  onPage(context, {}, async (page) => {
    await type(page, "Setup script", "CREATE TABLE big (i int);");
    await type(page, "Query", "INSERT INTO big SELECT generate_series(1, 10000000);");
    await page.getByRole("button", { name: /^Run Ctrl/ }).click();
    const progress = page.getByRole("progressbar", { name: "Progress of the statement" });
    await page.waitForFunction(() => (document.querySelector("progress")?.value ?? 0) > 0);
    const before = await progress.evaluate((bar) => bar.value);
    await page.waitForFunction((value) => (document.querySelector("progress")?.value ?? 1) > value, before);
    await page.getByRole("tree").getByText(/[kM] rows/).first().waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("57014").first().waitFor();
    await idle(page);
    const [count] = await run(page, "SELECT count(*) FROM big;");
    assert.deepEqual(count.rows, [["0"]]);
    const [insert] = await run(page, "INSERT INTO big VALUES (1), (2);");
    assert.equal(insert.tag, "INSERT 0 2");
  }));

test("a cancel without isolation headers is heard as well", () =>
  onPage(context, { get url() { return context.plainUrl; } }, async (page) => {
    await run(page, MAIL_1);
    await cancelled(page, LONG["a nested loop"], 500);
    assert.deepEqual((await run(page, "SELECT count(*) FROM t;"))[0].rows, [["1000000"]]);
  }));
