import { MEASURE_TAGS_MAX } from "../../model/measures/measure-table.ts";
import {
  type Json,
  attributeText,
  enumOf,
  jsonOf,
  listOf,
  numberOf,
  textOf,
  wideOf,
} from "./json-values.ts";

interface MetricOrigin {
  /** Name of the service; empty if it has none. */
  readonly service: string;
  readonly scope: string;
  /** Those of the resource. @default none */
  readonly attributes?: ReadonlyMap<string, string>;
  readonly tags: readonly (readonly [name: string, value: string])[];
  /** Tells apart processes that send the same series. */
  readonly process: string;
}

/** One value of a metric for one combination of attributes. */
export interface MetricPoint {
  readonly origin: MetricOrigin;
  readonly name: string;
  readonly unit: string;
  /** `undefined` if an attribute is a list or a map. */
  readonly tags: readonly (readonly [name: string, value: string])[] | undefined;
  /** Nanoseconds since the epoch; 0: unknown. */
  readonly startNanos: bigint;
  readonly timeNanos: bigint;
  /** Whether the value counts from `startNanos` on, rather than from the point before. */
  readonly isCumulative: boolean;
  /** Whether the load test was under way at `startNanos`. @default not known */
  readonly isWithin?: boolean;
  /** Whether the sender says that the total began again after the point before. @default not known */
  readonly hasReset?: boolean;
  readonly data: MetricData;
}

type MetricData =
  | { readonly kind: "gauge"; readonly value: number }
  | { readonly kind: "sum"; readonly value: number; readonly isMonotonic: boolean }
  | ({ readonly kind: "histogram" } & HistogramData)
  | ({ readonly kind: "summary" } & SummaryData);

export interface HistogramData {
  readonly count: number;
  readonly sum: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** `undefined` for explicit bounds, which are too wide for percentiles. */
  readonly buckets: ExponentialBuckets | undefined;
}

/** Bucket i of a sign has values from base^i to base^(i + 1), base = 2^(2^-scale). */
export interface ExponentialBuckets {
  readonly scale: number;
  readonly zeroCount: number;
  readonly positive: ReadonlyMap<number, number>;
  readonly negative: ReadonlyMap<number, number>;
}

interface SummaryData {
  readonly count: number;
  readonly sum: number;
}

/** Attributes of a resource that identify servers and services, and do not change with each start. */
const RESOURCE_TAGS = ["service.name", "host.name", "k8s.pod.name", "container.name"];

/** `AggregationTemporality`, by number. */
const TEMPORALITIES = [
  "AGGREGATION_TEMPORALITY_UNSPECIFIED",
  "AGGREGATION_TEMPORALITY_DELTA",
  "AGGREGATION_TEMPORALITY_CUMULATIVE",
];
const DELTA = 1;
const CUMULATIVE = 2;
const NO_VALUE = 1n;

/** Of a point that cannot be used. The protocol forbids to use one of which it is not known whether it is a total. */
export type PointFault = "unknown-temporality" | "too-long" | "fractions" | "untimed";

/** Yields each point, and `undefined` now and then; those without a value are left out. */
export function* metricPoints(
  lists: Iterable<PointList | undefined>,
): Generator<MetricPoint | PointFault | undefined> {
  let before: { readonly resource: Json; readonly origin: MetricOrigin } | undefined;
  for (const list of lists) {
    if (list === undefined) yield undefined;
    else {
      const { resource, scope } = list;
      if (before?.resource !== resource) {
        before = { resource, origin: originOf(resource, scope) };
      } else if (before.origin.scope !== scope) {
        // Resources can be long, and have many scopes.
        before = { resource, origin: { ...before.origin, scope } };
      }
      yield* pointsOf(before.origin, list);
    }
  }
}

function originOf(resource: Json, scope: string): MetricOrigin {
  const pairs = listOf(resource["attributes"]).map((each) => {
    const { key, value } = jsonOf(each);
    return [textOf(key), attributeText(value)] as const;
  });
  const attributes = new Map(pairs.map(([name, value = ""]) => [name, value]));
  const tags = RESOURCE_TAGS.flatMap((name) => {
    const value = attributes.get(name) ?? "";
    return value === "" || value.startsWith("unknown_service") ? [] : [[name, value] as const];
  });
  const service = attributes.get("service.name") ?? "";
  return { service, scope, attributes, tags, process: JSON.stringify(pairs) };
}

type Read = (point: Json, shared: Json) => MetricData | "too-long" | undefined;

const READ: Readonly<Record<MetricKind, Read>> = {
  gauge: readGauge,
  sum: readSum,
  histogram: readHistogram,
  exponentialHistogram: readExponential,
  summary: readSummary,
};

function* pointsOf(
  origin: MetricOrigin,
  { names, kind, shared, points }: PointList,
): Generator<MetricPoint | PointFault | undefined> {
  const [name, unit] = [textOf(names["name"]), textOf(names["unit"])];
  const temporality = temporalityOf(kind, shared);
  const isKnown = temporality === DELTA || temporality === CUMULATIVE;
  for (const point of points) {
    if (point === "too-long") {
      yield point;
      continue;
    }
    const hasValue = (wideOf(point["flags"]) & NO_VALUE) === 0n;
    const data = hasValue ? READ[kind](point, shared) : undefined;
    if (data === undefined || data === "too-long") yield data;
    else if (isKnown) {
      const whole = {
        origin,
        name,
        unit,
        tags: tagsOf(point["attributes"]),
        startNanos: wideOf(point["startTimeUnixNano"]),
        timeNanos: wideOf(point["timeUnixNano"]),
        isCumulative: temporality === CUMULATIVE,
        data,
      };
      yield origin.scope === ARTILLERY ? atItsPeriod(whole) : whole;
      if (kind === "summary") yield* quantilesOf(whole, point["quantileValues"]);
    } else yield "unknown-temporality";
  }
}

