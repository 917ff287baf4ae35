// A page of the built Tuplescope in Chromium, and what every test demands of it.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { serve } from "../../../www/serve.mjs";
import { launchChromium } from "./browsers.mjs";

export const DIST = fileURLToPath(new URL("../../../www/dist", import.meta.url));

/** One browser and one server for the tests of a file. */
export function withChromium() {
  const it = { browser: null, url: "", plainUrl: "" };
  let servers = [];
  before(async () => {
    servers = [await serve({ root: DIST }), await serve({ root: DIST, isolated: false })];
    [it.url, it.plainUrl] = servers.map((server) => server.url);
    it.browser = await launchChromium();
  });
  after(async () => {
    await it.browser?.close();
    await Promise.all(servers.map((server) => server.close()));
  });
  return it;
}

/**
 * Opens the page, gives it to the test, and then demands that the console has been silent. `expected`
 * matches the messages that the test provokes.
 */
export async function onPage(context, options, test) {
  const { path = "", expected = null, url = context.url, ...rest } = options;
  const page = await context.browser.newPage({ viewport: { width: 1440, height: 900 }, ...rest });
  page.setDefaultTimeout(20_000);
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) problems.push(`request to ${request.url()}`);
  });
  try {
    await page.goto(url + path);
    await page.waitForFunction(() => window.tuplescope?.version);
    await test(page);
    assert.deepEqual(problems.filter((problem) => !expected?.test(problem)), []);
  } finally {
    await page.close();
  }
}

/** Runs a script through `window.tuplescope`; an error of a statement fails the test. */
export async function run(page, script, settings = {}) {
  const { statements } = await attempt(page, script, settings);
  for (const { sql, error } of statements) assert.equal(error, null, `${sql}: ${JSON.stringify(error)}`);
  return statements;
}

/** The same, with errors left to the test. */
export function attempt(page, script, settings = {}) {
  return page.evaluate(([text, values]) => window.tuplescope.run(text, { settings: values }), [script, settings]);
}

/** Every node of a plan, depth first. */
export function nodes(plan) {
  const walk = (node) => [node, ...(node.Plans ?? []).flatMap(walk)];
  return walk(plan[0].Plan);
}

/** The plan's only scan of a table. */
export function seqScan(plan) {
  const scans = nodes(plan).filter((node) => node["Node Type"] === "Seq Scan");
  assert.equal(scans.length, 1);
  return scans[0];
}

/** Replaces the text of an editor as typing would. */
export async function type(page, label, text) {
  await page.getByRole("textbox", { name: label, exact: true }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
  await page.keyboard.press("Escape");
}

/** Presses Run and waits for the end. */
export async function pressRun(page) {
  await page.getByRole("button", { name: /^Run Ctrl/ }).click();
  await idle(page);
}

export async function idle(page) {
  await page.getByRole("button", { name: /^Run Ctrl/ }).and(page.locator(":enabled")).waitFor();
}

/** Mail 1's table. */
export const MAIL_1 = "CREATE TABLE t (i INTEGER) WITH (quals_push_down = on); INSERT INTO t SELECT generate_series(1, 1000000); VACUUM t;";
