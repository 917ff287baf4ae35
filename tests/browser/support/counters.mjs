// One script whose counters must be the same natively, in Chromium and in Firefox.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const SCRIPT = `CREATE TABLE c (i int, s text, n numeric) WITH (quals_push_down = on);
INSERT INTO c SELECT g, CASE WHEN g % 5 = 0 THEN NULL ELSE 'row ' || g % 100 END, g / 4.0 FROM generate_series(1, 50000) AS g;
CREATE TABLE d (k int, name text);
INSERT INTO d SELECT g, 'name ' || g FROM generate_series(1, 500) AS g;
DELETE FROM c WHERE i % 1000 = 0;
VACUUM c;
SELECT count(*) FROM c WHERE i = 5000;
SELECT count(*) FROM c WHERE i >= 2 AND s IS NOT NULL AND n > 100.5;
SELECT count(*) FROM c WHERE i IN (1, 2, 3, 5, 8, 13, 21, 34, 55, 89) OR s = 'row 7';
SELECT d.name, count(*), sum(c.n) FROM c JOIN d ON d.k = c.i % 500 WHERE c.i < 40000 GROUP BY d.name ORDER BY 2 DESC, 1 LIMIT 10;
SELECT count(*) FROM c WHERE i = (SELECT max(k) FROM d);
UPDATE c SET n = n + 1 WHERE i <= 100;
SELECT DISTINCT i % 7 FROM c ORDER BY 1;`;

/** Times and what depends on them. */
const TIMED = /Time$|^Clock|^Own Time|^Execution|^Planning/;

/** A plan without its times. */
export function countersOf(plan) {
  if (Array.isArray(plan)) return plan.map(countersOf);
  if (typeof plan !== "object" || plan === null) return plan;
  return Object.fromEntries(Object.entries(plan).flatMap(([key, value]) => (TIMED.test(key) ? [] : [[key, countersOf(value)]])));
}

/** What the native shell counted: one entry a statement, null where there is no plan. */
export function nativeCounters() {
  const shell = fileURLToPath(new URL("../../../target/debug/tuplescope", import.meta.url));
  const out = execFileSync(shell, ["--json"], { input: SCRIPT, encoding: "utf8", maxBuffer: 1 << 28 });
  const lines = out.trim().split("\n").map((line) => JSON.parse(line));
  return lines.map((line) => (line.plan ? countersOf(typeof line.plan === "string" ? JSON.parse(line.plan) : line.plan) : null));
}
