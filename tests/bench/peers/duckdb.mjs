// DuckDB-wasm: the eh bundle, one thread.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export const name = "DuckDB-wasm";

/** A value as text; `type` is Arrow's. */
function shown(value, type) {
  if (value === null) return null;
  // A sum of integers is a decimal of 128 bits in four words, the lowest first.
  if (value instanceof Uint32Array) return String(BigInt.asIntN(128, [...value].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n)));
  if (/^(Date|Timestamp)/.test(String(type))) return new Date(Number(value)).toISOString().slice(0, 10);
  return String(value);
}

export async function open() {
  const require = createRequire(import.meta.url);
  const entry = require.resolve("@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs");
  const { createDuckDB, VoidLogger, NODE_RUNTIME } = require(entry);
  const bundle = (kind) => ({ mainModule: join(dirname(entry), `duckdb-${kind}.wasm`), mainWorker: join(dirname(entry), `duckdb-node-${kind}.worker.cjs`) });
  const db = await createDuckDB({ mvp: bundle("mvp"), eh: bundle("eh") }, new VoidLogger(), NODE_RUNTIME);
  await db.instantiate(() => undefined);
  const connection = db.connect();
  return {
    version: db.getVersion(),
    load(rows) {
      connection.query("DROP TABLE IF EXISTS t");
      connection.query("CREATE TABLE t (i INTEGER)");
      const began = performance.now();
      connection.query(`INSERT INTO t SELECT * FROM generate_series(1, ${rows})`);
      return performance.now() - began;
    },
    tables(schema, tables) {
      connection.query(schema);
      for (const { name: table, text } of tables) {
        // A view of shared memory is refused.
        db.registerFileBuffer(`${table}.tbl`, new Uint8Array(text));
        connection.query(`COPY ${table} FROM '${table}.tbl' (FORMAT csv, DELIMITER '|', HEADER false, QUOTE '', ESCAPE '')`);
        db.dropFile(`${table}.tbl`);
      }
    },
    query: (sql) => connection.query(sql),
    rows: (result) => result.toArray().map((row) => row.toArray().map((value, i) => shown(value, result.schema.fields[i].type))),
    count: (sql) => Number(connection.query(sql).toArray()[0].toArray()[0]),
    close: () => connection.close(),
  };
}
