import type { FailureKinds } from "../failure-kinds.ts";
import type { SampleSink } from "../decoder.ts";
import type { K6Measure, K6SampleTags } from "../k6/k6-measures.ts";
import {
  type K6Outcome,
  K6Parts,
  type K6RequestTags,
  NO_TAGS,
  PART_OF_TAG,
  TIME,
  VALUE,
  detailsOf,
  readOutcome,
} from "../k6/k6-tags.ts";
import { type MetricKind, protocolOf } from "../k6/k6-metrics.ts";
import { type K6LabelOptions, K6Samples, type PlainSample } from "../k6/k6-samples.ts";
import type { FacetedLabels } from "../labels/faceted-labels.ts";
import type { LabelTable } from "../labels/label-table.ts";
import type { RowRepairs } from "../row-repairs.ts";
import type { LinePoint } from "./line-point.ts";
import { measureTagsOf } from "./point-values.ts";
import { plainDecimal } from "../bytes/exact-number.ts";

export interface K6Metric {
  readonly name: string;
  readonly kind: MetricKind;
}

/** What points have in common that differ only in metric, value and time. */
export interface K6Head {
  readonly measureTags: K6SampleTags;
  /** By metric, as in the source `seriesOf`. */
  series: Map<K6Metric, number>;
  seriesOf: symbol | undefined;
  /** Bytes of the label. */
  readonly label: Uint8Array;
  /** `undefined` if requests cannot be read. */
  readonly outcome: K6Outcome | undefined;
  /** As in the source `tagsOf`. */
  tags: K6RequestTags;
  tagsOf: symbol | undefined;
}

export function headOf(point: LinePoint): K6Head {
  const parts = new K6Parts();
  parts.begin();
  putNamed(parts, point);
  const outcome = readOutcome(parts, protocolOf(point.measurement));
  const { bytes, from, to, labelPart } = parts;
  return {
    measureTags: tagsOf(point),
    series: new Map(),
    seriesOf: undefined,
    label: bytes.slice(from[labelPart], to[labelPart]),
    outcome: typeof outcome === "string" ? undefined : outcome,
    tags: NO_TAGS,
    tagsOf: undefined,
  };
}

/** Handles points of k6's InfluxDB outputs. */
export class LineK6 {
  readonly labels: LabelTable;
  readonly facets: FacetedLabels;
  /** Identifies the source in cached requests, which outlive its tables. */
  readonly #name = Symbol("source");
  readonly #samples: K6Samples;
  readonly #parts = new K6Parts();

  constructor(
    sink: SampleSink,
    labels: K6LabelOptions,
    parts: { readonly kinds: FailureKinds; readonly repairs: RowRepairs },
  ) {
    this.#samples = new K6Samples(sink, labels, parts);
    this.labels = this.#samples.labels;
    this.facets = this.#samples.facets;
  }

  /** Returns why a point cannot be used. */
  take(point: LinePoint, kind: MetricKind): string | undefined {
    const { measurement } = point;
    if (kind === "other") return this.#takeValue(point, measurement);
    if (kind === "outcome" && !this.#samples.isWaiting) return undefined;
    const parts = this.#parts;
    this.#put(point);
    if (kind === "request") {
      return (
        this.#samples.read(parts, measurement) ??
        this.#samples.record(
          parts,
          this.#labelOf(parts),
          () => tagsOf(point),
          () => detailsOf(tagsOf(point), {}),
        )
      );
    }
    if (kind === "users") this.#samples.recordUsers(parts);
    else {
      const label = this.#samples.seriesOf(this.#labelOf(parts), () => tagsOf(point));
      this.#samples.recordOutcome(parts, label);
    }
    return undefined;
  }

  /** Handles a sample of these tags. */
  takeAgain(metric: K6Metric, head: K6Head, sample: PlainSample): void {
    const { kind } = metric;
    if (kind === "outcome" && !this.#samples.isWaiting) return;
    if (kind === "other") {
      this.#takeValueAgain(metric, head, sample);
      return;
    }
    if (kind !== "users") this.#placeHead(head);
    this.#samples.takePlain(kind, sample, head.tags, () => detailsOf(head.measureTags, {}));
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

  /** A value without a readable time is counted as not stored. */
  #takeValue(point: LinePoint, metric: string): undefined {
    const parts = this.#parts;
    this.#put(point);
    const measure = this.#samples.measures.measureOf(metric);
    const label = measure.isPhase ? this.#samples.fitting(this.#labelOf(parts)) : undefined;
    const series = this.#seriesOf(measure, label, tagsOf(point));
    const named = label === undefined ? label : this.#samples.seriesOf(label, () => tagsOf(point));
    this.#samples.recordValue(parts, series, named);
  }

  #takeValueAgain(metric: K6Metric, head: K6Head, sample: PlainSample): void {
    const { measures } = this.#samples;
    const measure = measures.measureOf(metric.name);
    if (measure.isPhase) this.#placeHead(head);
    const label = measure.isPhase ? head.tags.label : undefined;
    if (head.seriesOf !== this.#name) {
      head.seriesOf = this.#name;
      head.series = new Map();
    }
    let series = head.series.get(metric);
    if (series === undefined) {
      const plain = label === undefined ? label : this.#samples.labelOf(label);
      series = this.#seriesOf(measure, plain, head.measureTags);
      head.series.set(metric, series);
    }
    this.#samples.takeValue(sample, series, label);
  }

  #seriesOf(measure: K6Measure, label: number | undefined, tags: K6SampleTags): number {
    return this.#samples.measures.seriesOf(measure, label, () => tags);
  }

  #placeHead(head: K6Head): void {
    if (head.tagsOf === this.#name && !this.labels.isOverLimit(head.tags.label)) return;
    const { label, outcome = NO_TAGS } = head;
    const index = this.labels.indexOf(label, 0, label.length);
    head.tags = { ...outcome, label: this.#samples.seriesOf(index, () => head.measureTags) };
    head.tagsOf = this.#name;
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

/** All tags but those that name the load test; k6 writes some as fields with a text. */
function tagsOf(point: LinePoint): K6SampleTags {
  const texts = [...point.fields()].filter(([, part]) => point.isText(part));
  return Object.fromEntries([
    ...texts.map(([name, part]) => [name, point.text(part)]),
    ...measureTagsOf(point),
  ]);
}

const EXPONENT = 0x65;

/** Expands exponents such as `1.5e+06`. */
function decimalOf(point: LinePoint, part: number): Uint8Array {
  const digits = point.value(part);
  return digits.includes(EXPONENT) ? Buffer.from(plainDecimal(point.text(part))) : digits;
}
