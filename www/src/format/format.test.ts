import { expect, test } from "vitest";
import { bytes, count, percent, plural, shortCount, signedPercent } from "./number";
import { duration, measured } from "./time";

test("counts are grouped, and shortened where space is short", () => {
  expect(count(1234567)).toBe("1,234,567");
  expect([0, 999, 1000, 1234, 12345, 999_999, 1e6, 2.5e9].map(shortCount)).toEqual(["0", "999", "1k", "1.2k", "12k", "999k", "1M", "2.5G"]);
  expect(plural(1, "row")).toBe("1 row");
  expect(plural(2, "row")).toBe("2 rows");
});

test("bytes take PostgreSQL's units", () => {
  expect([512, 8192, 36_700_160].map(bytes)).toEqual(["512 B", "8.0 kB", "35.0 MB"]);
});

test("a share is never rounded to all or nothing", () => {
  expect([0, 0.0001, 0.5, 0.9999, 1].map(percent)).toEqual(["0%", "<0.1%", "50%", ">99.9%", "100%"]);
});

test("times keep three significant digits", () => {
  expect([0.012, 1.234, 21.34, 345.6, 1234, 61_000].map(duration)).toEqual(["0.012 ms", "1.23 ms", "21.3 ms", "346 ms", "1.23 s", "1 min 1 s"]);
});

test("a time below twenty clock steps is a bound", () => {
  expect(measured(1.9, 0.1)).toBe("< 2.00 ms");
  expect(measured(2, 0.1)).toBe("2.00 ms");
  expect(measured(0, 0)).toBe("0.000 ms");
});

test("a change has its sign, and nothing has none", () => {
  expect([0.0812, -0.17021, 0].map((share) => signedPercent(share))).toEqual(["+8.1 %", "−17.0 %", "0.0 %"]);
  expect(signedPercent(-0.17021, 2)).toBe("−17.02 %");
});
