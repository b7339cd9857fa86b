import { setTimeout as delay } from "node:timers/promises";
import { type Logger, pino } from "pino";
import { withoutKeys } from "../catalogue/keys.ts";

/** Lines are batched up to this length: one write per line would take a tenth of the time of small responses. */
const GATHERED_MAX = 16 * 1024;
const FLUSH_EACH_MS = 500;

/** Characters buffered while the target is blocked; further lines are lost. */
const HELD_MAX = 1024 * 1024;
const RETRY_AFTER_MS = 20;
const CLOSE_WITHIN_MS = 500;

/** Levels of pino. */
const WARNING_OR_WORSE = /^\{"level":[456]0,/;

export interface LogTarget {
  /** Writes without blocking and returns the number of bytes written. Throws if nothing can be written now. */
  write(bytes: Uint8Array): number;
  /** Called once lines can be written again, with the number of lost ones. */
  linesLost(lines: number): void;
}

/** Returns pino's `timestamp`. Lines of the same millisecond share the text. */
export function createTimestamp(now: () => number): () => string {
  let lastMs = NaN;
  let text = "";
  return () => {
    const nowMs = now();
    if (nowMs !== lastMs) text = `,"time":"${new Date(nowMs).toISOString()}"`;
    lastMs = nowMs;
    return text;
  };
}

export function createLog(writer: LogWriter, now: () => number): Logger {
  return pino({ base: null, timestamp: createTimestamp(now) }, writer);
}

/**
 * Writes complete log lines in order, and never blocks: while the target refuses (a full disk, an
 * unread pipe), a bounded number is buffered; further ones are lost and counted. A killed process loses half a second,
 * but no warning or error.
 */
export class LogWriter {
  readonly #target: LogTarget;
  readonly #timer: NodeJS.Timeout;
  #lines = "";
  /** Precedes `#lines`; its first line may be partly written. */
  #unwritten: Uint8Array = new Uint8Array(0);
  #lost = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(target: LogTarget) {
    this.#target = target;
    this.#timer = setInterval(() => this.#flush(), FLUSH_EACH_MS).unref();
  }

  /** Writes a line that ends with a line break, with its keys masked. Does not throw. */
  write(line: string): void {
    if (this.#lines.length + this.#unwritten.length + line.length > HELD_MAX) {
      this.#lost += 1;
      return;
    }
    this.#lines += withoutKeys(line);
    const isUrgent = WARNING_OR_WORSE.test(line) || this.#lines.length >= GATHERED_MAX;
    if (isUrgent && this.#retry === undefined) this.#flush();
  }

  /** Writes the buffered lines, for at most half a second. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const untilMs = performance.now() + CLOSE_WITHIN_MS;
    while (!this.#isEmpty && performance.now() < untilMs) {
      this.#flush();
      if (!this.#isEmpty) await delay(RETRY_AFTER_MS);
    }
    clearTimeout(this.#retry);
  }

  get #isEmpty(): boolean {
    return this.#lines === "" && this.#unwritten.length === 0;
  }

  #flush(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    try {
      while (!this.#isEmpty) {
        if (this.#unwritten.length === 0) {
          this.#unwritten = Buffer.from(this.#lines);
          this.#lines = "";
        }
        const written = this.#target.write(this.#unwritten);
        this.#unwritten = this.#unwritten.subarray(written);
      }
    } catch {
      this.#retry = setTimeout(() => this.#flush(), RETRY_AFTER_MS).unref();
      return;
    }
    if (this.#lost === 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    this.#target.linesLost(lost);
  }
}
