import { RECORD_BYTES_MAX } from "../decoder.ts";
import { errorMessage, UserError } from "../../model/errors.ts";
import { type Json, jsonOf, listOf, numberOf, textOf, wideOf } from "../otlp/json-values.ts";
import {
  BUCKETS_MAX,
  type ExponentialBuckets,
  type MetricPoint,
  type PointFault,
  RECORD_ELEMENTS_MAX,
} from "../otlp/metric-points.ts";
import { type Message, protoRecords, protoTexts } from "../otlp/proto-objects.ts";
import { ProtoError } from "../otlp/proto-reader.ts";
import { measureUnitOf, totalName } from "../measures/metric-names.ts";

/** Versions of Prometheus' remote write, whose messages differ. */
export type RemoteWriteForm = "1.0" | "2.0";

const LABEL: Message = { 1: ["name", "text"], 2: ["value", "text"] };
const SAMPLE: Message = { 1: ["value", "double"], 2: ["timestamp", "int64"] };
const SPAN: Message = { 1: ["offset", "sint"], 2: ["length", "uint64"] };
const HISTOGRAM: Message = {
  1: ["count", "uint64"],
  2: ["fractions", "double"],
  3: ["sum", "double"],
  4: ["schema", "sint"],
  6: ["zeroCount", "uint64"],
  8: ["negativeSpans[]", SPAN],
  9: ["negativeDeltas[]", "sint"],
  11: ["positiveSpans[]", SPAN],
  12: ["positiveDeltas[]", "sint"],
  14: ["resetHint", "uint64"],
  15: ["timestamp", "int64"],
};

/** Where each version has its series, and what these have. */
const SERIES: Readonly<Record<RemoteWriteForm, readonly [field: number, series: Message]>> = {
  "1.0": [1, { 1: ["labels[]", LABEL], 2: ["samples[]", SAMPLE], 4: ["histograms[]", HISTOGRAM] }],
  "2.0": [
    5,
    {
      1: ["labelsRefs[]", "uint64"],
      2: ["samples[]", SAMPLE],
      3: ["histograms[]", HISTOGRAM],
      5: ["metadata", { 1: ["type", "uint64"], 4: ["unitRef", "uint64"] }],
    },
  ],
};
/** Where version 2.0 has the texts that series refer to. */
const SYMBOLS = 4;

/** Of a series. Prometheus' targets have about ten, and a measure at most 16. */
const LABELS_MAX = 200;

/** Text for remarks. */
export const SERIES_LIMITS = `1 MiB, ${LABELS_MAX} labels or ${RECORD_ELEMENTS_MAX.toLocaleString("en-US")} values`;

const COUNTER = 1n;

/** Values of `resetHint`. */
const [RESET, GAUGE_HISTOGRAM] = [1n, 3n];

/** Scales of buckets whose bounds are powers; -53 has bounds of its own. */
const SCHEMA_MIN = -4;

/** Labels that name the load test, the first one that a series has. */
export const LOAD_TEST_LABELS: readonly string[] = ["load_test", "testid"];

export interface WrittenSeries {
  readonly name: string;
  readonly unit: string;
  readonly tags: readonly (readonly [name: string, value: string])[];
  /** What its labels say; `undefined`: nothing. */
  readonly loadTest: string | undefined;
  readonly samples: readonly Json[];
  readonly histograms: readonly Json[];
}

/** Yields the texts that series of version 2.0 refer to, once for all `readSeries` of a body. Throws `bad-batch`. */
export function readSymbols(body: Uint8Array, form: RemoteWriteForm): Generator<string> {
  return checked(form === "2.0" ? protoTexts(body, SYMBOLS) : none(), form);
}

function* none(): Generator<string> {}

/** Reads the series of a `WriteRequest` (1.0) or `Request` (2.0). Throws `bad-batch`. */
export function readSeries(
  body: Uint8Array,
  form: RemoteWriteForm,
  symbols: readonly string[],
): Generator<WrittenSeries | "too-long"> {
  return checked(allSeries(body, form, symbols), form);
}

function* allSeries(
  body: Uint8Array,
  form: RemoteWriteForm,
  symbols: readonly string[],
): Generator<WrittenSeries | "too-long"> {
  for (const given of protoRecords(body, ...SERIES[form])) {
    yield given === "too-long" ? given : seriesOf(given, symbols);
  }
}

function* checked<Item>(items: Generator<Item>, form: RemoteWriteForm): Generator<Item> {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof ProtoError)) throw error;
    const reason = errorMessage(error);
    throw new UserError("bad-batch", `cannot read the body as remote write ${form}: ${reason}`);
  }
}

