// PGlite: PostgreSQL compiled to wasm, in memory.
import { PGlite } from "@electric-sql/pglite";

export const name = "PGlite";

export async function open() {
  const db = await PGlite.create();
  const [{ server_version: version }] = (await db.query("SHOW server_version")).rows;
  return {
    version: `PostgreSQL ${version}`,
    async load(rows) {
      await db.exec("DROP TABLE IF EXISTS t; CREATE TABLE t (i INTEGER);");
      const began = performance.now();
      await db.exec(`INSERT INTO t SELECT generate_series(1, ${rows});`);
      const ms = performance.now() - began;
      await db.exec("VACUUM t;");
      return ms;
    },
    count: async (sql) => Number((await db.query(sql)).rows[0].count),
    close: () => db.close(),
  };
}
