import type { WorkerLike } from "./client";

/** Starts the worker that owns the engine. */
export function spawnWorker(): WorkerLike {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "engine" });
}
