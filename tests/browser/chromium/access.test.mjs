import assert from "node:assert/strict";
import { test } from "node:test";
import { clean } from "../support/axe.mjs";
import { idle, onPage, pressRun, type, withChromium } from "../support/page.mjs";

const context = withChromium();

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1440, 390]) {
    test(`axe finds nothing, ${colorScheme}, ${width} px`, () =>
      onPage(context, { colorScheme, viewport: { width, height: 900 } }, async (page) => {
        await clean(page, "welcome");
        await pressRun(page);
        await clean(page, "tree");
        await page.getByRole("button", { name: "Table", exact: true }).click();
        await clean(page, "table");
        await page.locator("summary").click();
        await page.getByRole("switch", { name: "quals_push_down" }).click();
        await page.getByText("SET quals_push_down = 'off';").waitFor();
        await clean(page, "settings");
        await type(page, "Query", "SELECT nope;");
        await pressRun(page);
        await clean(page, "error");
        await page.getByRole("button", { name: "Share" }).click();
        await clean(page, "share");
        await page.getByRole("button", { name: "Close" }).click();
        await page.getByRole("link", { name: "Lab 1", exact: true }).first().click();
        await page.getByRole("button", { name: "Measure here" }).waitFor();
        await clean(page, "lab 1");
        await page.getByRole("link", { name: "Lab 4", exact: true }).first().click();
        await page.getByRole("heading", { level: 1, name: /^Lab 4/ }).waitFor();
        await clean(page, "lab 4");
        await page.getByRole("link", { name: "TPC-H", exact: true }).click();
        await page.getByRole("heading", { level: 1, name: /^TPC-H/ }).waitFor();
        await clean(page, "TPC-H");
      }));
  }
}

test("the keyboard alone runs a query, walks the plan and reads a figure", () =>
  onPage(context, {}, async (page) => {
    await page.keyboard.press("Control+Enter");
    await page.getByRole("treeitem").first().waitFor();
    // The tree of the next statement takes the place of this one's, and its focus.
    await idle(page);
    // Tab leads from the page's head through the editors to the tree: nothing holds the focus.
    let reached = false;
    for (let i = 0; i < 60 && !reached; i += 1) {
      await page.keyboard.press("Tab");
      reached = await page.evaluate(() => document.activeElement?.getAttribute("role") === "treeitem");
    }
    assert.ok(reached, "Tab reaches the plan");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    assert.match(await page.evaluate(() => document.activeElement?.getAttribute("aria-description")), /^Seq Scan/);
    await page.getByRole("button", { name: "Qual Evaluations" }).focus();
    await page.getByText(/How often the executor evaluated a condition/).waitFor();
  }));

test("the theme is chosen, kept, and given back to the system", () =>
  onPage(context, { colorScheme: "light" }, async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await page.getByRole("button", { name: /^Theme: system/ }).click();
    const dark = await background();
    assert.notEqual(dark, light);
    await page.reload();
    assert.equal(await background(), dark);
    await page.getByRole("button", { name: /^Theme: dark/ }).click();
    await page.getByRole("button", { name: /^Theme: light/ }).click();
    assert.equal(await background(), light);
  }));

test("at 390 px nothing is wider than the screen", () =>
  onPage(context, { viewport: { width: 390, height: 844 } }, async (page) => {
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok((await wide()) <= 390);
    await pressRun(page);
    assert.ok((await wide()) <= 390);
    for (const [hash, heading] of [["#lab=1", /^Lab 1/], ["#lab=4", /^Lab 4/], ["#tpch", /^TPC-H/]]) {
      await page.goto(context.url + hash);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      assert.ok((await wide()) <= 390, hash);
      // Every page is in sight of the navigation, which is never wider than the screen itself.
      for (const link of await page.getByRole("navigation", { name: "Views" }).getByRole("link").all()) {
        const box = await link.boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 390, await link.innerText());
      }
    }
  }));
