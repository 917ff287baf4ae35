// The inside of a worker that holds one engine, so that a statement without end can be ended with it.
import { parentPort, workerData } from "node:worker_threads";

const module = await import(workerData.module);
const peer = await module.open(workerData.options);

/** Runs a statement: milliseconds until its result is there, and its rows where they are wanted. */
async function query(sql, settings, wantRows) {
  const text = module.dialect ? module.dialect(sql) : sql;
  const began = performance.now();
  const result = await peer.query(text, settings);
  const ms = performance.now() - began;
  return { ms, rows: wantRows ? peer.rows(result) : null };
}

parentPort.on("message", async ({ id, method, given }) => {
  try {
    const value = method === "query" ? await query(...given) : await peer[method](...given);
    parentPort.postMessage({ id, value });
  } catch (cause) {
    parentPort.postMessage({ id, error: cause?.message ?? String(cause) });
  }
});
parentPort.postMessage({ id: "open", value: { name: module.name, version: peer.version } });
