import assert from "node:assert/strict";
import { test } from "node:test";
import { SCRIPT, countersOf, nativeCounters } from "../support/counters.mjs";
import { onPage, run, withChromium } from "../support/page.mjs";

const context = withChromium();

test("Chromium counts what the native shell counts", () =>
  onPage(context, {}, async (page) => {
    const statements = await run(page, SCRIPT);
    assert.deepEqual(
      statements.map(({ plan }) => (plan ? countersOf(plan) : null)),
      nativeCounters(),
    );
  }));

test("both executors and every batch size give the same rows", () =>
  onPage(context, {}, async (page) => {
    const answers = [];
    for (const executor of ["push", "pull"]) {
      for (const batch_rows of [1, 7, 1024]) {
        await run(page, "DROP TABLE IF EXISTS c; DROP TABLE IF EXISTS d;");
        const statements = await run(page, SCRIPT, { executor, batch_rows });
        answers.push(statements.map(({ tag, rows }) => [tag, rows]));
      }
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  }));