/** Gauges are as their last point says, and summaries are totals. */
function temporalityOf(kind: MetricKind, { aggregationTemporality }: Json): number {
  if (kind === "gauge") return DELTA;
  return kind === "summary" ? CUMULATIVE : enumOf(aggregationTemporality, TEMPORALITIES);
}

const ARTILLERY = "Artillery.io_metrics";
const NANOS_PER_MILLI = 1_000_000n;

/** Artillery writes the period of a point, in ms, as attributes: each would be a separate series. */
function atItsPeriod(point: MetricPoint): MetricPoint {
  const { tags = [] } = point;
  const nanosOf = (name: string): bigint | undefined => {
    const millis = wideOf(tags.find(([tag]) => tag === name)?.[1]);
    return millis > 0n ? millis * NANOS_PER_MILLI : undefined;
  };
  return {
    ...point,
    tags: tags.filter(([tag]) => tag !== "startTime" && tag !== "endTime"),
    startNanos: nanosOf("startTime") ?? point.startNanos,
    timeNanos: nanosOf("startTime") ?? point.timeNanos,
    isWithin: nanosOf("startTime") !== undefined,
  };
}

function tagsOf(attributes: unknown): MetricPoint["tags"] {
  const tags: (readonly [string, string])[] = [];
  for (const each of listOf(attributes)) {
    const { key, value } = jsonOf(each);
    const text = attributeText(value);
    if (text === undefined) return undefined;
    tags.push([textOf(key), text]);
  }
  return tags;
}

function valueOf(point: Json): number | undefined {
  return numberOf(point["asDouble"]) ?? numberOf(point["asInt"]);
}

function readGauge(point: Json): MetricData | undefined {
  const value = valueOf(point);
  return value === undefined ? undefined : { kind: "gauge", value };
}

function readSum(point: Json, { isMonotonic }: Json): MetricData | undefined {
  const value = valueOf(point);
  return value === undefined
    ? undefined
    : { kind: "sum", value, isMonotonic: isMonotonic === true };
}

function readHistogram(point: Json): MetricData {
  return { kind: "histogram", ...histogramOf(point), buckets: undefined };
}

function readExponential(point: Json): MetricData | "too-long" {
  const lists = [point["positive"], point["negative"]].map((each) => jsonOf(each)["bucketCounts"]);
  if (lists.some((list) => listOf(list).length > BUCKETS_MAX)) return "too-long";
  const buckets = {
    scale: Number(wideOf(point["scale"])),
    zeroCount: Number(wideOf(point["zeroCount"])),
    positive: bucketsOf(jsonOf(point["positive"])),
    negative: bucketsOf(jsonOf(point["negative"])),
  };
  return { kind: "histogram", ...histogramOf(point), buckets };
}

function histogramOf(point: Json): Omit<HistogramData, "buckets"> {
  return {
    count: Number(wideOf(point["count"])),
    sum: numberOf(point["sum"]),
    min: numberOf(point["min"]),
    max: numberOf(point["max"]),
  };
}

function bucketsOf({ offset, bucketCounts }: Json): ReadonlyMap<number, number> {
  const first = Number(wideOf(offset));
  const counts = new Map<number, number>();
  for (const [index, each] of listOf(bucketCounts).entries()) {
    const count = Number(wideOf(each));
    if (count > 0) counts.set(first + index, count);
  }
  return counts;
}

function readSummary(point: Json): MetricData {
  const [count, sum] = [Number(wideOf(point["count"])), numberOf(point["sum"]) ?? 0];
  return { kind: "summary", count, sum };
}

/** Yields each quantile of a summary as a gauge, one at a time: there may be very many. */
function* quantilesOf(summary: MetricPoint, values: unknown): Generator<MetricPoint | undefined> {
  const { tags } = summary;
  for (const each of listOf(values)) {
    const [quantile, value] = [jsonOf(each)["quantile"] ?? 0, jsonOf(each)["value"] ?? 0].map(
      numberOf,
    );
    if (quantile === undefined || value === undefined) yield undefined;
    else {
      // With more tags than a measure may have, none are of use.
      const isReadable = tags !== undefined && tags.length < MEASURE_TAGS_MAX;
      const own = isReadable ? ([...tags, ["quantile", String(quantile)]] as const) : undefined;
      yield { ...summary, tags: own, isCumulative: false, data: { kind: "gauge", value } };
    }
  }
}

/** Elements of all lists of a body. */
export const ELEMENTS_MAX = 1_000_000;

/** Elements of all lists of a span, point, series or resource: as it is read at once, more would occupy the event loop. */
export const RECORD_ELEMENTS_MAX = 64 * 1024;

/** Of a histogram, for each sign. OpenTelemetry's SDKs send at most 160; a native histogram at the finest scale has 10,200 over twelve decades. */
export const BUCKETS_MAX = 20_000;

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
  readonly scope: string;
  /** `name` and `unit`. */
  readonly names: Json;
  readonly kind: MetricKind;
  /** `aggregationTemporality` and `isMonotonic`. */
  readonly shared: Json;
  /** To be read once; `too-long` for one of over `RECORD_BYTES_MAX`. */
  readonly points: Iterable<Json | "too-long">;
}
