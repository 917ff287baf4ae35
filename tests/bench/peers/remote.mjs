// An engine in a worker of its own, seen from outside.
import { Worker } from "node:worker_threads";

const HEAP_MB = 4096;

/** What a call says that took longer than its limit; the engine and its tables are gone. */
export class TimeLimit extends Error {}

export class Remote {
  #worker = null;
  #calls = new Map();
  #opened = null;
  #last = 0;

  /**
   * `module` is a file of this folder; `prepare` is given the engine after each start and makes its
   * tables, again too when a call has run into its limit.
   */
  constructor(module, options, prepare) {
    this.module = new URL(module, import.meta.url).href;
    this.options = options;
    this.prepare = prepare;
  }

  /** Starts the engine where there is none; answers its name and version. */
  open() {
    this.#opened ??= this.#start();
    return this.#opened;
  }

  async #start() {
    this.#worker = new Worker(new URL("host.mjs", import.meta.url), { workerData: { module: this.module, options: this.options }, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    const told = new Promise((resolve, reject) => this.#calls.set("open", { resolve, reject }));
    this.#worker.on("message", ({ id, value, error }) => {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (error === undefined) call?.resolve(value);
      else call?.reject(new Error(error));
    });
    this.#worker.on("error", (cause) => this.#drop(cause));
    const hello = await told;
    await this.prepare((method, ...given) => this.#call(method, given, null));
    return hello;
  }

  /** Calls a method of the engine. */
  async call(method, ...given) {
    await this.open();
    return this.#call(method, given, null);
  }

  /** Runs a statement within a limit: milliseconds, and rows where they are wanted. */
  async query(sql, { settings = [], wantRows = false, limitMs = null } = {}) {
    await this.open();
    return this.#call("query", [sql, settings, wantRows], limitMs);
  }

  #call(method, given, limitMs) {
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      const timer =
        limitMs === null
          ? null
          : setTimeout(() => {
              const worker = this.#worker;
              this.#drop(new TimeLimit(`over ${limitMs / 1000} s`));
              void worker?.terminate();
            }, limitMs);
      const ended = (settle) => (value) => {
        clearTimeout(timer);
        settle(value);
      };
      this.#calls.set(id, { resolve: ended(resolve), reject: ended(reject) });
      this.#worker.postMessage({ id, method, given });
    });
  }

  /** The engine is gone: whatever waits for it fails. */
  #drop(cause) {
    this.#worker = null;
    this.#opened = null;
    for (const { reject } of this.#calls.values()) reject(cause);
    this.#calls.clear();
  }

  async close() {
    const worker = this.#worker;
    this.#drop(new Error("closed"));
    await worker?.terminate();
  }
}
