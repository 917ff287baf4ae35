import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { clean } from "../support/axe.mjs";
import { onPage, pressRun, withChromium } from "../support/page.mjs";
import { answer } from "../support/tpch.mjs";

const context = withChromium();
const QUERIES = ["q01", "q03", "q04", "q05", "q10", "q12", "q14"];
/** Line items that q1 keeps: the last column of its answer, all groups together. */
const ROWS_OF_Q1 = answer("q01").reduce((sum, row) => sum + Number(row.at(-1)), 0);
const DURATION = /^[\d.]+ (ms|s)$|^\d+ min/;
const PERCENT = /^[+−]?[\d.]+ %$/;
const FLOOR = /^± [\d.]+ %$/;

/** A table's cells, row by row. */
const cells = (table) => table.locator("tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
const region = (page, name) => page.getByRole("region", { name, exact: true });
const choose = (page, name, value) => page.getByRole("combobox", { name }).selectOption(value);

async function sweep(page, samples) {
  await choose(page, "Samples", samples);
  await page.getByRole("button", { name: "Draw the curve" }).click();
  await region(page, "Figures of the curve").waitFor();
  await page.getByRole("button", { name: "Draw the curve" }).waitFor();
  assert.deepEqual(await page.getByRole("alert").allInnerTexts(), []);
}

test("lab 4 measures the mail's queries under both drivers, whose answers are equal", () =>
  onPage(context, { path: "#lab=4" }, async (page) => {
    page.setDefaultTimeout(600_000);
    const published = await cells(region(page, "The mail's table, and here").locator("table"));
    assert.deepEqual(published[2].slice(0, 4), ["q01", "128.53", "138.94", "8.1"]);
    assert.deepEqual(published[8].slice(0, 2), ["q14", "named, not shown"]);
    await page.getByRole("button", { name: "Measure here" }).click();
    await page.getByRole("button", { name: "Measure here" }).waitFor();
    assert.deepEqual(await page.getByRole("alert").allInnerTexts(), []);

    const table = (await cells(region(page, "The mail's table, and here").locator("table"))).slice(2, 9);
    assert.deepEqual(table.map((row) => row[0]), QUERIES);
    for (const row of table) {
      for (const [push, pull, speedup, floor] of [row.slice(-9, -5), row.slice(-5, -1)]) {
        assert.match(push, DURATION);
        assert.match(pull, DURATION);
        assert.match(speedup, PERCENT);
        assert.match(floor, FLOOR);
      }
      assert.match(row.at(-1), /^[\d.]+ ×$/);
    }
    for (const rows of [1, 1024]) {
      const pairs = (await cells(region(page, `Pairs at batch_rows ${rows}`).locator("table"))).slice(1);
      assert.deepEqual(pairs.map((row) => row[0]), QUERIES);
      // Rows of the answer as PostgreSQL has them, and whether both drivers gave the same.
      assert.deepEqual(pairs.map((row) => row.slice(-2)), [4, 10, 5, 5, 20, 2, 1].map((rows) => [String(rows), "equal"]));
    }
    const scan = (await cells(region(page, "Nodes of q01 at batch_rows 1").locator("table"))).at(-1);
    assert.match(scan[0], /Seq Scan on lineitem/);
    assert.equal(scan[1], ROWS_OF_Q1.toLocaleString("en-US"));
    await choose(page, "batch_rows", "1024");
    await region(page, "Nodes of q01 at batch_rows 1024").waitFor();
    const stamp = await page.getByRole("list", { name: "Environment" }).innerText();
    assert.match(stamp, /Chromium \d+[^]*cross-origin isolated[^]*clock step [^]*Tuplescope [\d.]+, build [0-9a-f]{8}[^]*scale factor 0.01, doubles[^]*the mail's planner settings[^]*9 pairs/);
    for (const [colorScheme, width] of [["light", 1440], ["dark", 390]]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await clean(page, `lab 4, measured, ${colorScheme}, ${width} px`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    }
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/lab-4-measured.png`, fullPage: true });
    console.log(await page.locator("article").innerText());
  }));

test("a sweep of counts is deterministic, downloads as CSV, and opens its runs", () =>
  onPage(context, { path: "#lab=4" }, async (page) => {
    page.setDefaultTimeout(300_000);
    await sweep(page, "0");
    const first = await cells(region(page, "Figures of the curve").locator("table"));
    assert.equal(first.length, 2 + 13);
    assert.deepEqual([first[2][0], first.at(-1)[0]], ["1", "4,096"]);
    await page.locator(".plot canvas").waitFor();
    await clean(page, "sweep");

    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const file = await downloading;
    assert.equal(file.suggestedFilename(), "q01-batch_rows.csv");
    const csv = readFileSync(await file.path(), "utf8").trim().split("\n");
    assert.match(csv[0], /^batch_rows,executor,samples,median_ms,.*,steps,batches,rows,pages$/);
    assert.equal(csv.length, 1 + 26);
    assert.match(csv[1], /^1,pull,0,,,,,\d+,\d+,\d+,\d+$/);

    await sweep(page, "0");
    assert.deepEqual(await cells(region(page, "Figures of the curve").locator("table")), first);

    // With the keyboard, from the table that says what the curve draws.
    await page.getByRole("button", { name: "Open the run with batch_rows 64, executor pull in the notebook" }).press("Enter");
    await page.getByRole("button", { name: /^Run Ctrl/ }).waitFor();
    await page.getByText("SET batch_rows = '64';").waitFor({ state: "attached" });
    assert.equal(await page.getByRole("treeitem").count(), 0);
    // The lab's own engine is gone with its tables; what it has counted is not.
    await page.waitForFunction(() => window.tuplescope.version);
    assert.equal(page.workers().length, 1);
    await pressRun(page);
    await page.getByRole("region", { name: "Plan as a table" }).waitFor();
    await page.getByText("pull (").first().waitFor();
    await page.getByRole("link", { name: "Lab 4", exact: true }).first().click();
    await region(page, "Figures of the curve").waitFor();
    assert.deepEqual(await cells(region(page, "Figures of the curve").locator("table")), first);
  }));

test("a timed sweep has a time and a ratio for each run", () =>
  onPage(context, { path: "#lab=4" }, async (page) => {
    page.setDefaultTimeout(300_000);
    await choose(page, "Query", { label: "q14: Promotion effect" });
    await sweep(page, "5");
    const rows = (await cells(region(page, "Figures of the curve").locator("table"))).slice(2);
    for (const row of rows) for (const at of [1, 6]) assert.match(row[at], DURATION);
    for (const at of [2, 7]) assert.equal(rows[0][at], "1.00");
    for (const figure of ["ratio", "steps", "time"]) {
      await choose(page, "Figure", figure);
      await page.locator(".plot canvas").waitFor();
    }
  }));

test("lab 4 can be cancelled, measured again without loading, and left", () =>
  onPage(context, { path: "#lab=4" }, async (page) => {
    page.setDefaultTimeout(300_000);
    // With the keyboard: Cancel has the focus while it runs, and the button that begins has it again.
    await page.getByRole("button", { name: "Measure here" }).press("Enter");
    await page.getByText(/q1, batch_rows 1: warming up/).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText(/cancel/i).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText(/q1, batch_rows 1: warming up/).waitFor();
    await page.getByRole("link", { name: "Notebook" }).click();
    await page.getByRole("button", { name: /^Run Ctrl/ }).waitFor();
    await page.waitForFunction(() => window.tuplescope.run("SELECT 1;").then(({ statements }) => statements[0].rows[0][0] === "1"));
    assert.equal(page.workers().length, 1);
  }));

test("TPC-H's queries open with their data and run only when asked", () =>
  onPage(context, { path: "#tpch" }, async (page) => {
    page.setDefaultTimeout(300_000);
    const items = page.locator("article ol > li");
    assert.equal(await items.count(), 22);
    const q6 = items.nth(5);
    await q6.getByRole("button", { name: "Share" }).click();
    const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
    await page.getByRole("button", { name: "Close" }).click();
    await q6.getByRole("link", { name: "Open in the playground" }).click();
    await page.getByRole("region", { name: "Welcome" }).waitFor();
    await page.getByRole("textbox", { name: "Query", exact: true }).getByText("l_discount between").waitFor();
    assert.equal(page.url(), link);
    await pressRun(page);
    await page.getByRole("gridcell", { name: answer("q06")[0][0], exact: true }).waitFor();

    await page.locator("header select").selectOption("tpch-4");
    await page.getByRole("textbox", { name: "Query", exact: true }).getByText("Order priority checking").waitFor();
    await page.getByRole("region", { name: "Welcome" }).waitFor();
  }));
