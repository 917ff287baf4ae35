// SQLite: sql.js, in memory.
import initSqlJs from "sql.js";

export const name = "SQLite (sql.js)";

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
    count: (sql) => db.exec(sql)[0].values[0][0],
    close: () => db.close(),
  };
}
