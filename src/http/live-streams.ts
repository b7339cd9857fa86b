import { HttpError } from "./response/http-error.ts";

/** Each takes a connection and some kilobytes. */
const STREAMS_MAX = 500;

const LOOK_EVERY_MS = 1000;

interface Place {
  readonly reader: string;
  readonly lose: () => void;
}

/** The event streams of a process: how many there are, and when they look for news. */
export class LiveStreams {
  readonly #max: number;
  readonly #everyMs: number;
  readonly #waiting = new Set<() => void>();
  /** The newest last. */
  readonly #open = new Set<Place>();
  #timer: NodeJS.Timeout | undefined;
  /** Counts the looks. */
  turn = 0;
  isClosed = false;

  constructor(max: number = STREAMS_MAX, everyMs: number = LOOK_EVERY_MS) {
    this.#max = max;
    this.#everyMs = everyMs;
  }

  get areAnyOpen(): boolean {
    return this.#open.size > 0;
  }

  /**
   * Takes a place for `reader`. If all are taken, the reader that has most loses its newest one, provided that it has at least two
   * more than `reader`. Calls `lose` when this place is lost like that. Returns what gives it back. Throws `busy`.
   */
  begin(reader: string, lose: () => void): () => void {
    if (this.isClosed || !this.#makesRoom(reader)) {
      const message = `${this.#max} event streams are open, as many as there may be: ask for the load test every few seconds`;
      throw new HttpError("busy", message, { headers: { "Retry-After": "30" } });
    }
    const place = { reader, lose };
    this.#open.add(place);
    this.#timer ??= setInterval(() => this.#wake(), this.#everyMs);
    return () => this.#leave(place);
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

  /** With one more only, two readers would take the place from each other in turn. */
  #makesRoom(reader: string): boolean {
    if (this.#open.size < this.#max) return true;
    const counts = new Map<string, number>();
    for (const place of this.#open) counts.set(place.reader, (counts.get(place.reader) ?? 0) + 1);
    const most = Math.max(0, ...counts.values());
    if (most < (counts.get(reader) ?? 0) + 2) return false;
    const lost = [...this.#open].findLast((place) => counts.get(place.reader) === most);
    if (lost === undefined) return false;
    this.#leave(lost);
    lost.lose();
    return true;
  }

  #leave(place: Place): void {
    this.#open.delete(place);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #wake(): void {
    this.turn += 1;
    for (const wake of this.#waiting) wake();
  }
}
