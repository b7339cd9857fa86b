import { Session, type Profiler } from "node:inspector";

/** What of our own code is looked at. */
const OWN = /\/src\/[^?]*\.ts$/;

/**
 * Tells inputs that reach code that none before has reached: V8's precise coverage of this thread,
 * block by block. What runs in WebAssembly is not seen.
 */
export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** How many blocks have been reached at all. */
  get blocks(): number {
    return this.#seen.size;
  }

  /** The blocks that were reached for the first time since the last look. */
  takeNew(): ReadonlySet<string> {
    const added = new Set<string>();
    for (const block of this.#takeReached()) {
      if (this.#seen.has(block)) continue;
      this.#seen.add(block);
      added.add(block);
    }
    return added;
  }

  /** Whether one of `blocks` was reached since the last look. */
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
    // A session on its own thread answers before `post` returns.
    this.#session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      taken = result;
    });
    return taken;
  }
}
