import { viewOf } from "./byte-words.ts";
import { REQUEST_METRIC } from "./k6-metrics.ts";
import { WordText } from "./word-text.ts";

/**
 * The part of the name that is searched for. Node finds a text of fewer than eight bytes by its first
 * one, which takes a quarter of the time that a longer one takes, where that byte is rare.
 */
const SEARCHED = "q_d";
const SEARCHED_BYTES = Buffer.from(SEARCHED);
const SEARCHED_AT = REQUEST_METRIC.indexOf(SEARCHED);
const NAME = new WordText(REQUEST_METRIC);

/** Finds where a source mentions the metric of requests; asked from front to back. */
export class K6Mentions {
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);
  /** Where the next one is. */
  #at = -1;

  /** Positions are in `bytes` from now on, behind whose last line there are line feeds. */
  beginIn(bytes: Buffer): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    this.#at = -1;
  }

  /** Whether one begins in `[from, to)`. */
  areIn(from: number, to: number): boolean {
    if (this.#at < from) this.#at = this.#next(from);
    return this.#at < to;
  }

  #next(from: number): number {
    const bytes = this.#bytes;
    // What lies behind the last line, and is too short for the name, is no matter.
    const last = bytes.length - NAME.bytes.length - 3;
    for (let at = from; ; at += 1) {
      const part = bytes.indexOf(SEARCHED_BYTES, at + SEARCHED_AT);
      at = part - SEARCHED_AT;
      if (part < 0 || at > last) return bytes.length;
      if (NAME.isAt(this.#view, at)) return at;
    }
  }
}
