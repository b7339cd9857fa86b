import { Semaphore } from "../../concurrency/semaphore.ts";

/** A response about at least so many seconds of endpoints is long: a run of an hour with 20 endpoints has fewer. */
const LONG_SECONDS = 100_000;

/** Of an operation. Sixteen responses about a run of seven hours took up to 626 MB. */
const AT_ONCE_MAX = 2;

/** A turn waits for its client this long in all; then others go first. */
const PATIENCE_MS = 1000;

/** Limits how many long responses of an operation are computed at once, whoever reads them: each takes tens of megabytes meanwhile. */
export class LongAnswers {
  readonly #turns = new Map<string, Semaphore>();
  readonly #patienceMs: number;

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  isLong(seconds: number): boolean {
    return seconds >= LONG_SECONDS;
  }

  /** Waits for the turn of `reader`, and computes what an operation answers. */
  run<Result>(
    operationId: string,
    reader: string,
    compute: () => Promise<Result>,
  ): Promise<Result> {
    const turns = this.#turns.get(operationId) ?? new Semaphore({ max: AT_ONCE_MAX });
    this.#turns.set(operationId, turns);
    return turns.run(reader, compute);
  }

  /** Passes the chunks of a response through, in one turn if its client takes them soon. Throws what `requireWanted` throws, which is called at each turn. */
  async *chunks(
    operationId: string,
    reader: string,
    chunks: AsyncIterable<Uint8Array>,
    requireWanted: () => void = () => undefined,
  ): AsyncGenerator<Uint8Array> {
    const rest = chunks[Symbol.asyncIterator]();
    let endTurn: (() => void) | undefined;
    let waiting: NodeJS.Timeout | undefined;
    let leftMs = 0;
    const yieldTurn = (): void => {
      clearTimeout(waiting);
      endTurn?.();
      endTurn = undefined;
    };
    try {
      for (;;) {
        if (endTurn === undefined) {
          endTurn = await this.#takeTurn(operationId, reader);
          leftMs = this.#patienceMs;
          requireWanted();
        }
        const next = await rest.next();
        if (next.done === true) return;
        const sinceMs = performance.now();
        // What is left can be a fraction of a millisecond below 0.
        waiting = setTimeout(yieldTurn, Math.max(0, leftMs));
        yield next.value;
        clearTimeout(waiting);
        leftMs -= performance.now() - sinceMs;
      }
    } finally {
      yieldTurn();
      await rest.return?.();
    }
  }

  /** Resolves when the turn has come, to what ends it. */
  #takeTurn(operationId: string, reader: string): Promise<() => void> {
    const { promise: turn, resolve: begin } = Promise.withResolvers<() => void>();
    void this.run(operationId, reader, () => new Promise<void>((end) => begin(end)));
    return turn;
  }
}
