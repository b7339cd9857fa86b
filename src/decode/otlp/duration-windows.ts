import { SECOND_LIMIT } from "../../model/columns.ts";
import { SENT_COUNT_MAX } from "../../model/exact.ts";
import type { FailureKind } from "../../model/failures.ts";
import type { SampleWindow } from "../../model/sample-batch.ts";
import type { FacetOptions, SampleSink } from "../decoder.ts";
import { FailureKinds, hasFailedStatus } from "../failure-kinds.ts";
import { k6FacetOf } from "../../model/series/facets.ts";
import { FacetedLabels } from "../labels/faceted-labels.ts";
import { LABEL_TOO_LONG, LabelTable, labelTooLong } from "../labels/label-table.ts";
import type { Increase } from "./cumulative.ts";
import type { HistogramData, MetricPoint, ExponentialBuckets } from "./metric-points.ts";
import { SPAN_FACETS } from "./span.ts";

/** Histograms of a load tool's requests: its own, or that of its HTTP client. */
export type HistogramDescription = "otlp-tool-histogram" | "otlp-client-histogram";

const LOCUST_HISTOGRAM = "locust.client.duration";
/** Users may set a prefix of all names; to Prometheus, names end with the unit. */
const K6_HISTOGRAM = /(?:^|[^a-z0-9])http_req_duration(?:_seconds)?$/i;
/** Characters at the end of a name, which may be very long, that tell whether it is that of k6. */
const K6_CHARACTERS = 40;
const CLIENT_HISTOGRAMS: ReadonlySet<string> = new Set([
  "http.client.request.duration",
  "http.client.duration",
]);

const NANOS_PER_SECOND = 1_000_000_000n;
const MICROS_PER_UNIT: Readonly<Record<string, number>> = { s: 1e6, ms: 1e3, us: 1 };
const WINDOW_SECONDS_MAX = 65_535;
const FAILED_FROM = 400;

/** Which description of requests a point is part of; `undefined`: none. */
export function descriptionOf({
  name,
  origin,
  data,
  unit,
}: MetricPoint): HistogramDescription | undefined {
  if (data.kind !== "histogram" || !isLoadTool(origin.service, origin.scope)) return undefined;
  if (MICROS_PER_UNIT[unit] === undefined) return undefined;
  const isOfTool = name === LOCUST_HISTOGRAM || isOfK6(name);
  if (isOfTool) return "otlp-tool-histogram";
  return CLIENT_HISTOGRAMS.has(name) ? "otlp-client-histogram" : undefined;
}

function isOfK6(name: string): boolean {
  return K6_HISTOGRAM.test(name.slice(-K6_CHARACTERS));
}

export class DurationWindows {
  readonly labels = new LabelTable();
  readonly kinds = new FailureKinds();
  readonly #sink: SampleSink;
  readonly facets: FacetedLabels;
  #count = 0;

  constructor(sink: SampleSink, facets: FacetOptions | undefined) {
    this.#sink = sink;
    this.facets = new FacetedLabels(this.labels, facets);
  }

  /** Records what was added since `increase.sinceNanos`. */
  take(point: MetricPoint, increase: DurationIncrease): void {
    this.#count += 1;
    if (increase.count === 0) return;
    const reason = this.#record(point, increase);
    if (reason === undefined) return;
    this.#sink.reject({ line: this.#count, byte: 0, reason: `metric ${point.name}: ${reason}` });
  }

