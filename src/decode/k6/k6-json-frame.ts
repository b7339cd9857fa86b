import type { K6Metrics, MetricKind } from "./k6-metrics.ts";

const QUOTE = 0x22;
const CLOSE_BRACE = 0x7d;

/** Since about v0.38: `{"metric":"vus","type":"Point","data":{…}}`. */
export const METRIC_FIRST = '{"metric":"';
export const BEFORE_DATA = '","type":"Point","data":';
/** Before: `{"type":"Point","data":{…},"metric":"vus"}`. */
const METRIC_LAST = '{"type":"Point","data":';
const BEHIND_DATA = ',"metric":"';

export const SHORTEST_LINE = METRIC_LAST.length;

/** Longer names are not recognised. */
const NAME_BYTES_MAX = 256;

/** Parses what surrounds the `data` object of a point. */
export class K6JsonFrame {
  /** Bounds of `data`. */
  dataFrom = 0;
  dataTo = 0;
  readonly #metrics: K6Metrics;

  constructor(metrics: K6Metrics) {
    this.#metrics = metrics;
  }

  /** Kind of metric of the line `[from, to)`; `undefined` for other forms. */
  kindOf(bytes: Uint8Array, from: number, to: number): MetricKind | undefined {
    if (to - from < SHORTEST_LINE || bytes[to - 1] !== CLOSE_BRACE) return undefined;
    if (isAt(bytes, from, METRIC_FIRST)) return this.#metricFirst(bytes, from, to);
    return isAt(bytes, from, METRIC_LAST) ? this.#metricLast(bytes, from, to) : undefined;
  }

  #metricFirst(bytes: Uint8Array, from: number, to: number): MetricKind | undefined {
    const kind = this.#metrics.kindOfNameAt(bytes, from + METRIC_FIRST.length);
    if (kind === undefined || kind === "other") return kind;
    const nameTo = this.#metrics.end;
    if (nameTo >= to || !isAt(bytes, nameTo, BEFORE_DATA)) return undefined;
    this.dataFrom = nameTo + BEFORE_DATA.length;
    this.dataTo = to - 1;
    return kind;
  }

  #metricLast(bytes: Uint8Array, from: number, to: number): MetricKind | undefined {
    const nameTo = to - 2;
    if (bytes[nameTo] !== QUOTE) return undefined;
    const limit = Math.max(from, nameTo - NAME_BYTES_MAX);
    let nameFrom = nameTo;
    while (nameFrom > limit && bytes[nameFrom - 1] !== QUOTE) nameFrom -= 1;
    this.dataFrom = from + METRIC_LAST.length;
    this.dataTo = nameFrom - BEHIND_DATA.length;
    if (this.dataTo < this.dataFrom || !isAt(bytes, this.dataTo, BEHIND_DATA)) return undefined;
    return this.#metrics.kindOfNameAt(bytes, nameFrom);
  }
}

function isAt(bytes: Uint8Array, from: number, literal: string): boolean {
  for (let at = 0; at < literal.length; at++) {
    if (bytes[from + at] !== literal.charCodeAt(at)) return false;
  }
  return true;
}
