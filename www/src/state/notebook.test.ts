import { expect, test } from "vitest";
import { HELLO, ScriptedEngine, ScriptedWorker } from "../engine/fake";
import type { Event } from "../engine/protocol";
import { encodeLink } from "../share/link";
import { Notebook } from "./notebook.svelte";

function ended(sql: string, sqlstate?: string): Event {
  const error = sqlstate ? { sqlstate, message: "no", detail: null, hint: null, line: 1, column: 1 } : null;
  return { kind: "statement", statement: 0, sql, tag: sqlstate ? "" : "SELECT 1", columns: [], rows_total: 0, error, notices: [], plan: null, plan_text: null, elapsed_ms: 1 };
}

/** A notebook over an engine that answers any script; `bad` fails, `trap` kills the worker. */
function notebook() {
  const engine = new ScriptedEngine((script) => {
    if (script === "trap") throw new WebAssembly.RuntimeError("unreachable");
    return [ended(script, script === "bad" ? "42601" : undefined)];
  });
  const workers: ScriptedWorker[] = [];
  const it = new Notebook(() => {
    const worker = new ScriptedWorker(engine);
    workers.push(worker);
    return worker;
  });
  const ran = () => engine.started.map(({ script }) => script);
  const resets = () => workers.flatMap((worker) => worker.asked).filter((message) => message.type === "reset").length;
  return { it, engine, workers, ran, resets };
}

test("the setup runs once, and again when its text changes or the database is reset", async () => {
  const { it, ran } = notebook();
  it.setup = "make";
  it.query = "ask";
  await it.runQuery();
  await it.runQuery();
  expect(ran()).toEqual(["make", "ask", "ask"]);
  expect([it.run.phase, it.setupIsCurrent]).toEqual(["done", true]);
  it.setup = "make more";
  expect(it.setupIsCurrent).toBe(false);
  await it.runQuery();
  await it.reset();
  expect(it.run.phase).toBe("idle");
  await it.runQuery();
  expect(ran().slice(3)).toEqual(["make more", "ask", "make more", "ask"]);
});

test("a failed setup keeps the query from running", async () => {
  const { it, ran } = notebook();
  it.setup = "bad";
  it.query = "ask";
  await it.runQuery();
  expect(ran()).toEqual(["bad"]);
  expect([it.run.phase, it.run.source, it.setupIsCurrent]).toEqual(["failed", "setup", false]);
});

test("a part of the query is the selection or the statement at the cursor", async () => {
  const { it, ran } = notebook();
  it.query = "one; two";
  await it.runPart(6, 6);
  await it.runPart(0, 3);
  expect(ran()).toEqual(["two", "one"]);
});

test("opening a link starts fresh, turns its knobs and runs nothing", async () => {
  const { it, ran, resets } = notebook();
  await it.open(encodeLink({ setup: "make", query: "ask", settings: [["switch", "off"]], view: "table", node: 3 }));
  expect([it.setup, it.query, it.view, it.run.phase]).toEqual(["make", "ask", "table", "idle"]);
  expect(ran()).toEqual(["SET switch = 'off';"]);
  expect(resets()).toBe(1);
  await expect(it.open("#0.x")).rejects.toThrow("damaged");
  expect(it.query).toBe("ask");
});

test("a dead engine is replaced with the knobs as they were, and the setup runs again", async () => {
  const { it, ran, workers } = notebook();
  it.setup = "make";
  it.query = "trap";
  await it.runPart(0, 0);
  expect([it.run.phase, workers.length, it.setupIsCurrent]).toEqual(["failed", 2, false]);
  expect(it.messages.map((message) => message.tone)).toEqual(["error"]);
  workers[1]?.send({ type: "session", settings: [{ ...HELLO.settings[0]!, value: "off" }], tables: [] });
  it.query = "ask";
  await it.runQuery();
  expect(it.run.phase).toBe("done");
  expect(ran().slice(-2)).toEqual(["make", "ask"]);
});

test("automation runs in the session without the notebook's texts", async () => {
  const { it, engine } = notebook();
  it.setup = "make";
  const outcome = await it.runConsole("direct", [["switch", "off"]]);
  expect(outcome.end).toBe("done");
  expect(engine.started.map(({ script, settings }) => [script, settings])).toEqual([["direct", [["switch", "off"]]]]);
  expect([it.run.source, it.setupIsCurrent]).toEqual(["console", false]);
});
