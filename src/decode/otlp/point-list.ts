import type { Json } from "./json-values.ts";

/** Elements of all lists of a body. */
export const ELEMENTS_MAX = 1_000_000;

/** The members of a metric in OTLP/JSON that have its points. */
export const METRIC_KINDS = [
  "gauge",
  "sum",
  "histogram",
  "exponentialHistogram",
  "summary",
] as const;

export type MetricKind = (typeof METRIC_KINDS)[number];

/** The points of a metric, in the form of OTLP/JSON. */
export interface PointList {
  readonly resource: Json;
  /** Name of the instrumentation scope. */
  readonly scope: string;
  /** `name` and `unit`. */
  readonly names: Json;
  readonly kind: MetricKind;
  /** `aggregationTemporality` and `isMonotonic`. */
  readonly shared: Json;
  /** To be read once; `too-long` for one of over `RECORD_BYTES_MAX`. */
  readonly points: Iterable<Json | "too-long">;
}
