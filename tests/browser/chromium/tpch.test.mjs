import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { onPage, run, withChromium } from "../support/page.mjs";
import { QUERIES, answer } from "../support/tpch.mjs";

const context = withChromium();

/** The scripts that a link holds. */
function scripts(link) {
  const { s: setup, q: query } = JSON.parse(inflateRawSync(Buffer.from(link.replace(/^#0\./, ""), "base64url")).toString("utf8"));
  return { setup, query };
}

test("all 22 queries of the TPC-H page answer as PostgreSQL does at scale factor 0.01", () =>
  onPage(context, { path: "#tpch" }, async (page) => {
    const links = page.getByRole("link", { name: "Open in the playground" });
    await links.last().waitFor();
    const notebooks = (await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).map(scripts);
    assert.equal(notebooks.length, QUERIES.length);
    await run(page, notebooks[0].setup);
    for (const [i, query] of QUERIES.entries()) {
      assert.equal(notebooks[i].setup, notebooks[0].setup);
      const [statement] = await run(page, notebooks[i].query);
      assert.deepEqual(statement.rows, answer(query), query);
    }
  }));
