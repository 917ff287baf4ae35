import { expect, test } from "vitest";
import { offsetOf, placeInScript, wordAt } from "./positions";
import { readsOnly, statementAt, statements } from "./statements";

const texts = (script: string) => statements(script).map(({ from, to }) => script.slice(from, to));

test("a script is split as PostgreSQL's lexer would", () => {
  expect(texts("select 1; select 2")).toEqual(["select 1", "select 2"]);
  expect(texts("select ';', \"a;b\", 'it''s;' ; ;")).toEqual(["select ';', \"a;b\", 'it''s;'"]);
  expect(texts("select E'\\';' ; select 2")).toEqual(["select E'\\';'", "select 2"]);
  expect(texts("create function f() as $$ select 1; $$; select $x$;$$;$x$")).toEqual(["create function f() as $$ select 1; $$", "select $x$;$$;$x$"]);
  expect(texts("-- a;b\nselect 1 /* ; /* ; */ ; */ + 1; -- end;")).toEqual(["select 1 /* ; /* ; */ ; */ + 1"]);
  expect(texts("select a$1; select 2")).toEqual(["select a$1", "select 2"]);
  expect(texts("  \n ")).toEqual([]);
  expect(texts("select 'open;")).toEqual(["select 'open;"]);
});

test("the statement under the cursor is the one that began last", () => {
  const script = "select 1;\n\nselect 2;\n";
  const at = (place: number) => {
    const span = statementAt(script, place);
    return span && script.slice(span.from, span.to);
  };
  expect([0, 8, 9, 10].map(at)).toEqual(Array(4).fill("select 1"));
  expect([11, script.length].map(at)).toEqual(Array(2).fill("select 2"));
  expect(statementAt("", 0)).toBe(null);
  expect(statementAt("  select 1", 0)).toEqual({ from: 2, to: 10 });
});

test("only what reads may be repeated", () => {
  expect(readsOnly("-- c\n (select 1)", "SELECT 1")).toBe(true);
  expect(readsOnly("/* c */ values (1)", "SELECT 1")).toBe(true);
  expect(readsOnly("create table t as select 1", "SELECT 1")).toBe(false);
  expect(readsOnly("with x as (select 1) insert into t select * from x", "INSERT 0 1")).toBe(false);
  expect(readsOnly("select nextval('s')", "SELECT 1")).toBe(false);
  expect(readsOnly("delete from t", "DELETE 0")).toBe(false);
});

test("places count characters, offsets count UTF-16 units", () => {
  const text = "select '😀',\n  x";
  expect(offsetOf(text, { line: 1, column: 9 })).toBe(8);
  expect(offsetOf(text, { line: 1, column: 10 })).toBe(10);
  expect(offsetOf(text, { line: 2, column: 3 })).toBe(text.length - 1);
  expect(offsetOf(text, { line: 9, column: 1 })).toBe(text.length);
  expect(offsetOf(text, { line: 1, column: 99 })).toBe(text.indexOf("\n"));
});

test("the underline covers a word or an operator", () => {
  expect(wordAt("select nope from", 7)).toEqual({ from: 7, to: 11 });
  expect(wordAt("1 === 2", 2)).toEqual({ from: 2, to: 5 });
  expect(wordAt("select", 6)).toEqual({ from: 5, to: 6 });
});

test("a place in a part of a script is moved to the script", () => {
  const script = "select 1;\n  select nope;";
  const offset = script.indexOf("select nope");
  const place = placeInScript(script, offset, { line: 1, column: 8 });
  expect(place).toEqual({ line: 2, column: 10 });
  expect(script.slice(offsetOf(script, place))).toBe("nope;");
});
