import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AnsweredRequest } from "../http/access-log.ts";
import type { MetricFamily } from "../http/monitoring.ts";
import { openTelemetry } from "../open-telemetry.ts";
import { createTelemetry } from "./telemetry.ts";

const NOW_MS = 1_790_000_000_000;
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

const REQUEST: AnsweredRequest = {
  method: "GET",
  route: "/Api/LoadTests/{id}/Summary",
  status: 200,
  startedAtMs: NOW_MS + 0.25,
  elapsedMs: 12.5,
  isComplete: true,
  requestId: "b7",
  traceparent: undefined,
};

interface Posted {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly redirect: unknown;
}

interface Receiver {
  readonly posted: Posted[];
  readonly warned: object[];
  /** Of each following answer; 0: no connection. */
  status: number;
}

function openReceiver(environment: Readonly<Record<string, string>>) {
  const receiver: Receiver = { posted: [], warned: [], status: 200 };
  const telemetry = createTelemetry({
    environment,
    version: "1.2.3",
    now: () => NOW_MS,
    log: { warn: (fields, event) => void receiver.warned.push({ event, ...fields }) },
    async fetch(url, init) {
      if (receiver.status === 0)
        throw new TypeError("fetch failed", { cause: new Error("refused") });
      const headers = init?.headers as Record<string, string>;
      const body: unknown = JSON.parse(init?.body as string);
      receiver.posted.push({ url: url as string, headers, body, redirect: init?.redirect });
      return new Response("{}", { status: receiver.status });
    },
  });
  return { receiver, telemetry };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("nothing is made without a receiver, or if it is disabled", async () => {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  for (const environment of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: "", OTEL_SERVICE_NAME: "x" },
    { ...ENDPOINT, OTEL_SDK_DISABLED: "TRUE" },
  ]) {
    const telemetry = await openTelemetry({ environment, now: () => 0 }, "1", log);
    expect(telemetry.answered).toBeUndefined();
  }
});

test("a request is a span, a child of that of its caller", async () => {
  const { receiver, telemetry } = openReceiver({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b,x=1",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=staging",
  });
  telemetry.start(async () => []);
  telemetry.answered?.({ ...REQUEST, traceparent: PARENT });
  telemetry.answered?.({ ...REQUEST, status: 500, route: undefined });
  await vi.advanceTimersByTimeAsync(5000);
  const own = expect.stringMatching(/^[0-9a-f]{16}$/);
  expect(receiver.posted).toEqual([
    {
      url: "http://collector:4318/v1/traces",
      headers: { "api-key": "a b", x: "1", "Content-Type": "application/json" },
      redirect: "manual",
      body: {
        resourceSpans: [
          {
            resource: {
              attributes: [
                text("service.name", "tachograph"),
                text("deployment.environment", "staging"),
              ],
            },
            scopeSpans: [
              {
                scope: { name: "tachograph", version: "1.2.3" },
                spans: [
                  {
                    traceId: "0af7651916cd43dd8448eb211c80319c",
                    parentSpanId: "b7ad6b7169203331",
                    spanId: own,
                    name: "GET /Api/LoadTests/{id}/Summary",
                    kind: 2,
                    startTimeUnixNano: "1790000000000250000",
                    endTimeUnixNano: "1790000000012750000",
                    attributes: [
                      text("http.request.method", "GET"),
                      text("http.route", "/Api/LoadTests/{id}/Summary"),
                      { key: "http.response.status_code", value: { intValue: "200" } },
                      text("tachograph.request.id", "b7"),
                    ],
                  },
                  expect.objectContaining({
                    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
                    name: "GET",
                    status: { code: 2 },
                  }),
                ],
              },
            ],
          },
        ],
      },
    },
  ]);
});