  #storable(label: number): number {
    if (label !== LABEL_TOO_LONG) return label;
    this.#sink.repair("label-shortened", { line: this.#count, byte: 0, reason: labelTooLong() });
    return this.labels.indexOfTooLong();
  }

  #untimed({ count, sum }: DurationIncrease, hasFailed: boolean): Times {
    const reason = `got the sum ${sum}, want sum, extremes and buckets from 0 to 2^53 µs`;
    this.#sink.repair("time-unknown", { line: this.#count, byte: 0, reason });
    return {
      elapsedMicros: 0,
      minMicros: undefined,
      maxMicros: undefined,
      latencies: [],
      untimedRequests: count,
      untimedFailedRequests: hasFailed ? count : 0,
    };
  }

  #record(
    { name, origin, unit, tags = [], timeNanos }: MetricPoint,
    increase: DurationIncrease,
  ): string | undefined {
    const requests = increase.count;
    if (!(requests >= 0 && requests <= SENT_COUNT_MAX)) {
      return `got the count ${requests}, want a number from 0 to 2^40 - 1`;
    }
    const window = windowOf(increase.sinceNanos, timeNanos);
    if (window === undefined) return "want a time from 1970 to 2106";
    const named = new Map(tags);
    const label = this.#storable(this.labels.indexOfText(labelOf(named)));
    const series = this.facets.seriesBy(label, SPAN_FACETS, (facet) => {
      const value = named.get(facet) ?? origin.attributes?.get(facet) ?? "";
      return isOfK6(name) ? k6FacetOf(facet, value) : value;
    });
    const failure = isOfK6(name) ? failureOfK6(named) : failureOf(named);
    const hasFailed = failure !== undefined;
    const times =
      timesOf(increase, MICROS_PER_UNIT[unit] ?? 1) ?? this.#untimed(increase, hasFailed);
    const { elapsedMicros } = times;
    this.#sink.recordWindow({
      ...times,
      ...window,
      requests,
      label: series,
      receivedBytes: 0,
      failedRequests: hasFailed ? requests : 0,
      failedElapsedMicros: hasFailed ? elapsedMicros : 0,
      failedReceivedBytes: 0,
    });
    if (failure !== undefined) {
      const kind = this.kinds.numberOf(label, failure.code, failure.message);
      this.#sink.recordFailure(series, window.second, kind, requests);
    }
    return undefined;
  }
}

/** `undefined` if it cannot be stored. */
function windowOf(
  sinceNanos: bigint,
  untilNanos: bigint,
): Pick<SampleWindow, "second" | "windowSeconds"> | undefined {
  const second = Number((sinceNanos > 0n ? sinceNanos : untilNanos) / NANOS_PER_SECOND);
  const until = Number((untilNanos + NANOS_PER_SECOND - 1n) / NANOS_PER_SECOND);
  if (second < 1 || until >= SECOND_LIMIT) return undefined;
  return { second, windowSeconds: Math.min(WINDOW_SECONDS_MAX, Math.max(1, until - second)) };
}

/** `undefined` for requests that passed. */
function failureOf(tags: ReadonlyMap<string, string>): FailureKind | undefined {
  const code = tags.get("http.response.status_code") ?? tags.get("http.status_code") ?? "";
  const error = tags.get("error.type") ?? "";
  if (error === "" && !(Number(code) >= FAILED_FROM)) return undefined;
  return { code, message: error === code ? "" : error };
}

/** As in k6's other outputs: the status decides only where k6 does not. */
function failureOfK6(tags: ReadonlyMap<string, string>): FailureKind | undefined {
  const textOf = (name: string): string => tags.get(name) ?? "";
  const [status, expected, message] = ["status", "expected_response", "error"].map(textOf) as [
    string,
    string,
    string,
  ];
  const isMarked = expected !== "" || message !== "";
  const isFailed = isMarked
    ? expected === "false" || message !== ""
    : status !== "" && hasFailedStatus(Number(status));
  if (!isFailed) return undefined;
  return { code: Number(status) > 0 ? status : textOf("error_code"), message };
}

type Times = Pick<
  SampleWindow,
  | "elapsedMicros"
  | "minMicros"
  | "maxMicros"
  | "latencies"
  | "untimedRequests"
  | "untimedFailedRequests"
>;

function isStorable(number: number): boolean {
  return number >= 0 && Number.isSafeInteger(number);
}

type DurationIncrease = Increase & Partial<Pick<HistogramData, "min" | "max">>;

