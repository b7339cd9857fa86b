import { HttpError } from "./response/http-error.ts";

/** Each takes a connection and some kilobytes. */
const STREAMS_MAX = 500;

const LOOK_EVERY_MS = 1000;

/** The event streams of a process: how many there are, and when they look for news. */
export class LiveStreams {
  readonly #max: number;
  readonly #everyMs: number;
  readonly #waiting = new Set<() => void>();
  #open = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Counts the looks. */
  turn = 0;
  isClosed = false;

  constructor(max: number = STREAMS_MAX, everyMs: number = LOOK_EVERY_MS) {
    this.#max = max;
    this.#everyMs = everyMs;
  }

  get areAnyOpen(): boolean {
    return this.#open > 0;
  }

  /** Takes a place. Throws `busy`. */
  begin(): void {
    if (this.isClosed || this.#open >= this.#max) {
      const message = `${this.#max} event streams are open, as many as there may be: ask for the load test every few seconds`;
      throw new HttpError("busy", message, { headers: { "Retry-After": "30" } });
    }
    this.#open += 1;
    this.#timer ??= setInterval(() => this.#wake(), this.#everyMs);
  }

  end(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Resolves at the next look, when all are closed, or when the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (this.isClosed || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    this.#waiting.delete(wake);
    signal.removeEventListener("abort", wake);
  }

  /** Ends all, for good. */
  close(): void {
    this.isClosed = true;
    this.#wake();
  }

  #wake(): void {
    this.turn += 1;
    for (const wake of this.#waiting) wake();
  }
}
