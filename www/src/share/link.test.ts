import { deflateSync, strToU8 } from "fflate";
import { describe, expect, test } from "vitest";
import { LinkError, decodeLink, encodeLink, isLink, type Shared } from "./link";

const full: Shared = {
  setup: "CREATE TABLE t (i int);\nINSERT INTO t SELECT generate_series(1, 10);",
  query: "SELECT count(*) FROM t WHERE i = 5; -- größer ✓",
  settings: [
    ["quals_push_down", "off"],
    ["batch_rows", "1"],
  ],
  view: "table",
  node: 1,
};
const empty: Shared = { setup: "", query: "", settings: [], view: "tree", node: null };

function wrap(content: string | Uint8Array): string {
  const data = deflateSync(typeof content === "string" ? strToU8(content) : content);
  return `#0.${Buffer.from(data).toString("base64url")}`;
}

test("a link restores what it was made from", () => {
  expect(decodeLink(encodeLink(full))).toEqual(full);
  expect(decodeLink(encodeLink(empty))).toEqual(empty);
  expect(decodeLink(`https://example.org/page/?x${encodeLink(full)}`)).toEqual(full);
});

describe("golden links decode for ever", () => {
  test.each([
    ["#0.q64FAA", empty],
    ["#0.LY7LCoJAFIZf5XBWGga5aJO0qJgo6AI60CYQtfFCMubMmAvxKdoGvUUv4Jv0JJ2g3c9_-fg71DjDlc8WnAFfLHcMDFgFFNLY3lluDwHzOWwP_Eh-wHZsxSETUqjIiFALVQhtuQ64E9tDB2ti_UtJ1UhjjWxY-8c9bU8b5jMoYA5TD8ZjyNTwHl5Cwef5oOUVZx3WTVTq8NboPLxUrSRYlaYUxpFJ8lBV7e-ri72DdxImiktBKfXc_gs", full],
  ])("%s", (link, wanted) => {
    expect(decodeLink(link)).toEqual(wanted);
  });
});

test("only numbered fragments are links", () => {
  expect(isLink("#0.abc")).toBe(true);
  expect(isLink("#12.")).toBe(true);
  expect(isLink("#lab=1")).toBe(false);
  expect(isLink("")).toBe(false);
});

describe("hostile links are refused with words", () => {
  test.each([
    ["not a link", "#lab=1", "not a Tuplescope link"],
    ["a newer version", "#7.q64FAA", "newer"],
    ["other characters", "#0.q6<script>", "characters"],
    ["no deflate stream", "#0.AAAAAAAA", "damaged"],
    ["a stream cut short", encodeLink(full).slice(0, -20), "damaged"],
    ["nothing", "#0.", "damaged"],
    ["no JSON", wrap("select 1"), "not JSON"],
    ["an array", wrap("[1]"), "wrong form"],
    ["null", wrap("null"), "wrong form"],
    ["a setup that is a number", wrap('{"s":1}'), "setup"],
    ["settings that are a list", wrap('{"k":["a"]}'), "settings"],
    ["a setting that is SQL", wrap('{"k":{"a; drop table t":"1"}}'), "setting"],
    ["a setting without a text", wrap('{"k":{"a":1}}'), "setting"],
    ["an unknown view", wrap('{"v":"<b>"}'), "view"],
    ["a negative node", wrap('{"n":-1}'), "node"],
    ["a bomb", wrap(new Uint8Array(100_000_000)), "too large"],
    ["a long one", `#0.${"A".repeat(300_000)}`, "too long"],
  ])("%s", (_, link, words) => {
    expect(() => decodeLink(link)).toThrow(LinkError);
    expect(() => decodeLink(link)).toThrow(words);
  });
});

test("a prototype key is data, not a prototype", () => {
  const shared = decodeLink(wrap('{"k":{"__proto__":"1"},"__proto__":{"q":"x"}}'));
  expect(shared.query).toBe("");
  expect(Object.getPrototypeOf(shared)).toBe(Object.prototype);
});
