import { setTimeout as delay } from "node:timers/promises";

/** Lines are gathered up to this length: one write for each would be a tenth of small answers. */
const GATHERED_MAX = 4096;
const FLUSH_EACH_MS = 500;

/** Characters that are held while the target does not take them; further lines are lost. */
const HELD_MAX = 1024 * 1024;
const RETRY_AFTER_MS = 20;
const CLOSE_WITHIN_MS = 500;

/** What a `LogWriter` writes to. */
export interface LogTarget {
  /**
   * Writes at once, or as much of it as there is room for, and returns how many bytes that were.
   * Throws where nothing can be written now.
   */
  write(bytes: Uint8Array): number;
  /** Called once the target takes lines again, with how many were lost meanwhile. */
  linesLost(lines: number): void;
}

/**
 * Writes log lines in order, each whole, and waits for nobody: while the target cannot be written (a
 * full disk, a pipe that nobody reads), a bounded number of lines is held, and further ones are lost
 * and counted.
 */
export class LogWriter {
  readonly #target: LogTarget;
  readonly #timer: NodeJS.Timeout;
  #lines = "";
  /** Comes before `#lines`; the first line may have been written in part. */
  #unwritten: Uint8Array = new Uint8Array(0);
  #lost = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(target: LogTarget) {
    this.#target = target;
    this.#timer = setInterval(() => this.#flush(), FLUSH_EACH_MS).unref();
  }

  /** Takes a line with its line break. Does not throw. */
  write(line: string): void {
    if (this.#lines.length + this.#unwritten.length + line.length > HELD_MAX) {
      this.#lost += 1;
      return;
    }
    this.#lines += line;
    if (this.#lines.length >= GATHERED_MAX && this.#retry === undefined) this.#flush();
  }

  /** Writes what is held, or gives up after half a second. */
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
