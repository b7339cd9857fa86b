import type { FailureKinds } from "./failure-kinds.ts";
import type { SampleSink } from "./decoder.ts";
import type { MetricKind } from "./k6-metrics.ts";
import {
  K6Parts,
  ERROR,
  ERROR_CODE,
  EXPECTED,
  NAME,
  STATUS,
  TIME,
  URL,
  VALUE,
} from "./k6-parts.ts";
import { K6Samples } from "./k6-samples.ts";
import type { LabelTable } from "./label-table.ts";
import type { LinePoint } from "./line-point.ts";
import { plainDecimal } from "./plain-decimal.ts";

/** k6 writes a tag as a field of the same name where it was told to, `url` by default. */
const PARTS: readonly (readonly [name: string, part: number])[] = [
  ["name", NAME],
  ["url", URL],
  ["expected_response", EXPECTED],
  ["error", ERROR],
  ["error_code", ERROR_CODE],
  ["status", STATUS],
];

/** Takes the points of k6's InfluxDB outputs, by the rules of all outputs of k6. */
export class LineK6 {
  readonly labels: LabelTable;
  readonly #samples: K6Samples;
  readonly #parts = new K6Parts();

  constructor(sink: SampleSink, kinds: FailureKinds) {
    this.#samples = new K6Samples(sink, kinds);
    this.labels = this.#samples.labels;
  }

  /** Takes a point of a metric that matters here. Answers why it cannot be used. */
  take(point: LinePoint, kind: Exclude<MetricKind, "other">): string | undefined {
    if (kind === "outcome" && !this.#samples.isWaiting) return undefined;
    const parts = this.#parts;
    this.#put(point);
    if (kind === "request") {
      return this.#samples.read(parts) ?? this.#samples.record(parts, this.#label());
    }
    if (kind === "users") this.#samples.tellUsers(parts);
    else this.#samples.judge(parts, this.#label());
    return undefined;
  }

  flush(): void {
    this.#samples.flush();
  }

  /** Hands over what is left. What a reader of the numbers should know. */
  end(): readonly string[] {
    return this.#samples.end();
  }

  #label(): number {
    const { bytes, from, to, labelPart } = this.#parts;
    return this.labels.indexOf(bytes, from[labelPart] as number, to[labelPart] as number);
  }

  #put(point: LinePoint): void {
    const parts = this.#parts;
    parts.begin();
    parts.put(TIME, point.time);
    const value = point.field("value");
    if (value !== undefined) parts.put(VALUE, decimalOf(point, value));
    for (const [name, part] of PARTS) {
      const found = point.tag(name) ?? point.field(name);
      if (found !== undefined) parts.put(part, point.value(found));
    }
  }
}

const EXPONENT = 0x65;

/** Digits as they are; `1.5e+06`, as Go may write a large number, without its exponent. */
function decimalOf(point: LinePoint, part: number): Uint8Array {
  const digits = point.value(part);
  return digits.includes(EXPONENT) ? Buffer.from(plainDecimal(point.text(part))) : digits;
}
