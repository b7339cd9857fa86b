import { gzipSync } from "node:zlib";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { requestsByLabel } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { turnsDuring } from "../../test/support/turns.ts";

/** What senders do that share attributes, are many, or write unusual bodies. */

const START = 1_795_690_900;
const nanosAt = (second: number): string => `${START + second}000000000`;

const world = await createTestServer();
const key = await world.makeKey("read", "write");
afterAll(() => world.server.close());

type Signal = "traces" | "metrics";

async function send(run: string, signal: Signal, body: object | string, isPacked = true) {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const answer = await world.ask(`/v1/${signal}`, {
    method: "POST",
    key,
    headers: {
      "x-load-test": run,
      "content-type": "application/json",
      ...(isPacked ? { "content-encoding": "gzip" } : {}),
    },
    payload: isPacked ? gzipSync(bytes) : bytes,
  });
  return { status: answer.statusCode, body: answer.json() as Record<string, unknown> };
}

async function requestsOf(run: string): Promise<number> {
  const rows = await requestsByLabel(world.store, run);
  return rows.reduce((sum, [, requests]) => sum + requests, 0);
}

/** Sums of counters by name and tag `code`. */
async function sumsOf(run: string): Promise<Readonly<Record<string, number>>> {
  const answer = await world.ask(`/Api/LoadTests/${run}/Measures`, { key });
  const { measures } = answer.json<{
    measures: { name: string; tags: Record<string, string>; sum: number }[];
  }>();
  return Object.fromEntries(
    measures.map(({ name, tags, sum }) => [[name, tags["code"]].filter(Boolean).join(" "), sum]),
  );
}

function attributes(values: Readonly<Record<string, string>>): object[] {
  return Object.entries(values).map(([name, value]) => ({
    key: name,
    value: { stringValue: value },
  }));
}

function span(id: number, kind: string | number = 3): object {
  return {
    spanId: id.toString(16).padStart(16, "0"),
    name: "GET /a",
    kind,
    startTimeUnixNano: nanosAt(1),
    endTimeUnixNano: nanosAt(2),
    attributes: [
      ...attributes({ "http.request.method": "GET" }),
      { key: "http.response.status_code", value: { intValue: "200" } },
    ],
  };
}

function traces(
  services: readonly (readonly [service: string, spans: readonly object[]])[],
): object {
  return {
    resourceSpans: services.map(([service, spans]) => ({
      resource: { attributes: attributes({ "service.name": service }) },
      scopeSpans: [{ scope: { name: "locust" }, spans }],
    })),
  };
}

interface Total {
  readonly value: number;
  readonly start: number;
  readonly at: number;
  readonly code?: string;
}

function totals(
  all: readonly Total[],
  about: { service?: string; scope?: string; temporality?: unknown } = {},
): object {
  const { service = "shop", scope = "http", temporality = 2 } = about;
  const dataPoints = all.map(({ value, start, at, code }) => ({
    asInt: String(value),
    startTimeUnixNano: nanosAt(start),
    timeUnixNano: nanosAt(at),
    attributes: code === undefined ? [] : attributes({ code }),
  }));
  const metric = {
    name: "requests",
    // As the writers of Protocol Buffers order it.
    sum: { dataPoints, aggregationTemporality: temporality, isMonotonic: true },
  };
  return {
    resourceMetrics: [
      {
        scopeMetrics: [{ metrics: [metric], scope: { name: scope } }],
        resource: { attributes: attributes({ "service.name": service }) },
      },
    ],
  };
}

test("spans count once, however many load tests are under way", async () => {
  const runs = Array.from({ length: 12 }, (_, run) => `turn-${run}`);
  const ten = Array.from({ length: 10 }, (_, id) => span(id + 1));
  for (const run of runs) await send(run, "traces", traces([["locust", ten]]));
  for (const run of runs) await send(run, "traces", traces([["locust", [...ten, span(11)]]]));
  expect(await Promise.all(runs.map(requestsOf))).toEqual(runs.map(() => 11));
});

const sendWorkers = (count: number, run: string) => {
  const services = Array.from(
    { length: count },
    (_, each) => [`worker-${each}`, [span(each + 1)]] as const,
  );
  return send(run, "traces", traces([...services, ["worker-0", [span(9999)]]]));
};

test("a body may have spans of 500 services, and says how many of further ones are not stored", async () => {
  expect(await sendWorkers(500, "workers")).toEqual({ status: 200, body: {} });
  expect(await requestsOf("workers")).toBe(501);
  expect(await sendWorkers(503, "too-many-workers")).toEqual({
    status: 200,
    body: {
      partialSuccess: {
        rejectedSpans: "3",
        errorMessage:
          "spans of more than 500 services in one body, which are not stored (send smaller bodies): 3",
      },
    },
  });
  expect(await requestsOf("too-many-workers")).toBe(501);
});

