import { Session, type Profiler } from "node:inspector";

/** Only our own code counts. */
const OWN = /\/src\/[^?]*\.ts$/;

/**
 * Finds inputs that reach new code, with V8's precise block coverage of this thread. Does not cover
 * WebAssembly.
 */
export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Total number of blocks reached. */
  get blocks(): number {
    return this.#seen.size;
  }

  /** The blocks reached for the first time since the last call. */
  takeNew(): ReadonlySet<string> {
    const added = new Set<string>();
    for (const block of this.#takeReached()) {
      if (this.#seen.has(block)) continue;
      this.#seen.add(block);
      added.add(block);
    }
    return added;
  }

  /** Whether one of `blocks` was reached since the last call. */
  takeAny(blocks: ReadonlySet<string>): boolean {
    return this.#takeReached().some((block) => blocks.has(block));
  }

  close(): void {
    this.#session.disconnect();
  }

  #takeReached(): string[] {
    return this.#take()
      .filter(({ url }) => OWN.test(url))
      .flatMap(({ url, functions }) =>
        functions
          .flatMap(({ ranges }) => ranges)
          .filter(({ count }) => count > 0)
          .map(({ startOffset, endOffset }) => `${url}:${startOffset}:${endOffset}`),
      );
  }

  #take(): readonly Profiler.ScriptCoverage[] {
    let taken: readonly Profiler.ScriptCoverage[] = [];
    // A session on its own thread responds before `post` returns.
    this.#session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      taken = result;
    });
    return taken;
  }
}