function seriesOf(given: Json, symbols: readonly string[]): WrittenSeries | "too-long" {
  const { labels, labelsRefs, samples, histograms, metadata } = given;
  const symbol = (ref: unknown): string => symbols[Number(wideOf(ref))] ?? "";
  if (listOf(labels).length + listOf(labelsRefs).length / 2 > LABELS_MAX) return "too-long";
  const refs = listOf(labelsRefs).map(symbol);
  const pairs = [
    ...listOf(labels).map(
      (each) => [textOf(jsonOf(each)["name"]), textOf(jsonOf(each)["value"])] as const,
    ),
    ...refs.flatMap((name, at) => (at % 2 === 0 ? [[name, refs[at + 1] ?? ""] as const] : [])),
  ];
  const { type, unitRef } = jsonOf(metadata);
  // Many series, or labels, may refer to one long text.
  const characters = pairs.reduce((sum, [label, value]) => sum + label.length + value.length, 0);
  if (characters > RECORD_BYTES_MAX) return "too-long";
  const named = new Map(pairs);
  const name = named.get("__name__") ?? "";
  return {
    name: wideOf(type) === COUNTER ? totalName(name) : name,
    unit: measureUnitOf(name, symbol(unitRef)),
    tags: pairs.filter(([label]) => label !== "__name__"),
    loadTest: LOAD_TEST_LABELS.map((label) => named.get(label)).find((id) => id !== undefined),
    samples: listOf(samples).map(jsonOf),
    histograms: listOf(histograms).map(jsonOf),
  };
}

/** Yields the points of a series: samples as gauges, as they are; `undefined` for one without a value, such as a stale one. */
export function* pointsOf({
  name,
  unit,
  tags,
  samples,
  histograms,
}: WrittenSeries): Generator<MetricPoint | PointFault | undefined> {
  const service = name.startsWith("k6_") ? "k6" : "";
  const origin = { service, scope: "", tags: [], process: "" };
  const about = { origin, name, unit, tags, startNanos: 0n };
  for (const sample of samples) {
    const value = numberOf(sample["value"] ?? 0);
    if (value === undefined || Number.isNaN(value)) yield undefined;
    else {
      const data = { kind: "gauge", value } as const;
      yield { ...about, timeNanos: nanosOf(sample), isCumulative: false, data };
    }
  }
  for (const histogram of histograms) {
    const sum = numberOf(histogram["sum"] ?? 0);
    const deltas = [histogram["positiveDeltas"], histogram["negativeDeltas"]];
    if (histogram["fractions"] !== undefined) yield "fractions";
    else if (deltas.some((list) => listOf(list).length > BUCKETS_MAX)) yield "too-long";
    else if (Number.isNaN(sum) && wideOf(histogram["count"]) === 0n) yield undefined;
    else {
      const hint = wideOf(histogram["resetHint"]);
      const resets = { isCumulative: hint !== GAUGE_HISTOGRAM, hasReset: hint === RESET };
      const count = Number(wideOf(histogram["count"]));
      const buckets = bucketsOf(histogram);
      const extremes = { min: undefined, max: undefined };
      const data = { kind: "histogram", count, sum, buckets, ...extremes } as const;
      yield { ...about, timeNanos: nanosOf(histogram), ...resets, data };
    }
  }
}

const NANOS_PER_MILLI = 1_000_000n;

function nanosOf({ timestamp }: Json): bigint {
  return wideOf(timestamp) * NANOS_PER_MILLI;
}

function bucketsOf(histogram: Json): ExponentialBuckets | undefined {
  const scale = Number(wideOf(histogram["schema"]));
  if (scale < SCHEMA_MIN) return undefined;
  return {
    scale,
    zeroCount: Number(wideOf(histogram["zeroCount"])),
    positive: countsOf(histogram["positiveSpans"], histogram["positiveDeltas"]),
    negative: countsOf(histogram["negativeSpans"], histogram["negativeDeltas"]),
  };
}

/** Each count is the difference to that of the bucket before. A bucket is numbered by its upper bound, here by its lower one. */
function countsOf(spans: unknown, deltas: unknown): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  const left = listOf(deltas).values();
  let [index, count] = [-1, 0];
  for (const span of listOf(spans).map(jsonOf)) {
    index += Number(wideOf(span["offset"]));
    for (let length = wideOf(span["length"]); length > 0n; length -= 1n) {
      const next = left.next();
      if (next.done === true) return counts;
      count += Number(wideOf(next.value));
      if (count !== 0) counts.set(index, count);
      index += 1;
    }
  }
  return counts;
}