test("what was sent to a deleted load test is stored when it is sent again", async () => {
  for (let time = 0; time < 2; time++) {
    await send("deleted", "traces", traces([["locust", [span(1), span(2)]]]));
    await send(
      "deleted",
      "metrics",
      totals([{ value: 5, start: 1, at: 2 }], { service: "locust" }),
    );
    expect(await requestsOf("deleted")).toBe(2);
    expect(await sumsOf("deleted")).toEqual({ requests: 5 });
    await world.ask("/Api/LoadTests/deleted", { method: "DELETE", key });
  }
});

test("names of enumerations mean the same as their numbers", async () => {
  const kinds = ["SPAN_KIND_CLIENT", 3, "3", "SPAN_KIND_INTERNAL", 1];
  await send("names", "traces", traces([["locust", kinds.map((kind, id) => span(id + 1, kind))]]));
  expect(await requestsOf("names")).toBe(3);
  const cumulative = { temporality: "AGGREGATION_TEMPORALITY_CUMULATIVE" };
  for (const [at, value] of [100, 150, 180].entries()) {
    await send("names", "metrics", totals([{ value, start: -500, at }], cumulative));
  }
  const delta = { temporality: "AGGREGATION_TEMPORALITY_DELTA" };
  await send("names", "metrics", totals([{ value: 7, start: 1, at: 2, code: "7" }], delta));
  expect(await sumsOf("names")).toEqual({ requests: 80, "requests 7": 7, "spans.other": 2 });
});

test.each([0, 3, null, "CUMULATIVE"])(
  "totals of the temporality %j are refused, since they may be increases",
  async (temporality) => {
    const body = totals([{ value: 100, start: 0, at: 1 }], { temporality });
    expect(await send("unknown", "metrics", body)).toEqual({
      status: 200,
      body: {
        partialSuccess: {
          rejectedDataPoints: "1",
          errorMessage: "points without an aggregation temporality, which are not stored: 1",
        },
      },
    });
    expect(await world.store.loadTests.find("unknown")).toBeUndefined();
  },
);

const totalsOfWorker = (start: number, values: readonly number[], from: number) =>
  values.map((value, index) => ({ value, start, at: from + index * 2 }));

test("processes that share their attributes have totals by their starts", async () => {
  // Three workers of a load tool, one of which is restarted; exports come interleaved and at the same times.
  const exports = [
    ...totalsOfWorker(1, [10, 25, 40, 61], 3),
    ...totalsOfWorker(2, [3, 3, 90], 3),
    ...totalsOfWorker(3, [7], 4),
    ...totalsOfWorker(8, [4, 9], 9),
  ].toSorted((left, right) => left.at - right.at);
  for (const each of exports)
    await send("shared", "metrics", totals([each], { service: "locust" }));
  await send("shared", "metrics", totals([{ value: 40, start: 1, at: 7 }], { service: "locust" }));
  // By hand: what each reached.
  expect(await sumsOf("shared")).toEqual({ requests: 61 + 90 + 7 + 9 });
});

test("requests of a histogram whose sum is unknown are counted without a time", async () => {
  const point = {
    count: "3",
    timeUnixNano: nanosAt(10),
    startTimeUnixNano: nanosAt(1),
    attributes: attributes({ name: "/a", "error.type": "timeout" }),
  };
  const histogram = { aggregationTemporality: 1, dataPoints: [point, { ...point, sum: 150 }] };
  const metrics = [{ name: "locust.client.duration", unit: "ms", histogram }];
  const body = { resourceMetrics: [{ scopeMetrics: [{ scope: { name: "locust" }, metrics }] }] };
  expect((await send("untimed", "metrics", body)).body).toEqual({
    partialSuccess: {
      rejectedDataPoints: "0",
      errorMessage: "spans or points without a readable response time: 1",
    },
  });
  const answer = await world.ask("/Api/LoadTests/untimed/Summary", { key });
  // Three times 50 ms are known.
  expect(answer.json().endpoints).toMatchObject([
    { label: "/a", count: 6, errCount: 6, untimedCount: 3, avgLoadTime: 0.05 },
  ]);
});

test("the first total of a series counts if its process has exported without it", async () => {
  const exports = [
    [{ value: 500, start: -3600, at: 10, code: "200" }],
    [
      { value: 530, start: -3600, at: 20, code: "200" },
      { value: 37, start: -3600, at: 20, code: "500" },
    ],
    [{ value: 40, start: -3600, at: 30, code: "500" }],
  ];
  for (const each of exports) await send("first", "metrics", totals(each));
  // Another process with the same attributes has not exported before.
  await send("first", "metrics", totals([{ value: 9, start: -1800, at: 31, code: "404" }]));
  expect(await sumsOf("first")).toEqual({ "requests 200": 30, "requests 500": 40 });
});

