/** Bodies of OTLP in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */

import type { AnsweredRequest } from "../http/access-log.ts";
import type { MetricFamily } from "../http/monitoring.ts";
import { randomBytes } from "node:crypto";
import type { Sampling } from "./telemetry-settings.ts";

/** Who sends. */
export interface OtlpSender {
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
}

const SERVER_KIND = 2;
const ERROR_STATUS = 2;
const CUMULATIVE = 2;
const UNITS = [
  ["_seconds", "s"],
  ["_bytes", "By"],
] as const;

export function spanOf(request: AnsweredRequest, ids: SpanIds): object {
  const { method, route, status, startedAtMs, elapsedMs, isComplete, requestId } = request;
  return {
    ...ids,
    name: route === undefined ? method : `${method} ${route}`,
    kind: SERVER_KIND,
    startTimeUnixNano: nanosOf(startedAtMs),
    endTimeUnixNano: nanosOf(startedAtMs + elapsedMs),
    attributes: [
      ...attributesOf({ "http.request.method": method, "http.route": route }),
      { key: "http.response.status_code", value: { intValue: String(status) } },
      ...attributesOf({
        "error.type": status >= 500 ? String(status) : isComplete ? undefined : "incomplete",
        "tachograph.request.id": requestId,
      }),
    ],
    ...(status >= 500 || !isComplete ? { status: { code: ERROR_STATUS } } : {}),
  };
}

export function tracesBody(spans: readonly object[], { resource, version }: OtlpSender): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: "tachograph", version }, spans }],
      },
    ],
  });
}

/** `startedAtMs`: since when counters count. Both in ms since the epoch. */
export function metricsBody(
  families: readonly MetricFamily[],
  { resource, version }: OtlpSender,
  { startedAtMs, nowMs }: { readonly startedAtMs: number; readonly nowMs: number },
): string {
  const times = { startTimeUnixNano: nanosOf(startedAtMs), timeUnixNano: nanosOf(nowMs) };
  const metrics = families.flatMap((family) => {
    if (family.values.length === 0) return [];
    const unit = UNITS.find(([ending]) => family.name.replace(/_total$/, "").endsWith(ending));
    const about = { name: family.name, description: family.help, unit: unit?.[1] };
    return [{ ...about, ...dataOf(family, times) }];
  });
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeMetrics: [{ scope: { name: "tachograph", version }, metrics }],
      },
    ],
  });
}

interface Times {
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

function dataOf(family: MetricFamily, times: Times): object {
  if (family.type === "histogram") {
    return {
      histogram: { dataPoints: histogramsOf(family, times), aggregationTemporality: CUMULATIVE },
    };
  }
  const dataPoints = family.values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, attributes: attributesOf(labels), asDouble: value }));
  return family.type === "counter"
    ? { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }
    : { gauge: { dataPoints } };
}

/** Prometheus counts all values up to a bound; OTLP those between two. */
function histogramsOf({ name, values }: MetricFamily, times: Times): object[] {
  const groups = Map.groupBy(values, ({ labels: { le: _bound, ...labels } }) =>
    JSON.stringify(labels),
  );
  return [...groups].map(([labels, group]) => {
    const valueOf = (ending: string): number =>
      group.find(({ metricName }) => metricName === name + ending)?.value ?? 0;
    const buckets = group.filter(({ metricName }) => metricName === `${name}_bucket`);
    const upTo = buckets.map(({ value }) => value);
    const bounds = buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite);
    return {
      ...times,
      attributes: attributesOf(JSON.parse(labels) as Record<string, string>),
      count: String(valueOf("_count")),
      sum: valueOf("_sum"),
      explicitBounds: bounds,
      bucketCounts: upTo.map((count, at) => String(count - (upTo[at - 1] ?? 0))),
    };
  });
}

function attributesOf(named: Readonly<Record<string, string | number | undefined>>): object[] {
  return Object.entries(named).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: { stringValue: String(value) } }],
  );
}

/** Exact beyond 2^53. */
function nanosOf(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
}

/** W3C Trace Context; later versions may have more at the end. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const ZEROS = /^0+$/;
/** Random bits of a trace id, as hex digits. */
const RANDOM_DIGITS = 13;

/** Ids of a request with this `traceparent`; `undefined` if it is not sampled. */
export function sampledIds(
  traceparent: string | undefined,
  { ratio, isParentBased }: Sampling,
): SpanIds | undefined {
  const parent = parentIn(traceparent);
  const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
  const isSampled =
    parent !== undefined && isParentBased ? parent.isSampled : shareOf(traceId) < ratio;
  if (!isSampled) return undefined;
  return { traceId, spanId: randomBytes(8).toString("hex"), parentSpanId: parent?.spanId };
}

interface Parent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

function parentIn(traceparent: string | undefined): Parent | undefined {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (traceId === "" || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** 0 to below 1, the same for all spans of a trace. */
function shareOf(traceId: string): number {
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS;
}
