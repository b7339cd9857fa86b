import { isDigit } from "../bytes/exact-number.ts";
import { viewOf } from "../bytes/byte-words.ts";
import { K6Metrics } from "../k6/k6-metrics.ts";
import { hashOf } from "../bytes/byte-table.ts";
import { type K6Request, requestOf } from "./line-k6.ts";
import type { LinePoint } from "./line-point.ts";
import type { LineSamples } from "./line-samples.ts";
import type { LineTail } from "./line-measurements.ts";

const BLANK = 0x20;
const LINE_FEED = 0x0a;
const POINT = 0x2e;
const EQUALS = 0x3d;

/** Cached heads: more than a load test has, in about 4 MB. */
const HEADS_MAX = 4096;
const HEAD_BYTES_MIN = 8;
const HEAD_BYTES_MAX = 2048;
/** Value, blank and time; k6 writes no longer ones. */
const TAIL_BYTES_MAX = 64;

/** The part of a line between metric name and value. */
interface Head {
  readonly view: DataView;
  readonly loadTestId: string | undefined;
  readonly request: K6Request;
}

/** Samples of a load test, or of points without one. */
export type SamplesOf = (loadTestId: string | undefined) => LineSamples | undefined;

/**
 * k6 writes about ten lines per request that differ in name and value only, and repeats them for each request of
 * an address. A line whose head equals that of an earlier point is handled without parsing, in a tenth of the
 * time. The cache can be shared between sources.
 */
export class LineRepeats {
  readonly #metrics = new K6Metrics();
  readonly #heads = new Map<number, Head>();
  #last: Head | undefined;
  #view = viewOf(new Uint8Array(0));
  readonly #tail: LineTail = {
    bytes: new Uint8Array(0),
    valueFrom: 0,
    valueTo: 0,
    timeFrom: 0,
    timeTo: 0,
  };

  /** Caches the head of a k6 point of this load test. */
  learn(point: LinePoint, loadTestId: string | undefined): void {
    const { head } = point;
    if (head === undefined) return;
    if (head.length < HEAD_BYTES_MIN || head.length > HEAD_BYTES_MAX) return;
    // Points of several lines do not end at their first line feed.
    if (head.includes(LINE_FEED)) return;
    const view = viewOf(Uint8Array.from(head));
    const hash = hashOf(view, 0, head.length);
    // On a hash collision the first head stays.
    if (this.#heads.has(hash)) return;
    if (this.#heads.size === HEADS_MAX) this.#heads.clear();
    this.#last = { view, loadTestId, request: requestOf(point) };
    this.#heads.set(hash, this.#last);
  }

  /** Handles the line at `from` if its head is cached, else does nothing. Returns its line feed. A line feed must stand at `to`. */
  take(bytes: Buffer, from: number, to: number, samplesOf: SamplesOf): number | undefined {
    if (this.#last === undefined) return undefined;
    const kind = this.#metrics.kindAt(bytes, from);
    if (kind === undefined || kind === "users") return undefined;
    if (bytes !== this.#tail.bytes) [this.#tail.bytes, this.#view] = [bytes, viewOf(bytes)];
    const headFrom = this.#metrics.end;
    const head = this.#repeats(this.#last, headFrom, to)
      ? this.#last
      : this.#find(bytes, headFrom, to);
    if (head === undefined) return undefined;
    this.#last = head;
    const end = this.#readTail(headFrom + head.view.byteLength);
    const samples = end < to ? samplesOf(head.loadTestId) : undefined;
    const isTaken = kind === "other" || samples?.takeAgain(kind, head.request, this.#tail) === true;
    return samples !== undefined && isTaken ? end : undefined;
  }

  #repeats({ view }: Head, from: number, to: number): boolean {
    const last = view.byteLength - 4;
    if (from + view.byteLength > to) return false;
    for (let at = 0; at < last; at += 4) {
      if (view.getInt32(at, true) !== this.#view.getInt32(from + at, true)) return false;
    }
    return view.getInt32(last, true) === this.#view.getInt32(from + last, true);
  }

  /** Finds the head that ends with the last `=` of the line. */
  #find(bytes: Buffer, from: number, to: number): Head | undefined {
    const end = bytes.indexOf(LINE_FEED, from);
    const least = Math.max(from, end - TAIL_BYTES_MAX);
    let valueFrom = end;
    while (valueFrom > least && bytes[valueFrom - 1] !== EQUALS) valueFrom -= 1;
    const head = this.#heads.get(hashOf(this.#view, from, valueFrom));
    const isSameLength = head?.view.byteLength === valueFrom - from;
    return head !== undefined && isSameLength && this.#repeats(head, from, to) ? head : undefined;
  }

  /** Position of the line feed after value and time; `Infinity` for anything else. */
  #readTail(from: number): number {
    const { bytes } = this.#tail;
    let at = from;
    while (isDigit(bytes[at]) || bytes[at] === POINT) at += 1;
    this.#tail.valueFrom = from;
    this.#tail.valueTo = at;
    this.#tail.timeFrom = at + 1;
    if (at === from || bytes[at] !== BLANK) return Infinity;
    at += 1;
    while (isDigit(bytes[at])) at += 1;
    this.#tail.timeTo = at;
    if (at === this.#tail.timeFrom || at - from > TAIL_BYTES_MAX) return Infinity;
    return bytes[at] === LINE_FEED ? at : Infinity;
  }
}
