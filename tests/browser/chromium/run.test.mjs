import assert from "node:assert/strict";
import { test } from "node:test";
import { MAIL_1, attempt, idle, nodes, onPage, pressRun, run, seqScan, type, withChromium } from "../support/page.mjs";

const context = withChromium();

test("the first demo runs and its plan shows tuples and time", () =>
  onPage(context, {}, async (page) => {
    assert.ok(await page.evaluate(() => crossOriginIsolated));
    await pressRun(page);
    const tabs = page.getByRole("tab");
    assert.ok((await tabs.count()) >= 2);
    await tabs.first().click();
    const scan = page.locator("[aria-description^='Seq Scan on t, 1 rows out, own time']");
    await scan.click();
    const panel = page.getByRole("region", { name: "Selected node" });
    const text = await panel.innerText();
    assert.match(text, /\(i = 50000\) \[exact\]/);
    assert.match(text, /1,000,000 visible tuples/);
    assert.match(text, /removed by keys 999,999/);
    assert.match(text, /Rows Removed by Scan Keys\s+999,999/);
    assert.equal(await page.getByRole("gridcell").innerText(), "1");
  }));

test("mail 1's case #1 by the page's own interface, with the keys and without", () =>
  onPage(context, {}, async (page) => {
    await run(page, MAIL_1);
    const query = "SELECT COUNT(*) FROM t WHERE i = 50000;";
    const [on] = await run(page, query);
    assert.deepEqual([on.tag, on.rows, on.columns], ["SELECT 1", [["1"]], [{ name: "count", type: "bigint" }]]);
    const pushed = seqScan(on.plan);
    assert.equal(pushed["Scan Keys"], "(i = 50000) [exact]");
    assert.deepEqual([pushed["Rows Removed by Scan Keys"], pushed["Actual Rows"]], [999999, 1]);
    assert.ok(!("Filter" in pushed));
    await run(page, "ALTER TABLE t RESET (quals_push_down);");
    const [off] = await run(page, query, { quals_push_down: false });
    const filtered = seqScan(off.plan);
    assert.deepEqual([filtered["Rows Removed by Filter"], filtered["Actual Rows"]], [999999, 1]);
    assert.ok(!("Rows Removed by Scan Keys" in filtered) && !("Scan Keys" in filtered));
  }));

test("settings of a call hold for that call", () =>
  onPage(context, {}, async (page) => {
    const [during] = await run(page, "SHOW executor;", { executor: "pull" });
    const [after] = await run(page, "SHOW executor;");
    assert.deepEqual([during.rows, after.rows], [[["pull"]], [["push"]]]);
    await assert.rejects(attempt(page, "SELECT 1;", { no_such_setting: 1 }), /unrecognized configuration parameter "no_such_setting"/);
    assert.equal((await run(page, "SELECT 1;"))[0].rows[0][0], "1");
  }));

test("values arrive as PostgreSQL's text, NULL as null, digits exactly", () =>
  onPage(context, {}, async (page) => {
    const [it] = await run(page, "SELECT 9007199254740993::bigint AS b, 1.50 AS n, NULL::int AS nothing, true AS yes, '' AS empty;");
    assert.deepEqual(it.rows, [["9007199254740993", "1.50", null, "t", ""]]);
    assert.deepEqual(it.columns.map((column) => column.type), ["bigint", "numeric", "integer", "boolean", "text"]);
  }));

test("an error is underlined where it is, and the session goes on", () =>
  onPage(context, {}, async (page) => {
    await type(page, "Setup script", "");
    await type(page, "Query", "SELECT 1;\nSELECT 1 +\n  nope;");
    await pressRun(page);
    await page.getByRole("alert").getByText("42703").waitFor();
    assert.equal(await page.locator(".cm-lintRange-error").innerText(), "nope");
    assert.match(await page.getByRole("alert").innerText(), /column "nope" does not exist[^]*Line 3, column 3/);
    await type(page, "Query", "SELECT 2;");
    assert.equal(await page.locator(".cm-lintRange-error").count(), 0);
    await pressRun(page);
    assert.equal(await page.getByRole("gridcell").innerText(), "2");
  }));

test("a failed setup is shown and the query waits", () =>
  onPage(context, {}, async (page) => {
    await type(page, "Setup script", "CREATE TABLE x (i int);\nINSERT INTO y VALUES (1);");
    await type(page, "Query", "SELECT count(*) FROM x;");
    await pressRun(page);
    await page.getByText("The setup failed, so the query did not run.").waitFor();
    assert.equal(await page.locator(".cm-lintRange-error").innerText(), "y");
  }));

