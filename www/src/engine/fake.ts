import type { WorkerLike } from "./client";
import type { Assignment, FromWorker, Hello, ToWorker } from "./messages";
import type { Event, Setting } from "./protocol";
import { runSlices, type Sliced } from "./slices";

/** For unit tests only: an engine whose scripts are lists of events, and a worker around it. */
export class ScriptedEngine implements Sliced {
  private left: Event[] = [];
  readonly started: { script: string; settings: Assignment[]; keepRows: number }[] = [];

  constructor(private readonly answer: (script: string) => Event[]) {}

  start(script: string, settings: Assignment[], keepRows: number): void {
    this.started.push({ script, settings, keepRows });
    this.left = [...this.answer(script), { kind: "done" }];
  }

  resume(): Event {
    const event = this.left.shift();
    if (!event) throw new Error("resume after done");
    return event;
  }
}

/** A setting with a default of `on`. */
const SWITCH: Setting = { name: "switch", group: "", help: "", shape: { type: "bool" }, default: "on", value: "on" };

export const HELLO: Hello = { version: "0.0.0", settings: [SWITCH], counterNames: ["rowsOut"], clockStepMs: 0.1, isolated: false };

export class ScriptedWorker implements WorkerLike {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  terminated = false;
  readonly asked: ToWorker[] = [];

  constructor(
    private readonly engine: ScriptedEngine,
    ready = true,
  ) {
    if (ready) queueMicrotask(() => this.send({ type: "ready", hello: HELLO }));
  }

  send(data: FromWorker): void {
    this.onmessage?.({ data } as MessageEvent<FromWorker>);
  }

  postMessage(message: ToWorker): void {
    this.asked.push(message);
    if (message.type === "reset") queueMicrotask(() => this.send({ type: "session", settings: HELLO.settings, tables: [] }));
    if (message.type !== "start") return;
    const { run, script, settings, sliceMs, keepRows } = message;
    runSlices(this.engine, script, settings, {
      sliceMs,
      keepRows,
      turn: () => Promise.resolve(),
      now: () => performance.now(),
      post: (event) => this.send({ type: "event", run, event }),
    }).catch((cause: unknown) => this.send(typeof cause === "string" ? { type: "refused", run, message: cause } : { type: "dead", message: String(cause) }));
  }

  terminate(): void {
    this.terminated = true;
  }
}
