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
    async tables(schema, tables) {
      await db.exec(schema);
      for (const { name: table, text } of tables) await db.query(`COPY ${table} FROM '/dev/blob' WITH (DELIMITER '|')`, [], { blob: new Blob([new Uint8Array(text)]) });
      await db.exec("VACUUM ANALYZE;");
    },
    query: (sql) => db.query(sql, [], { rowMode: "array" }),
    rows: ({ rows }) => rows.map((row) => row.map((value) => (value === null ? null : value instanceof Date ? value.toISOString().slice(0, 10) : String(value)))),
    count: async (sql) => Number((await db.query(sql)).rows[0].count),
    close: () => db.close(),
  };
}
