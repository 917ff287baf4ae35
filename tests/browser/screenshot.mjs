// Takes the README's picture: a query of TPC-H with its plan. Usage: node screenshot.mjs FILE
import { serve } from "../../www/serve.mjs";
import { launchChromium } from "./support/browsers.mjs";
import { DIST, pressRun } from "./support/page.mjs";

const [file] = process.argv.slice(2);
const server = await serve({ root: DIST });
const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 960 } });
  page.setDefaultTimeout(120_000);
  await page.goto(`${server.url}#tpch`);
  await page.getByRole("listitem").filter({ hasText: "q14" }).getByRole("link", { name: "Open in the playground" }).click();
  await page.getByRole("region", { name: "Welcome" }).waitFor();
  await pressRun(page);
  await page.getByRole("treeitem").first().waitFor();
  await page.screenshot({ path: file });
} finally {
  await browser.close();
  await server.close();
}
