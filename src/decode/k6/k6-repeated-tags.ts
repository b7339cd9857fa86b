import { WordText, areRepeated, viewOf } from "../bytes/byte-words.ts";
import { K6KnownTags } from "./k6-known-tags.ts";
import { K6Parts, TIME, VALUE } from "./k6-parts.ts";
import type { K6Samples } from "./k6-samples.ts";

const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;

/** How a kind of file writes a sample: metric, time, value and, behind a comma, its tags. */
export interface K6LineForm {
  readonly beforeMetric: string;
  /** Begins with a byte that no name of a metric holds. */
  readonly beforeTime: string;
  /** Begins with a byte that no time holds. */
  readonly beforeValue: string;
  /** What each line ends with, if with the same byte. */
  readonly end: number | undefined;
  /** Shorter lines are none of this form. */
  readonly lengthMin: number;
  /** Whether numbers may have zeros in front. */
  readonly allowsZeros: boolean;
}

/**
 * Takes samples whose tags were seen before, by their bytes alone: a load test writes the same ones
 * again and again, and the `http_req_failed` of a request has the same as the request.
 */
export class K6RepeatedTags {
  readonly #form: K6LineForm;
  readonly #samples: K6Samples;
  readonly #beforeTime: WordText;
  readonly #beforeValue: WordText;
  readonly #known = new K6KnownTags();
  /** Time and value of the present line. */
  readonly #parts = new K6Parts();
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);
  /** Whether time and value of the present request stand where they should, and could be read if they had to be. */
  #isReadable = false;
  /** How long the times of this source are, mostly. */
  #timeLength = 0;
  #tagsFrom = 0;
  #tagsTo = 0;
  /** Of the request that was taken last: its number, and where its time and its tags are. */
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

  /** Positions are in `bytes` from now on, behind whose last line there are line feeds. */
  beginIn(bytes: Buffer): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    this.#parts.beginIn(bytes);
    this.#request = 0;
  }

  /** Forgets what tags say. */
  forget(): void {
    this.#known.forget();
  }

  /** Whether the line is a sample's as far as to its time; the name of its metric ends at `nameTo`. */
  isSampleAt(nameTo: number): boolean {
    return this.#beforeTime.isAt(this.#view, nameTo);
  }

  /** Takes a request, the name of whose metric ends at `nameTo` and its line at `to`. Whether it could. */
  takeRequest(nameTo: number, to: number): boolean {
    this.#isReadable = this.#find(nameTo, to);
    if (!this.#isReadable || this.#known.isResting()) return false;
    this.#isReadable = this.#samples.readTimes(this.#parts);
    if (!this.#isReadable) return false;
    const tags = this.#known.at(this.#bytes, this.#tagsFrom, to);
    if (tags === undefined) return false;
    this.#samples.repeat(tags);
    this.#remember();
    return true;
  }

  /** Learns the tags of the request that `takeRequest` could not take, and that `samples` has now. */
  learn(): void {
    if (!this.#isReadable) return;
    const { tags, labels } = this.#samples;
    if (!labels.isOverLimit(tags.label)) {
      this.#known.learn(this.#bytes, [this.#tagsFrom, this.#tagsTo], tags);
    }
    this.#remember();
  }

  /**
   * Takes a sample of `http_req_failed`, if all of it but the value is as in the request before it.
   * Whether it is.
   */
  takeOutcome(nameTo: number, to: number): boolean {
    if (this.#request !== this.#samples.requests || !this.#find(nameTo, to)) return false;
    const [timeFrom, timeTo] = [this.#parts.from[TIME] as number, this.#parts.to[TIME] as number];
    return (
      timeTo - timeFrom === this.#requestTimeTo - this.#requestTimeFrom &&
      to - this.#tagsFrom === this.#requestTagsTo - this.#requestTagsFrom &&
      areRepeated(this.#view, timeFrom, timeTo, this.#requestTimeFrom) &&
      areRepeated(this.#view, this.#tagsFrom, to, this.#requestTagsFrom) &&
      this.#samples.judgeLast(this.#parts)
    );
  }

  /** Finds time, value and tags of a sample; whether they stand where they should. */
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

  /** Where a time ends: mostly it is as long as the one before. What it holds is not looked at. */
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

  /** JSON knows no number that begins with a zero and another digit. */
  #mayBegin(valueFrom: number): boolean {
    if (this.#form.allowsZeros || this.#bytes[valueFrom] !== ZERO) return true;
    return ((this.#bytes[valueFrom + 1] as number) - ZERO) >>> 0 > 9;
  }

  #remember(): void {
    this.#request = this.#samples.requests;
    this.#requestTimeFrom = this.#parts.from[TIME] as number;
    this.#requestTimeTo = this.#parts.to[TIME] as number;
    this.#requestTagsFrom = this.#tagsFrom;
    this.#requestTagsTo = this.#tagsTo;
  }
}
