import assert from "node:assert/strict";
import { test } from "node:test";
import { onPage, withChromium } from "../support/page.mjs";

const context = withChromium();

/** A table's cells, row by row. */
const cells = (table) => table.locator("tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));

test("lab 1 measures both cases under both executors, and the counters explain the loss", () =>
  onPage(context, { path: "#lab=1" }, async (page) => {
    page.setDefaultTimeout(600_000);
    const published = await cells(page.getByRole("region", { name: "Case #2, the mail's table" }).locator("table"));
    assert.deepEqual(published.at(-1), ["Gain", "−17.02 %", "−15.29 %", "−16.56 %"]);
    await page.getByRole("button", { name: "Measure here" }).click();
    await page.getByRole("button", { name: "Measure here" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    const pairs = page.locator("[aria-label^='Pairs under']");
    assert.equal(await pairs.count(), 4);
    for (const [at, wanted] of [
      // Columns from the sixth: key and qual evaluations, rows rechecked, removed by keys, removed by filter.
      [0, [["0", "1,000,000", "0", "0", "999,999"], ["1,000,000", "1", "1", "999,999", "0"], ["1,000,000", "0", "0", "999,999", "0"], ["1,000,000", "0", "0", "999,999", "0"]]],
      [2, [["0", "1,000,000", "0", "0", "1"], ["1,000,000", "999,999", "999,999", "1", "0"], ["1,000,000", "0", "0", "1", "0"], ["1,000,000", "0", "0", "1", "0"]]],
    ]) {
      for (const executor of [0, 1]) {
        const rows = (await cells(pairs.nth(at + executor).locator("table"))).slice(1);
        assert.deepEqual(rows.map((row) => row.slice(5)), wanted);
        for (const row of rows) assert.match(row[3], /^(±|\+|−)? ?[\d.]+ %$/);
      }
    }
    await page.getByText(/Why it loses:/).waitFor();
    await page.getByText(/Why it wins:/).waitFor();
    const stamp = await page.getByRole("list", { name: "Environment" }).innerText();
    assert.match(stamp, /Chromium \d+[^]*cross-origin isolated[^]*clock step [^]*SIMD[^]*1,000,000 rows/);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/lab-1-measured.png`, fullPage: true });
    console.log(await page.locator("article").innerText());
  }));

test("lab 1 can be cancelled and left", () =>
  onPage(context, { path: "#lab=1" }, async (page) => {
    await page.getByRole("button", { name: "Measure here" }).click();
    await page.getByText(/warming up/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("alert").getByText(/cancel/i).waitFor();
    await page.getByRole("button", { name: "Measure here" }).click();
    await page.getByRole("link", { name: "Notebook" }).click();
    await page.getByRole("button", { name: /^Run Ctrl/ }).waitFor();
    await page.waitForFunction(() => window.tuplescope.run("SELECT 1;").then(({ statements }) => statements[0].rows[0][0] === "1"));
    assert.equal(page.workers().length, 1);
  }));
