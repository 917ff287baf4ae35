// DuckDB-wasm: the eh bundle, one thread.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export const name = "DuckDB-wasm";

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
    count: (sql) => Number(connection.query(sql).toArray()[0].toArray()[0]),
    close: () => connection.close(),
  };
}