/** `undefined` if they cannot be stored. */
function timesOf(
  { count: requests, sum, min, max, buckets }: DurationIncrease,
  perUnit: number,
): Times | undefined {
  const micros = (value: number): number => Math.round(value * perUnit);
  const [least, most] = [micros(min ?? 0), max === undefined ? Infinity : micros(max)];
  const latencies = entriesOf(buckets, requests, SCALE_MIN).map(([value, times]) => ({
    elapsedMicros: Math.max(least, Math.min(most, micros(Math.max(0, value)))),
    requests: times,
  }));
  const numbers = [micros(sum ?? Number.NaN), micros(min ?? 0), micros(max ?? 0)];
  // The index of a bucket can be that of an infinite time.
  const times = latencies.map(({ elapsedMicros }) => elapsedMicros).toSorted(ascending);
  if (least > most || ![...numbers, ...times].every(isStorable)) return undefined;
  const extremes = [min === undefined ? times[0] : least, max === undefined ? times.at(-1) : most];
  // Points have both or none, and both where the times of all requests are known.
  const [minMicros, maxMicros] = extremes.includes(undefined) ? [] : extremes;
  return { elapsedMicros: micros(sum ?? 0), minMicros, maxMicros, latencies };
}

function ascending(left: number, right: number): number {
  return left - right;
}

/** The name of Locust or k6, k6's URL, or the method with the path's template or the server. */
function labelOf(tags: ReadonlyMap<string, string>): string {
  const name = tags.get("name") ?? tags.get("url");
  if (name !== undefined) return name;
  const method = tags.get("http.request.method") ?? tags.get("http.method") ?? "";
  const host = tags.get("server.address") ?? tags.get("net.peer.name") ?? "";
  const port = tags.get("server.port") ?? tags.get("net.peer.port");
  const server = port === undefined ? host : `${host}:${port}`;
  return `${method} ${tags.get("url.template") ?? server}`.trim();
}

/** At this scale the middle of a bucket is within 1.1 % of its values; coarser ones give no percentiles of requests. */
const SCALE_MIN = 5;

/** Beyond, the powers are not numbers. */
const SCALE_MAX = 20;

/** Middles of buckets with counts, unordered; empty if too coarse for percentiles, or if they lack `count` values. */
export function entriesOf(
  buckets: ExponentialBuckets | undefined,
  count: number,
  scaleMin: number,
): readonly (readonly [value: number, count: number])[] {
  if (buckets === undefined || buckets.scale < scaleMin || buckets.scale > SCALE_MAX) return [];
  const { scale, zeroCount, positive, negative } = buckets;
  const middle = (index: number): number => 2 ** ((index + 0.5) / 2 ** scale);
  const entries = [
    ...(zeroCount > 0 ? [[0, zeroCount] as const] : []),
    ...Array.from(positive, ([index, times]) => [middle(index), times] as const),
    ...Array.from(negative, ([index, times]) => [-middle(index), times] as const),
  ];
  const isWhole =
    entries.every(([, times]) => times > 0) &&
    entries.reduce((sum, [, times]) => sum + times, 0) === count;
  return isWhole ? entries : [];
}

/** Names of services that are load tools: only what they measure is a request of the load test. */
const LOAD_TOOLS: ReadonlySet<string> = new Set([
  "artillery",
  "gatling",
  "jmeter",
  "k6",
  "load-generator",
  "locust",
  "nbomber",
]);

const LOAD_TOOL_LENGTH_MAX = Math.max(...Array.from(LOAD_TOOLS, ({ length }) => length));

/** Scopes whose name identifies the load tool, whatever the service is called. */
const SCOPES = /^(?:locust$|k6$|artillery[-.])/i;

/** Whether what a service sends under an instrumentation scope was measured by a load tool. */
export function isLoadTool(service: string, scope: string): boolean {
  const isNamed = service.length <= LOAD_TOOL_LENGTH_MAX && LOAD_TOOLS.has(service.toLowerCase());
  return isNamed || SCOPES.test(scope);
}
