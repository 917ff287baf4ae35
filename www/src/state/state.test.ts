import { expect, test } from "vitest";
import type { StatementResult } from "../engine/client";
import type { Setting } from "../engine/protocol";
import { IDLE, isBusy, reduce, type Action, type Run } from "./run";
import { changed, setStatement, setupKey } from "./setup_key";

const statement = (sqlstate?: string): StatementResult => ({
  statement: 0,
  sql: "select 1",
  tag: sqlstate ? "" : "SELECT 1",
  columns: [],
  rows: [],
  rows_total: 0,
  error: sqlstate ? { sqlstate, message: "no", detail: null, hint: null, line: null, column: null } : null,
  notices: [],
  plan: null,
  plan_text: null,
  elapsed_ms: 1,
});
const progress = (at: number, plan: string | null): Action => ({
  type: "event",
  event: { kind: "progress", statement: at, fraction: 0.5, elapsed_ms: 10, counters: null, plan },
});
const after = (...actions: Action[]): Run => actions.reduce(reduce, IDLE);
const begin: Action = { type: "run", source: "query", text: "select 1", offset: 0 };

test("a run ends done, failed or cancelled", () => {
  expect(after({ type: "prepare", text: "" }).phase).toBe("preparing");
  expect(after(begin).phase).toBe("running");
  expect(after(begin, { type: "end", statements: [statement()] }).phase).toBe("done");
  expect(after(begin, { type: "end", statements: [statement(), statement("22012")] }).phase).toBe("failed");
  expect(after(begin, { type: "end", statements: [statement("57014")] }).phase).toBe("cancelled");
  const dead = after(begin, { type: "fail", failure: "trap", statements: [] });
  expect([dead.phase, dead.failure, isBusy(dead)]).toEqual(["failed", "trap", false]);
  expect(after(begin, { type: "clear" })).toEqual(IDLE);
});

test("the plan of the running statement is kept until the next statement", () => {
  expect(after(begin, progress(0, "a"), progress(0, null)).live?.plan).toBe("a");
  expect(after(begin, progress(0, "a"), progress(1, null)).live?.plan).toBe(null);
});

test("late events change nothing", () => {
  const done = after(begin, { type: "end", statements: [] });
  expect(reduce(done, progress(0, "a"))).toBe(done);
  expect(reduce(done, { type: "cancel" })).toBe(done);
  expect(after(begin, { type: "cancel" }).cancelling).toBe(true);
});

const setting = (name: string, value: string): Setting => ({ name, group: "", help: "", shape: { type: "inert" }, default: "on", value });

test("the setup's key has its text and the settings it reads", () => {
  const key = (script: string, value: string) => setupKey(script, [setting("executor", value), setting("quals_push_down", value)]);
  expect(key("create table t (i int)", "on")).toBe(key(" create table t (i int)\n", "off"));
  expect(key("select current_setting('executor')", "on")).not.toBe(key("select current_setting('executor')", "off"));
  expect(key("show executor", "on")).not.toBe(key("show executor", "off"));
  expect(key("set executor = pull", "on")).toBe(key("set executor = pull", "off"));
  expect(key("a", "on")).not.toBe(key("b", "on"));
});

test("a knob is a SET", () => {
  expect(changed([setting("a", "on"), setting("b", "off")])).toEqual([["b", "off"]]);
  expect(setStatement("a", "it's")).toBe("SET a = 'it''s';");
  expect(setStatement("a", null)).toBe("RESET a;");
});
