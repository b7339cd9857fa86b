import type { FailureKinds } from "../failure-kinds.ts";
import type { LabelOptions, SampleSink } from "../decoder.ts";
import type { MetricKind } from "../k6/k6-metrics.ts";
import { K6Parts, PART_OF_TAG, TIME, VALUE } from "../k6/k6-parts.ts";
import { K6Samples } from "../k6/k6-samples.ts";
import type { LabelTable } from "../labels/label-table.ts";
import type { LinePoint } from "./line-point.ts";
import { plainDecimal } from "../bytes/exact-number.ts";
import type { LineTail } from "./line-measurements.ts";

/** A request without value and time. */
export interface K6Request {
  readonly parts: K6Parts;
  /** Label index in the source `labelOf`. */
  label: number;
  labelOf: symbol | undefined;
}

const REQUEST_BYTES = 512;

/** For points that differ only in value and time. */
export function requestOf(point: LinePoint): K6Request {
  const parts = new K6Parts(REQUEST_BYTES);
  parts.begin();
  putNamed(parts, point);
  parts.save();
  return { parts, label: 0, labelOf: undefined };
}

/** Handles points of k6's InfluxDB outputs. */
export class LineK6 {
  readonly labels: LabelTable;
  /** Identifies the source in cached requests, which outlive its tables. */
  readonly #name = Symbol("source");
  readonly #samples: K6Samples;
  readonly #parts = new K6Parts();

  constructor(sink: SampleSink, labels: LabelOptions | undefined, kinds: FailureKinds) {
    this.#samples = new K6Samples(sink, labels, { kinds });
    this.labels = this.#samples.labels;
  }

  /** Returns why a point cannot be used. */
  take(point: LinePoint, kind: Exclude<MetricKind, "other">): string | undefined {
    if (kind === "outcome" && !this.#samples.isWaiting) return undefined;
    const parts = this.#parts;
    this.#put(point);
    if (kind === "request") {
      return this.#samples.read(parts) ?? this.#samples.record(parts, this.#labelOf(parts));
    }
    if (kind === "users") this.#samples.recordUsers(parts);
    else this.#samples.recordOutcome(parts, this.#labelOf(parts));
    return undefined;
  }

  /** Handles a point that differs in value and time. Returns whether it could; if not, nothing has changed. */
  takeAgain(
    kind: "request" | "outcome",
    request: K6Request,
    { bytes, valueFrom, valueTo, timeFrom, timeTo }: LineTail,
  ): boolean {
    if (kind === "outcome" && !this.#samples.isWaiting) return true;
    const { parts } = request;
    parts.restore();
    parts.putRange(TIME, bytes, timeFrom, timeTo);
    parts.putRange(VALUE, bytes, valueFrom, valueTo);
    if (kind === "request" && this.#samples.read(parts) !== undefined) return false;
    if (request.labelOf !== this.#name || this.labels.isOverLimit(request.label)) {
      request.label = this.#labelOf(parts);
      request.labelOf = this.#name;
    }
    if (kind === "request") return this.#samples.record(parts, request.label) === undefined;
    this.#samples.recordOutcome(parts, request.label);
    return true;
  }

  flush(): void {
    this.#samples.flush();
  }

  end(): readonly string[] {
    return this.#samples.end();
  }

  release(): void {
    this.#samples.release();
  }

  #labelOf({ bytes, from, to, labelPart }: K6Parts): number {
    return this.labels.indexOf(bytes, from[labelPart] as number, to[labelPart] as number);
  }

  #put(point: LinePoint): void {
    const parts = this.#parts;
    parts.begin();
    parts.put(TIME, point.time);
    const value = point.field("value");
    if (value !== undefined) parts.put(VALUE, decimalOf(point, value));
    putNamed(parts, point);
  }
}

/** k6 can write tags as fields of the same name, by default `url`. */
function putNamed(parts: K6Parts, point: LinePoint): void {
  for (const [name, part] of PART_OF_TAG) {
    const found = point.tag(name) ?? point.field(name);
    if (found !== undefined) parts.put(part, point.value(found));
  }
}

const EXPONENT = 0x65;

/** Expands exponents such as `1.5e+06`. */
function decimalOf(point: LinePoint, part: number): Uint8Array {
  const digits = point.value(part);
  return digits.includes(EXPONENT) ? Buffer.from(plainDecimal(point.text(part))) : digits;
}
