import { WordText, areRepeated, viewOf } from "../bytes/byte-words.ts";
import { K6TagCache } from "./k6-tag-cache.ts";
import { K6Parts, TIME, VALUE } from "./k6-parts.ts";
import type { K6Samples } from "./k6-samples.ts";

const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;

/** Layout of a sample line: metric, time, value, comma, tags. */
export interface K6LineForm {
  readonly beforeMetric: string;
  /** Begins with a byte that no metric name contains. */
  readonly beforeTime: string;
  /** Begins with a byte that no time contains. */
  readonly beforeValue: string;
  /** Common last byte of lines, if any. */
  readonly end: number | undefined;
  /** Shorter lines have another form. */
  readonly lengthMin: number;
  /** Whether numbers may have leading zeros. */
  readonly allowsZeros: boolean;
}

/** Handles samples with cached tags: tags repeat, and `http_req_failed` has those of its request. */
export class K6RepeatedTags {
  readonly #form: K6LineForm;
  readonly #samples: K6Samples;
  readonly #beforeTime: WordText;
  readonly #beforeValue: WordText;
  readonly #cache = new K6TagCache();
  /** Time and value of the line. */
  readonly #parts = new K6Parts();
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);
  /** Whether time and value of the request are in place and readable. */
  #isReadable = false;
  /** Usual length of a time. */
  #timeLength = 0;
  #tagsFrom = 0;
  #tagsTo = 0;
  /** The last request: number, and position of time and tags. */
  #request = 0;
  #requestTimeFrom = 0;
  #requestTimeTo = 0;
  #requestTagsFrom = 0;
  #requestTagsTo = 0;

  constructor(form: K6LineForm, samples: K6Samples) {
    this.#form = form;
    this.#samples = samples;
    this.#beforeTime = new WordText(form.beforeTime);
    this.#beforeValue = new WordText(form.beforeValue);
  }

  /** Sets the bytes; line feeds follow the last line. */
  beginIn(bytes: Buffer): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    this.#parts.beginIn(bytes);
    this.#request = 0;
  }

  forget(): void {
    this.#cache.forget();
  }

  /** Whether the line is a sample up to its time; the metric name ends at `nameTo`. */
  isSampleAt(nameTo: number): boolean {
    return this.#beforeTime.isAt(this.#view, nameTo);
  }

  /** Handles a request. Returns whether it could. */
  takeRequest(nameTo: number, to: number): boolean {
    this.#isReadable = this.#find(nameTo, to);
    if (!this.#isReadable || this.#cache.isResting()) return false;
    this.#isReadable = this.#samples.readTimes(this.#parts);
    if (!this.#isReadable) return false;
    const tags = this.#cache.at(this.#bytes, this.#tagsFrom, to);
    if (tags === undefined) return false;
    this.#samples.repeat(tags);
    this.#saveRequest();
    return true;
  }

  /** Caches the tags of the request that `takeRequest` missed and `samples` has read since. */
  learn(): void {
    if (!this.#isReadable) return;
    const { tags, labels } = this.#samples;
    if (!labels.isOverLimit(tags.label)) {
      this.#cache.learn(this.#bytes, [this.#tagsFrom, this.#tagsTo], tags);
    }
    this.#saveRequest();
  }

  /**
   * Handles a sample of `http_req_failed` that equals the last request except for the value. Returns whether it
   * does.
   */
  takeOutcome(nameTo: number, to: number): boolean {
    if (this.#request !== this.#samples.requests || !this.#find(nameTo, to)) return false;
    const [timeFrom, timeTo] = [this.#parts.from[TIME] as number, this.#parts.to[TIME] as number];
    return (
      timeTo - timeFrom === this.#requestTimeTo - this.#requestTimeFrom &&
      to - this.#tagsFrom === this.#requestTagsTo - this.#requestTagsFrom &&
      areRepeated(this.#view, timeFrom, timeTo, this.#requestTimeFrom) &&
      areRepeated(this.#view, this.#tagsFrom, to, this.#requestTagsFrom) &&
      this.#samples.recordLastOutcome(this.#parts)
    );
  }

  /** Finds time, value and tags. Returns whether they are in place. */
  #find(nameTo: number, lineTo: number): boolean {
    if (!this.isSampleAt(nameTo)) return false;
    const { from, to } = this.#parts;
    const timeFrom = nameTo + this.#beforeTime.length;
    const timeTo = this.#timeEnd(timeFrom, lineTo);
    if (!this.#beforeValue.isAt(this.#view, timeTo)) return false;
    const valueFrom = timeTo + this.#beforeValue.length;
    const valueTo = this.#digitsEnd(valueFrom);
    from[TIME] = timeFrom;
    to[TIME] = timeTo;
    from[VALUE] = valueFrom;
    to[VALUE] = valueTo;
    this.#tagsFrom = valueTo;
    this.#tagsTo = lineTo;
    return this.#bytes[valueTo] === COMMA && this.#mayBegin(valueFrom);
  }

  /** End of a time, usually as long as the one before; contents are not checked. */
  #timeEnd(from: number, lineTo: number): number {
    const guess = from + this.#timeLength;
    if (guess < lineTo && this.#beforeValue.isAt(this.#view, guess)) return guess;
    const behind = this.#beforeValue.bytes[0];
    let at = from;
    while (at < lineTo && this.#bytes[at] !== behind) at += 1;
    this.#timeLength = at - from;
    return at;
  }

  #digitsEnd(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (((bytes[at] as number) - ZERO) >>> 0 <= 9 || bytes[at] === POINT) at += 1;
    return at;
  }

  /** JSON has no leading zeros. */
  #mayBegin(valueFrom: number): boolean {
    if (this.#form.allowsZeros || this.#bytes[valueFrom] !== ZERO) return true;
    return ((this.#bytes[valueFrom + 1] as number) - ZERO) >>> 0 > 9;
  }

  #saveRequest(): void {
    this.#request = this.#samples.requests;
    this.#requestTimeFrom = this.#parts.from[TIME] as number;
    this.#requestTimeTo = this.#parts.to[TIME] as number;
    this.#requestTagsFrom = this.#tagsFrom;
    this.#requestTagsTo = this.#tagsTo;
  }
}
