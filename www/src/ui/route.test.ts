import { expect, test } from "vitest";
import { PAGES, pageAt } from "./route";

test("each page has its address, and anything else is the notebook", () => {
  for (const { page, hash } of PAGES) expect(pageAt(hash)).toBe(page);
  expect(["", "#0.abc", "#lab=9", "#lab=4x"].map(pageAt)).toEqual(["notebook", "notebook", "notebook", "notebook"]);
  expect(new Set(PAGES.map((it) => it.hash)).size).toBe(PAGES.length);
});
