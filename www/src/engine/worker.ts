import init, { Engine } from "#engine-pkg";
import type { FromWorker, ToWorker } from "./messages";
import { runSlices } from "./slices";

declare const self: DedicatedWorkerGlobalScope & { tuplescopePanic?: string };

const post = (message: FromWorker) => self.postMessage(message);

/**
 * One turn of the event loop by a message to ourselves: `setTimeout` is clamped to 4 ms, and
 * `scheduler.yield()` would run ahead of the page's cancel message.
 */
const channel = new MessageChannel();
let resumeTurn: () => void = () => undefined;
channel.port1.onmessage = () => resumeTurn();
const turn = () =>
  new Promise<void>((resolve) => {
    resumeTurn = resolve;
    channel.port2.postMessage(null);
  });

/** A trap leaves the instance in an unknown state, so nothing is ever asked of it again. */
function die(cause: unknown): void {
  const message = self.tuplescopePanic ?? (cause instanceof Error ? cause.message : String(cause));
  post({ type: "dead", message });
  self.close();
}

async function boot(): Promise<void> {
  await init();
  const engine = new Engine();

  const tellSession = () => post({ type: "session", settings: engine.settings_table(), tables: engine.tables() });

  const run = async (request: Extract<ToWorker, { type: "start" }>) => {
    const { run: id, script, settings, sliceMs, keepRows } = request;
    try {
      await runSlices(engine, script, settings, {
        sliceMs,
        keepRows,
        turn,
        now: () => performance.now(),
        post: (event) => {
          // The session comes first, so that it is there when the page sees the end.
          if (event.kind === "done") tellSession();
          post({ type: "event", run: id, event });
        },
      });
    } catch (cause) {
      if (typeof cause === "string") post({ type: "refused", run: id, message: cause });
      else die(cause);
    }
  };

  self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    try {
      if (data.type === "start") void run(data);
      else if (data.type === "cancel") engine.cancel();
      else {
        engine.reset();
        tellSession();
      }
    } catch (cause) {
      die(cause);
    }
  };

  post({
    type: "ready",
    hello: {
      version: engine.version(),
      settings: engine.settings_table(),
      counterNames: engine.counter_names(),
      clockStepMs: engine.clock_step_ms(),
      isolated: self.crossOriginIsolated,
    },
  });
}

boot().catch(die);
