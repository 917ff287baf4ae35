import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { onPage, pressRun, withChromium } from "../support/page.mjs";

const context = withChromium();
/** For people to look at: nothing compares them. */
const folder = process.env.SCREENSHOTS ?? join(tmpdir(), "tuplescope-screenshots");

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1440, 390]) {
    test(`screenshots, ${colorScheme}, ${width} px, in ${folder}`, () =>
      onPage(context, { colorScheme, viewport: { width, height: width === 390 ? 844 : 900 } }, async (page) => {
        mkdirSync(folder, { recursive: true });
        const shoot = async (name) => {
          const path = join(folder, `${name}-${width}-${colorScheme}.png`);
          await page.screenshot({ path, fullPage: width === 390 });
          assert.ok(statSync(path).size > 10_000);
        };
        await shoot("welcome");
        await pressRun(page);
        await page.getByRole("tab").first().click();
        await shoot("case-1");
        await page.locator("header select").selectOption("aggregate");
        await pressRun(page);
        await shoot("group-and-sort");
        await page.getByRole("button", { name: "Table", exact: true }).click();
        await shoot("table");
        await page.locator("summary").click();
        await shoot("settings");
        await page.goto(`${context.url}#lab=1`);
        await page.getByRole("button", { name: "Measure here" }).waitFor();
        await shoot("lab-1");
        await page.goto(`${context.url}#lab=4`);
        await page.getByRole("heading", { level: 1, name: /^Lab 4/ }).waitFor();
        await shoot("lab-4");
        await page.getByRole("combobox", { name: "Samples" }).selectOption("0");
        await page.getByRole("button", { name: "Draw the curve" }).click();
        await page.getByRole("region", { name: "Figures of the curve" }).waitFor({ timeout: 300_000 });
        await page.getByRole("button", { name: "Draw the curve" }).waitFor({ timeout: 300_000 });
        await page.getByRole("heading", { name: /sweep/ }).scrollIntoViewIfNeeded();
        await shoot("lab-4-sweep");
        await page.goto(`${context.url}#tpch`);
        await page.getByRole("heading", { level: 1, name: /^TPC-H/ }).waitFor();
        await shoot("tpch");
      }));
  }
}
