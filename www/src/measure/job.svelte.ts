import type { Hello } from "../engine/messages";
import { MeasureEngine } from "./engine";

/** A piece of measuring as a page shows it, and the engine that does it. */
export class MeasureJob {
  hello = $state.raw<Hello | null>(null);
  phase = $state("");
  /** Share of the work that is done; null where nobody can know. */
  share = $state<number | null>(0);
  failure = $state("");
  running = $state(false);
  /** Which of a page's pieces of work it is, so that its progress is shown where it was begun. */
  what = $state("");
  private engine: MeasureEngine | null = null;

  /** `keepsData`: whether the engine and its tables stay for the next piece of work. */
  constructor(
    private readonly keepsData: boolean,
    private readonly start: () => MeasureEngine = () => new MeasureEngine(),
  ) {}

  /** Does one piece of work at a time; what goes wrong becomes `failure`. */
  async run(what: string, work: (engine: MeasureEngine, hello: Hello) => Promise<void>): Promise<void> {
    if (this.running) return;
    const engine = (this.engine ??= this.start());
    this.running = true;
    this.what = what;
    this.failure = "";
    this.tell("Starting", null);
    engine.begin();
    try {
      this.hello = await engine.ready;
      await work(engine, this.hello);
    } catch (cause) {
      // Who has left does not want to know.
      if (this.engine === engine) this.failure = cause instanceof Error ? cause.message : String(cause);
    } finally {
      if (this.engine === engine) this.running = false;
      if (!this.keepsData) this.drop(engine);
    }
  }

  tell(phase: string, share: number | null): void {
    this.phase = phase;
    this.share = share;
  }

  cancel(): void {
    this.engine?.cancel();
  }

  /** Ends the engine with its tables: they are not kept for a visitor who has left. */
  leave(): void {
    this.running = false;
    if (this.engine) this.drop(this.engine);
  }

  private drop(engine: MeasureEngine): void {
    engine.close();
    if (this.engine === engine) this.engine = null;
  }
}