test("metrics are cumulative, and histograms count between their bounds", async () => {
  const { receiver, telemetry } = openReceiver({
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://collector:4318/custom",
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
  });
  expect(telemetry.answered).toBeUndefined();
  telemetry.start(async () => [
    {
      name: "n_total",
      help: "N.",
      type: "counter",
      values: [{ value: 3, labels: { route: "a" } }],
    },
    { name: "g_bytes", help: "G.", type: "gauge", values: [{ value: 1.5, labels: {} }] },
    { name: "none", help: "", type: "gauge", values: [] },
    {
      name: "d_seconds",
      help: "D.",
      type: "histogram",
      values: [
        bucket(0.1, 2),
        bucket(1, 5),
        bucket("+Inf", 6),
        { value: 7.5, labels: { route: "a" }, metricName: "d_seconds_sum" },
        { value: 6, labels: { route: "a" }, metricName: "d_seconds_count" },
      ],
    },
  ]);
  await vi.advanceTimersByTimeAsync(1000);
  const times = {
    startTimeUnixNano: "1790000000000000000",
    timeUnixNano: "1790000000000000000",
  };
  const attributes = [{ key: "route", value: { stringValue: "a" } }];
  expect(receiver.posted[0]?.url).toBe("http://collector:4318/custom");
  expect(receiver.posted[0]?.body).toMatchObject({
    resourceMetrics: [
      {
        scopeMetrics: [
          {
            metrics: [
              {
                name: "n_total",
                description: "N.",
                sum: {
                  dataPoints: [{ ...times, attributes, asDouble: 3 }],
                  aggregationTemporality: 2,
                  isMonotonic: true,
                },
              },
              {
                name: "g_bytes",
                unit: "By",
                gauge: { dataPoints: [{ ...times, attributes: [], asDouble: 1.5 }] },
              },
              {
                name: "d_seconds",
                unit: "s",
                histogram: {
                  dataPoints: [
                    {
                      ...times,
                      attributes,
                      count: "6",
                      sum: 7.5,
                      explicitBounds: [0.1, 1],
                      bucketCounts: ["2", "3", "1"],
                    },
                  ],
                  aggregationTemporality: 2,
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

test("the last metrics are those from before the server is closed, the last spans from after", async () => {
  const { receiver, telemetry } = openReceiver(ENDPOINT);
  let isClosed = false;
  telemetry.start(async () => {
    return [
      {
        name: "n_total",
        help: "",
        type: "counter",
        values: [{ value: isClosed ? 0 : 1, labels: {} }],
      },
    ];
  });
  await telemetry.stop(async () => {
    isClosed = true;
    telemetry.answered?.(REQUEST);
  });
  const posted = new Map(receiver.posted.map(({ url, body }) => [url, JSON.stringify(body)]));
  expect(posted.get("http://collector:4318/v1/metrics")).toContain('"asDouble":1');
  expect(posted.get("http://collector:4318/v1/traces")).toContain(
    '"GET /Api/LoadTests/{id}/Summary"',
  );
});

test("what was not taken is sent again, and a failure is logged once", async () => {
  const { receiver, telemetry } = openReceiver({ ...ENDPOINT, OTEL_METRICS_EXPORTER: "none" });
  telemetry.start(async () => []);
  for (const status of [0, 503]) {
    receiver.status = status;
    telemetry.answered?.(REQUEST);
    await vi.advanceTimersByTimeAsync(5000);
  }
  expect(receiver.warned).toEqual([
    { event: "telemetry_not_sent", receiver: "http://collector:4318", reason: "refused" },
  ]);
  receiver.status = 200;
  receiver.posted.length = 0;
  await telemetry.stop(async () => undefined);
  expect(receiver.posted.map(({ body }) => spansIn(body))).toEqual([2]);
});

test("spans over 2,048 are lost, counted and logged; those that are refused are not sent again", async () => {
  const { receiver, telemetry } = openReceiver({ ...ENDPOINT, OTEL_METRICS_EXPORTER: "none" });
  telemetry.start(async () => []);
  for (let request = 0; request < 2050; request++) telemetry.answered?.(REQUEST);
  receiver.status = 400;
  await vi.advanceTimersByTimeAsync(5000);
  expect(receiver.posted.map(({ body }) => spansIn(body))).toEqual([512, 512, 512, 512]);
  expect(receiver.warned).toEqual([
    { event: "telemetry_not_sent", receiver: "http://collector:4318", reason: "status 400" },
    { event: "spans_lost", spans: 2 },
  ]);
  await telemetry.stop(async () => undefined);
  expect(receiver.posted).toHaveLength(4);
});

function text(key: string, stringValue: string): object {
  return { key, value: { stringValue } };
}

function bucket(le: number | string, value: number): MetricFamily["values"][number] {
  return { value, labels: { route: "a", le }, metricName: "d_seconds_bucket" };
}

function spansIn(body: unknown): number {
  const { resourceSpans } = body as {
    resourceSpans: { scopeSpans: { spans: unknown[] }[] }[];
  };
  return resourceSpans[0]?.scopeSpans[0]?.spans.length ?? 0;
}
