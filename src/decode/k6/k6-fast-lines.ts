import { WordText, viewOf } from "../bytes/byte-words.ts";
import { RECORD_BYTES_MAX } from "../decoder.ts";
import { K6Metrics, type MetricKind, REQUEST_METRIC } from "./k6-metrics.ts";
import { type K6LineForm, K6RepeatedTags } from "./k6-repeated-tags.ts";
import type { K6Samples } from "./k6-samples.ts";

/**
 * Searched part of the name. Node searches texts of fewer than eight bytes by their first byte, in a quarter of
 * the time if that is rare.
 */
const SEARCHED = "q_d";

const SEARCHED_BYTES = Buffer.from(SEARCHED);

const SEARCHED_AT = REQUEST_METRIC.indexOf(SEARCHED);

const NAME = new WordText(REQUEST_METRIC);

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Handles the line `[from, to)` of a relevant metric. Returns whether it could. */
export type TakeK6Line = (kind: MetricKind, from: number, to: number) => boolean;

/**
 * Fast path: stops before a line that it does not fully understand. Skips lines of other metrics by their first
 * bytes, with `Buffer.indexOf` for their ends.
 */
export class K6FastLines {
  count = 0;
  /** Known metrics of the source. */
  readonly metrics: K6Metrics;
  readonly #form: K6LineForm;
  readonly #samples: K6Samples;
  readonly #take: TakeK6Line;
  readonly #mentions = new K6Mentions();
  readonly #repeated: K6RepeatedTags;
  #bytes: Buffer = Buffer.alloc(0);

  /** `take` handles lines that the cache cannot. */
  constructor(form: K6LineForm, samples: K6Samples, take: TakeK6Line) {
    this.#form = form;
    this.#samples = samples;
    this.#take = take;
    this.metrics = new K6Metrics(form.beforeMetric, form.beforeTime.charAt(0));
    this.#repeated = new K6RepeatedTags(form, samples);
  }

  /** Sets the bytes; line feeds follow the last line. */
  beginIn(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#mentions.beginIn(bytes);
    this.#repeated.beginIn(bytes);
  }

  /** Clears the cache of tags. */
  forgetTags(): void {
    this.#repeated.forget();
  }

  /** Reads lines from `from`. Returns where the first unread line begins. */
  read(from: number, to: number): number {
    const bytes = this.#bytes;
    const { end: lastByte, lengthMin } = this.#form;
    for (let at = from; ; this.count += 1) {
      const end = bytes.indexOf(LINE_FEED, at);
      if (end < 0 || end >= to || end - at >= RECORD_BYTES_MAX) return at;
      const kind = this.metrics.kindAt(bytes, at);
      if (kind === undefined || end - at < lengthMin) return at;
      const lineTo = bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
      if (lastByte !== undefined && bytes[lineTo - 1] !== lastByte) return at;
      if (!this.#takeLine(kind, at, lineTo)) return at;
      at = end + 1;
    }
  }

  mentionsRequest(from: number, to: number): boolean {
    return this.#mentions.areIn(from, to);
  }

  /** Whether a line of this metric must be read; ask in line order. */
  isWanted(kind: MetricKind): boolean {
    return kind === "outcome" ? this.#samples.isWaiting : kind !== "other";
  }

  #takeLine(kind: MetricKind, from: number, to: number): boolean {
    const nameTo = this.metrics.end;
    if (!this.isWanted(kind)) {
      if (kind !== "other" && !this.#repeated.isSampleAt(nameTo)) return false;
      // Two writers can tear a line, and a name can contain anything.
      return !this.#mentions.areIn(from, to);
    }
    if (kind === "request") {
      if (this.#repeated.takeRequest(nameTo, to)) return true;
      if (!this.#take(kind, from, to)) return false;
      this.#repeated.learn();
      return true;
    }
    if (kind === "outcome" && this.#repeated.takeOutcome(nameTo, to)) return true;
    return this.#take(kind, from, to);
  }
}

/** Finds mentions of the request metric, front to back. */
class K6Mentions {
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);
  /** Position of the next one. */
  #at = -1;

  /** Sets the bytes; line feeds follow the last line. */
  beginIn(bytes: Buffer): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    this.#at = -1;
  }

  areIn(from: number, to: number): boolean {
    if (this.#at < from) this.#at = this.#next(from);
    return this.#at < to;
  }

  #next(from: number): number {
    const bytes = this.#bytes;
    // The rest after the last line is too short for the name.
    const last = bytes.length - NAME.bytes.length - 3;
    for (let at = from; ; at += 1) {
      const part = bytes.indexOf(SEARCHED_BYTES, at + SEARCHED_AT);
      at = part - SEARCHED_AT;
      if (part < 0 || at > last) return bytes.length;
      if (NAME.isAt(this.#view, at)) return at;
    }
  }
}
