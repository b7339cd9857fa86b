import { Semaphore } from "../../concurrency/semaphore.ts";

/** A response about at least so many seconds of endpoints is long: a run of an hour with 20 endpoints has fewer. */
const LONG_SECONDS = 100_000;

/** Of an operation. Sixteen responses about a run of seven hours took up to 626 MB. */
const AT_ONCE_MAX = 2;

/** Total time that one turn waits for its client; then other responses go first. */
const PATIENCE_MS = 1000;

/** Limits how many long responses of an operation are computed at once, over all readers: each takes tens of megabytes. */
export class LongAnswers {
  readonly #turns = new Map<string, Semaphore>();
  readonly #patienceMs: number;

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  isLong(seconds: number): boolean {
    return seconds >= LONG_SECONDS;
  }

  /** The turn of a response to `reader`, which has not begun. */
  turnOf(operationId: string, reader: string): Turn {
    const turns = this.#turns.get(operationId) ?? new Semaphore({ max: AT_ONCE_MAX });
    this.#turns.set(operationId, turns);
    return new Turn(turns, reader, this.#patienceMs);
  }
}

/** Lasts from `begin` to `end`, and may begin again. */
export class Turn {
  readonly #turns: Semaphore;
  readonly #reader: string;
  readonly #patienceMs: number;
  #end: (() => void) | undefined;
  #waiting: NodeJS.Timeout | undefined;
  #leftMs = 0;

  constructor(turns: Semaphore, reader: string, patienceMs: number) {
    this.#turns = turns;
    this.#reader = reader;
    this.#patienceMs = patienceMs;
  }

  /** Waits for it, unless it has begun. */
  async begin(): Promise<void> {
    if (this.#end !== undefined) return;
    const { promise: turn, resolve } = Promise.withResolvers<() => void>();
    void this.#turns.run(this.#reader, () => new Promise<void>((end) => resolve(end)));
    this.#end = await turn;
    this.#leftMs = this.#patienceMs;
  }

  /** Lets others go first. Idempotent. */
  end(): void {
    clearTimeout(this.#waiting);
    this.#end?.();
    this.#end = undefined;
  }

  /** Passes chunks through, all in this turn if their client takes them soon. Throws what `requireWanted` throws, which is called before each. */
  async *chunks(
    chunks: AsyncIterable<Uint8Array>,
    requireWanted: () => void = () => undefined,
  ): AsyncGenerator<Uint8Array> {
    const rest = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        await this.begin();
        requireWanted();
        const next = await rest.next();
        if (next.done === true) return;
        const sinceMs = performance.now();
        // What is left can be a fraction of a millisecond below 0.
        this.#waiting = setTimeout(() => this.end(), Math.max(0, this.#leftMs));
        yield next.value;
        clearTimeout(this.#waiting);
        this.#leftMs -= performance.now() - sinceMs;
      }
    } finally {
      this.end();
      await rest.return?.();
    }
  }
}
