import { describe, expect, test } from "vitest";
import { EngineClient, KEEP_ROWS } from "./client";
import { ScriptedEngine, ScriptedWorker } from "./fake";
import type { Event } from "./protocol";
import { runSlices } from "./slices";

const rows = (statement: number, values: string[], first: boolean): Event => ({
  kind: "rows",
  statement,
  columns: first ? [{ name: "a", type: "integer" }] : null,
  rows: values.map((value) => [value]),
});
const ended = (statement: number, total: number): Event => ({
  kind: "statement",
  statement,
  sql: "",
  tag: `SELECT ${total}`,
  columns: [{ name: "a", type: "integer" }],
  rows_total: total,
  error: null,
  notices: [],
  plan: null,
  plan_text: null,
  elapsed_ms: 1,
});
const progress = (plan: string | null): Event => ({ kind: "progress", statement: 0, fraction: null, elapsed_ms: 1, counters: null, plan });

async function slices(events: Event[], times: number[] = []) {
  const posted: Event[] = [];
  let turns = 0;
  await runSlices(new ScriptedEngine(() => events), "script", [], {
    sliceMs: 8,
    keepRows: 100,
    turn: async () => void (turns += 1),
    now: () => times.shift() ?? 0,
    post: (event) => posted.push(event),
  });
  return { posted, turns };
}

describe("the slice loop", () => {
  test("throttles progress but never loses a plan", async () => {
    const { posted } = await slices([progress(null), progress(null), progress("plan"), progress(null)]);
    expect(posted.flatMap((event) => (event.kind === "progress" ? [event.plan] : []))).toEqual([null, "plan"]);
  });

  test("takes a turn when a slice's time is over", async () => {
    expect((await slices([rows(0, ["1"], true)], [0, 0, 1])).turns).toBe(0);
    expect((await slices([rows(0, ["1"], true)], [0, 9, 9])).turns).toBe(1);
  });
});

describe("the client", () => {
  const answer = (script: string): Event[] => {
    if (script === "trap") throw new WebAssembly.RuntimeError("unreachable");
    if (script === "refuse") throw 'unrecognized configuration parameter "x"';
    return [rows(0, ["1"], true), rows(0, ["2"], false), ended(0, 2)];
  };

  function client() {
    const workers: ScriptedWorker[] = [];
    const restarts: string[] = [];
    const engine = new ScriptedEngine(answer);
    const it = new EngineClient(
      () => {
        const worker = new ScriptedWorker(engine);
        workers.push(worker);
        return worker;
      },
      { restarted: (message) => restarts.push(message) },
    );
    return { it, workers, restarts, engine };
  }

  test("gathers rows by statement", async () => {
    const { it } = client();
    const outcome = await it.run("select");
    expect(outcome.end).toBe("done");
    expect(outcome.end === "done" && outcome.statements.map((statement) => statement.rows)).toEqual([[["1"], ["2"]]]);
  });

  test("runs scripts in turn", async () => {
    const { it, engine } = client();
    await Promise.all([it.run("a", { settings: [["x", "1"]], keepRows: 5 }), it.run("b")]);
    expect(engine.started).toEqual([
      { script: "a", settings: [["x", "1"]], keepRows: 5 },
      { script: "b", settings: [], keepRows: KEEP_ROWS },
    ]);
    expect(it.busy).toBe(false);
  });

  test("replaces a dead worker and goes on", async () => {
    const { it, workers, restarts } = client();
    const outcome = await it.run("trap");
    expect(outcome).toMatchObject({ end: "dead" });
    expect(restarts).toHaveLength(1);
    expect(workers.map((worker) => worker.terminated)).toEqual([true, false]);
    expect((await it.run("select")).end).toBe("done");
  });

  test("reports a refused script", async () => {
    const { it } = client();
    expect(await it.run("refuse")).toEqual({ end: "refused", message: 'unrecognized configuration parameter "x"' });
    expect((await it.run("select")).end).toBe("done");
  });

  test("gives up when no worker starts", async () => {
    const workers: ScriptedWorker[] = [];
    const it = new EngineClient(() => {
      const worker = new ScriptedWorker(new ScriptedEngine(answer), false);
      workers.push(worker);
      queueMicrotask(() => worker.send({ type: "dead", message: "no wasm" }));
      return worker;
    });
    await expect(it.ready).rejects.toThrow("no wasm");
    expect(await it.run("select")).toMatchObject({ end: "dead", message: "no wasm" });
    expect(workers).toHaveLength(3);
  });
});