test("a process that sends one export in two bodies has not exported before", async () => {
  await send("halves", "metrics", totals([{ value: 500, start: -3600, at: 10, code: "200" }]));
  await send("halves", "metrics", totals([{ value: 37, start: -3600, at: 10, code: "500" }]));
  await send("halves", "metrics", totals([{ value: 39, start: -3600, at: 20, code: "500" }]));
  expect(await sumsOf("halves")).toEqual({ "requests 500": 2 });
});

const periodOfArtillery = (from: number, value: number) => ({
  asDouble: value,
  startTimeUnixNano: nanosAt(60),
  timeUnixNano: nanosAt(61),
  attributes: [
    { key: "startTime", value: { intValue: (START + from) * 1000 } },
    { key: "endTime", value: { intValue: (START + from + 10) * 1000 } },
  ],
});

test("a period of Artillery counts whole, in whatever order and however often it comes", async () => {
  await send("periods", "traces", traces([["locust", [span(1)]]]));
  const artillery = { service: "Artillery-test", scope: "Artillery.io_metrics" };
  const body = (...points: readonly object[]): object => {
    const whole = totals([], artillery) as {
      resourceMetrics: { scopeMetrics: { metrics: { sum: { dataPoints: object[] } }[] }[] }[];
    };
    whole.resourceMetrics[0]?.scopeMetrics[0]?.metrics[0]?.sum.dataPoints.push(...points);
    return whole;
  };
  await send("periods", "metrics", body(periodOfArtillery(0, 248)));
  await send(
    "periods",
    "metrics",
    body(periodOfArtillery(20, 152), periodOfArtillery(0, 248), periodOfArtillery(10, 400)),
  );
  await send(
    "periods",
    "metrics",
    body(periodOfArtillery(0, 248), periodOfArtillery(10, 400), periodOfArtillery(20, 152)),
  );
  expect(await sumsOf("periods")).toEqual({ requests: 800 });
});

test.each<[Signal, object]>([
  [
    "metrics",
    totals(Array.from({ length: 3000 }, (_, at) => ({ value: at, start: 0, at: at + 1 }))),
  ],
  ["traces", traces([["locust", Array.from({ length: 3000 }, (_, id) => span(id + 1))]])],
])("other work goes on while %s are read", async (signal, body) => {
  const text = JSON.stringify(body);
  // Each look at the clock takes a millisecond.
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 1));
  onTestFinished(() => clock.mockRestore());
  const turns = await turnsDuring(() => send("yielding", signal, text, false));
  expect(turns).toBeGreaterThan(500);
});

test.each(["resourceMetrics", "resourceSpans"])(
  "millions of empty %s are refused",
  async (name) => {
    const signal = name === "resourceSpans" ? "traces" : "metrics";
    const body = `{"${name}":[${"{},".repeat(1_000_000)}{}]}`;
    expect(await send("bomb", signal, body)).toEqual({
      status: 400,
      body: {
        message:
          "cannot read the body as OTLP: it has more than 1000000 values: send smaller bodies",
      },
    });
  },
);

test("of a span or a point of over 1 MiB only itself is lost", async () => {
  const long = "x".repeat(1024 * 1024);
  const spans = [span(1), { ...span(2), name: long }, span(3)];
  expect((await send("long", "traces", traces([["locust", spans]]))).body).toEqual({
    partialSuccess: {
      rejectedSpans: "1",
      errorMessage: "spans of over 1 MiB, which are not stored: 1",
    },
  });
  expect(await requestsOf("long")).toBe(2);
  const points = [1, 2].map((at) => ({ value: 5, start: 0, at, code: at === 1 ? long : "200" }));
  expect((await send("long", "metrics", totals(points, { temporality: 1 }))).body).toEqual({
    partialSuccess: {
      rejectedDataPoints: "1",
      errorMessage: expect.stringContaining("points of over 1 MiB"),
    },
  });
  expect(await sumsOf("long")).toEqual({ "requests 200": 5 });
});

const wideHistogram = (at: number, count: string) => ({
  timeUnixNano: nanosAt(at),
  count,
  sum: 1,
  scale: 10,
  positive: { offset: 0, bucketCounts: [count] },
});

test("histograms of more values than a run may have are left out, so that its others can be read", async () => {
  const counts = ["9007199254740991", "9007199254740991", "18446744073709551615", "3"];
  const exponentialHistogram = {
    aggregationTemporality: 1,
    dataPoints: counts.map((count, at) => wideHistogram(at, count)),
  };
  const metrics = [{ name: "wait", unit: "s", exponentialHistogram }];
  const { status } = await send("many", "metrics", {
    resourceMetrics: [{ scopeMetrics: [{ metrics }] }],
  });
  expect(status).toBe(200);
  const answer = await world.ask("/Api/LoadTests/many/Measures?name=wait", { key });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain('"count":3,');
});
