import assert from "node:assert/strict";
import { test } from "node:test";
import { idle, onPage, pressRun, type, withChromium } from "../support/page.mjs";

const context = withChromium();

const SETUP = "CREATE TABLE s (i int);\nINSERT INTO s SELECT generate_series(1, 100); -- größer ✓";
const QUERY = "SELECT count(*) FROM s WHERE i = 5;";

const editorText = (page, label) => page.getByRole("textbox", { name: label, exact: true }).evaluate((editor) => [...editor.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"));

test("a link restores setup, query, settings, view and node elsewhere, and runs nothing", async () => {
  let link = "";
  await onPage(context, {}, async (page) => {
    await type(page, "Setup script", SETUP);
    await type(page, "Query", QUERY);
    await page.locator("summary").click();
    await page.getByRole("combobox", { name: "executor" }).selectOption("pull");
    await page.getByText("SET executor = 'pull';").waitFor();
    await pressRun(page);
    await page.getByRole("treeitem").first().focus();
    await page.getByRole("button", { name: "Table", exact: true }).click();
    await page.getByRole("button", { name: "Share" }).click();
    link = await page.getByRole("textbox", { name: "Link" }).inputValue();
    assert.equal(link, await page.evaluate(() => window.tuplescope.link()));
    assert.match(link, /#0\.[\w-]+$/);
  });
  await onPage(context, { path: link.slice(link.indexOf("#")) }, async (page) => {
    await page.getByText("1 changed").waitFor();
    assert.equal(await editorText(page, "Setup script"), SETUP);
    assert.equal(await editorText(page, "Query"), QUERY);
    assert.equal(await page.getByRole("tab").count(), 0, "nothing has run");
    await pressRun(page);
    assert.equal(await page.getByRole("button", { name: "Table", exact: true }).getAttribute("aria-pressed"), "true");
    assert.match(await page.locator("tr.selected").innerText(), /Aggregate/);
    assert.equal(await page.getByRole("gridcell").innerText(), "1");
    assert.equal(await page.evaluate(() => window.tuplescope.link()), link);
  });
});

test("opening a link starts from a fresh database", () =>
  onPage(context, {}, async (page) => {
    await page.evaluate(() => window.tuplescope.run("CREATE TABLE old (i int);"));
    const link = await page.evaluate(() => window.tuplescope.link());
    await page.evaluate((it) => window.tuplescope.open(it), link);
    const { statements } = await page.evaluate(() => window.tuplescope.run("SELECT * FROM old;"));
    assert.equal(statements[0].error?.sqlstate, "42P01");
  }));

test("hostile links are refused with words and change nothing", () =>
  onPage(context, {}, async (page) => {
    const before = await editorText(page, "Query");
    for (const [link, words] of [
      ["#0.AAAA", /damaged/],
      ["#0.<img src=x onerror=alert(1)>", /characters that no link has/],
      ["#9.q64FAA", /newer Tuplescope/],
    ]) {
      await page.evaluate((it) => (location.hash = it), link);
      await page.getByText(words).waitFor();
      await page.getByRole("button", { name: "Dismiss" }).click();
      assert.equal(await editorText(page, "Query"), before);
    }
    await idle(page);
  }));

test("a link's text is text", () =>
  onPage(context, {}, async (page) => {
    await type(page, "Query", "SELECT '<img src=x onerror=window.pwned=1>' AS \"<b>x</b>\";");
    const link = await page.evaluate(() => window.tuplescope.link());
    await page.evaluate((it) => window.tuplescope.open(it), link);
    await type(page, "Setup script", "");
    await pressRun(page);
    assert.equal(await page.getByRole("gridcell").innerText(), "<img src=x onerror=window.pwned=1>");
    assert.equal(await page.evaluate(() => window.pwned), undefined);
  }));
