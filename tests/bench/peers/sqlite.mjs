// SQLite: sql.js, in memory.
import initSqlJs from "sql.js";

export const name = "SQLite (sql.js)";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A date moved by an interval of whole days, months or years. */
function moved(date, sign, count, unit) {
  const by = Number(count) * (sign === "-" ? -1 : 1);
  const at = new Date(`${date}T00:00:00Z`);
  if (unit === "day") at.setTime(at.getTime() + by * DAY_MS);
  else at.setUTCMonth(at.getUTCMonth() + by * (unit === "year" ? 12 : 1));
  return at.toISOString().slice(0, 10);
}

/** TPC-H's statements in SQLite's words: dates are text, fractions are binary. */
export function dialect(sql) {
  return sql
    .replace(/date '([\d-]+)' ([+-]) interval '(\d+)' (day|month|year)/g, (_, date, sign, count, unit) => `'${moved(date, sign, count, unit)}'`)
    .replace(/date ('[\d-]+')/g, "$1")
    .replace(/extract\(year from (\w+)\)/g, "cast(strftime('%Y', $1) as integer)")
    .replace(/substring\((\w+) from (\d+) for (\d+)\)/g, "substr($1, $2, $3)")
    // .06 + 0.01 is less than 0.07 in binary.
    .replace(".06 - 0.01", "0.05")
    .replace(".06 + 0.01", "0.07")
    // No names of columns behind a subquery's alias.
    .replace("count(o_orderkey)", "count(o_orderkey) as c_count")
    .replace("as c_orders (c_custkey, c_count)", "as c_orders");
}

export async function open() {
  const { Database } = await initSqlJs();
  const db = new Database();
  return {
    version: db.exec("SELECT sqlite_version()")[0].values[0][0],
    load(rows) {
      db.run("DROP TABLE IF EXISTS t; CREATE TABLE t (i INTEGER);");
      const began = performance.now();
      db.run(`INSERT INTO t WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < ${rows}) SELECT i FROM g`);
      return performance.now() - began;
    },
    tables(schema, tables) {
      db.exec(schema);
      const decoder = new TextDecoder();
      for (const { name: table, columns, text } of tables) {
        const insert = db.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill("?").join(", ")})`);
        db.run("BEGIN");
        for (const line of decoder.decode(new Uint8Array(text)).split("\n")) if (line !== "") insert.run(line.split("|"));
        db.run("COMMIT");
        insert.free();
      }
    },
    query: (sql) => db.exec(sql),
    rows: ([result]) => result?.values ?? [],
    count: (sql) => db.exec(sql)[0].values[0][0],
    close: () => db.close(),
  };
}
