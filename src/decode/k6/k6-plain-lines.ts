import { WordText, viewOf } from "../bytes/byte-words.ts";
import { RECORD_BYTES_MAX } from "../decoder.ts";
import { K6Metrics, type MetricKind, REQUEST_METRIC } from "./k6-metrics.ts";
import { type K6LineForm, K6RepeatedTags } from "./k6-repeated-tags.ts";
import type { K6Samples } from "./k6-samples.ts";

/**
 * The part of the name that is searched for. Node finds a text of fewer than eight bytes by its first
 * one, which takes a quarter of the time that a longer one takes, where that byte is rare.
 */
const SEARCHED = "q_d";

const SEARCHED_BYTES = Buffer.from(SEARCHED);

const SEARCHED_AT = REQUEST_METRIC.indexOf(SEARCHED);

const NAME = new WordText(REQUEST_METRIC);

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Takes the line `[from, to)`, its end not included, which is about a metric that matters. Whether
 * it could.
 */
export type TakeK6Line = (kind: MetricKind, from: number, to: number) => boolean;

/**
 * Reads the lines that nearly all files of k6 consist of, and gives up before one that it does not
 * fully understand. Lines of other metrics are told by their first bytes alone; their ends are found
 * by `Buffer.indexOf`.
 */
export class K6PlainLines {
  /** Lines read. */
  count = 0;
  /** The metrics of the source, as far as they are known. */
  readonly metrics: K6Metrics;
  readonly #form: K6LineForm;
  readonly #samples: K6Samples;
  readonly #take: TakeK6Line;
  readonly #mentions = new K6Mentions();
  readonly #repeated: K6RepeatedTags;
  #bytes: Buffer = Buffer.alloc(0);

  /** `take` is asked for what cannot be taken by what was seen before; each kind of line is. */
  constructor(form: K6LineForm, samples: K6Samples, take: TakeK6Line) {
    this.#form = form;
    this.#samples = samples;
    this.#take = take;
    this.metrics = new K6Metrics(form.beforeMetric, form.beforeTime.charAt(0));
    this.#repeated = new K6RepeatedTags(form, samples);
  }

  /** Positions are in `bytes` from now on, behind whose last line there are line feeds. */
  beginIn(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#mentions.beginIn(bytes);
    this.#repeated.beginIn(bytes);
  }

  /** Forgets what tags say: from now on they say something else. */
  forgetTags(): void {
    this.#repeated.forget();
  }

  /**
   * Reads lines from position `from` on, where one begins. Returns where the first one begins that
   * was not read: one that is odd, or that does not end before `to`.
   */
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

  /** Whether the name of the metric of requests begins in `[from, to)`. */
  mentionsRequest(from: number, to: number): boolean {
    return this.#mentions.areIn(from, to);
  }

  /** Whether a line about such a metric has to be read; asked when its turn has come. */
  isWanted(kind: MetricKind): boolean {
    return kind === "outcome" ? this.#samples.isWaiting : kind !== "other";
  }

  #takeLine(kind: MetricKind, from: number, to: number): boolean {
    const nameTo = this.metrics.end;
    if (!this.isWanted(kind)) {
      if (kind !== "other" && !this.#repeated.isSampleAt(nameTo)) return false;
      // Two writers of one file can tear a line in two, and a name can hold anything.
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

/** Finds where a source mentions the metric of requests; asked from front to back. */
class K6Mentions {
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