test("Run statement runs what the cursor is in, and the setup runs once", () =>
  onPage(context, {}, async (page) => {
    await type(page, "Setup script", "CREATE TABLE x (i int);");
    await type(page, "Query", "INSERT INTO x VALUES (1);\nSELECT count(*) FROM x;");
    await page.keyboard.press("Control+Home");
    for (let i = 0; i < 2; i += 1) {
      await page.getByRole("button", { name: "Run statement" }).click();
      await page.getByRole("tab", { name: /INSERT 0 1/ }).waitFor();
    }
    await pressRun(page);
    assert.equal(await page.getByRole("gridcell").innerText(), "3");
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await pressRun(page);
    assert.equal(await page.getByRole("gridcell").innerText(), "1");
  }));

test("a knob is a SET of the session: it shows, it works, it is reset", () =>
  onPage(context, {}, async (page) => {
    await page.locator("summary").click();
    await page.getByRole("switch", { name: "quals_push_down" }).click();
    await page.getByText("SET quals_push_down = 'off';").waitFor();
    await run(page, "CREATE TABLE k (i int); INSERT INTO k SELECT generate_series(1, 1000);");
    const [off] = await run(page, "SELECT count(*) FROM k WHERE i = 7;");
    assert.equal(seqScan(off.plan)["Rows Removed by Filter"], 999);
    await page.getByRole("button", { name: "Reset all" }).click();
    await page.getByText("all at their defaults").waitFor();
    const [on] = await run(page, "SELECT count(*) FROM k WHERE i = 7;");
    assert.equal(seqScan(on.plan)["Rows Removed by Scan Keys"], 999);
    // A script's own SET turns the knob.
    await run(page, "SET batch_rows = 7;");
    await page.getByText("SET batch_rows = '7';").waitFor();
  }));

test("a million rows are in the grid, from the first to the last", () =>
  onPage(context, {}, async (page) => {
    await type(page, "Setup script", "");
    await type(page, "Query", "SELECT g, 'row ' || g AS name FROM generate_series(1, 1000000) AS g;");
    await pressRun(page);
    await page.getByText("1,000,000 rows").waitFor();
    assert.ok((await page.getByRole("gridcell").count()) < 400);
    await page.getByRole("grid").focus();
    await page.keyboard.press("Control+End");
    await page.getByRole("gridcell", { name: "row 1000000", exact: true }).waitFor();
    await page.keyboard.press("Control+Home");
    await page.getByRole("gridcell", { name: "row 1", exact: true }).waitFor();
  }));

test("rows beyond those kept are counted, and the grid says so", () =>
  onPage(context, {}, async (page) => {
    await type(page, "Setup script", "");
    await type(page, "Query", "SELECT g FROM generate_series(1, 1000500) AS g;");
    await pressRun(page);
    await page.getByText("Showing 1,000,000 of 1,000,500 rows").waitFor();
  }));

test("the plan's forms show one selected node", () =>
  onPage(context, {}, async (page) => {
    await page.locator("header select").selectOption("aggregate");
    await pressRun(page);
    const tree = page.getByRole("tree");
    await tree.getByRole("treeitem").first().focus();
    await page.keyboard.press("ArrowDown");
    const selected = await tree.locator("[aria-selected=true]").getAttribute("aria-description");
    const name = selected.split(",")[0];
    await page.getByRole("button", { name: "Table", exact: true }).click();
    assert.match(await page.locator("tr.selected").innerText(), new RegExp(name.split(" ")[0]));
    const forms = page.getByRole("group", { name: "Form of the plan" });
    await forms.getByRole("button", { name: "Text", exact: true }).click();
    assert.match(await page.getByRole("region", { name: "EXPLAIN as text" }).innerText(), /Seq Scan on orders/);
    await forms.getByRole("button", { name: "JSON", exact: true }).click();
    const json = JSON.parse(await page.getByRole("region", { name: "EXPLAIN as JSON" }).innerText());
    assert.ok(nodes(json).length >= 4);
  }));

test("times below the clock's step are bounds, and Measure repeats the query", () =>
  onPage(context, { get url() { return context.plainUrl; } }, async (page) => {
    assert.equal(await page.evaluate(() => crossOriginIsolated), false);
    await type(page, "Setup script", "");
    await type(page, "Query", "SELECT count(*) FROM generate_series(1, 3000) AS g WHERE g % 3 = 0;");
    await pressRun(page);
    await page.locator("[role=treeitem][aria-description*='own time < ']").first().waitFor();
    await page.getByRole("button", { name: "Measure" }).click();
    await page.getByText(/own, mean of [\d,]+ runs/).waitFor();
    await idle(page);
  }));

test("demos run without an error", () =>
  onPage(context, {}, async (page) => {
    const picker = page.locator("header select");
    const demos = await picker.locator("option:not([disabled])").evaluateAll((options) => options.map((option) => option.value));
    assert.ok(demos.length >= 6);
    for (const demo of demos) {
      await picker.selectOption(demo);
      await pressRun(page);
      assert.equal(await page.getByRole("alert").count(), 0, `${demo}: ${await page.locator(".notebook > .right").innerText()}`);
      assert.ok((await page.getByRole("tab").count()) > 0);
    }
  }));
