import { describe, expect, test } from "vitest";
import { measuredValues } from "../../../test/support/measured-values.ts";
import { MeasureAccumulator } from "../../aggregate/measure-accumulator.ts";
import { CumulativeSeries } from "./cumulative.ts";
import { MetricMeasures } from "./metric-measures.ts";
import { readMetrics } from "./read-body.ts";
import { recording } from "../../../test/support/recording.ts";

const START = 1_795_690_900;
const nanos = (second: number): string => `${START + second}000000000`;

/** What bodies give that come one after the other. */
class Reader {
  readonly measures = new MeasureAccumulator();
  remarks: readonly string[] = [];
  refused = 0;
  #series: CumulativeSeries;

  constructor(isFromBeginning = false) {
    this.#series = new CumulativeSeries(isFromBeginning);
  }

  read(given: unknown): void {
    const json = Buffer.from(JSON.stringify(given));
    this.readBody(json, "json");
  }

  readBody(bytes: Uint8Array, form: "json" | "protobuf"): void {
    this.#series = this.#series.next();
    const metrics = new MetricMeasures({
      sink: this,
      series: this.#series,
      windowsOf: () => "described",
    });
    for (const point of readMetrics(bytes, form)) if (point !== undefined) metrics.take(point);
    this.remarks = metrics.remarks();
    this.refused = metrics.refused;
  }

  get values() {
    return measuredValues(this.measures.take()).map(({ name, second, count, sum, ...rest }) => ({
      ...rest,
      name,
      second: second - START,
      count,
      sum,
    }));
  }
}

/** A body with one metric of a service. */
function body(metric: object, service = "shop"): unknown {
  const attributes = [{ key: "service.name", value: { stringValue: service } }];
  const scopeMetrics = [
    { scope: { name: "test" }, metrics: [{ name: "m", unit: "By", ...metric }] },
  ];
  return { resourceMetrics: [{ resource: { attributes }, scopeMetrics }] };
}

function total(value: number, second: number, startSecond = 0, service?: string): unknown {
  const point = {
    asInt: String(value),
    timeUnixNano: nanos(second),
    startTimeUnixNano: nanos(startSecond),
  };
  return body(
    { sum: { dataPoints: [point], aggregationTemporality: 2, isMonotonic: true } },
    service,
  );
}

const COUNTER = { unit: "By", kind: "counter", tags: { "service.name": "shop" }, name: "m" };

test("a time may be a number, as in the JSON of Protocol Buffers, to 0.3 µs", () => {
  const reader = new Reader();
  const point = { asInt: 7, timeUnixNano: Number(nanos(3)) };
  reader.read(body({ gauge: { dataPoints: [point] } }));
  expect(reader.values).toMatchObject([{ name: "m", second: 3, sum: 7 }]);
});

test.each([undefined, "0", "soon", "-5"])("a point with the time %j is not stored", (time) => {
  const reader = new Reader();
  const dataPoints = [{ asInt: "7", timeUnixNano: time }];
  const sum = { dataPoints, aggregationTemporality: 2, isMonotonic: true };
  for (const metric of [{ gauge: { dataPoints } }, { sum }]) {
    reader.read(body(metric));
    expect(reader.refused).toBe(1);
    expect(reader.remarks).toContainEqual(expect.stringMatching(/without a time.*: 1$/));
  }
  expect(reader.values).toEqual([]);
});

describe("totals", () => {
  test("beyond the 10,000 that are remembered are counted as not stored", () => {
    const reader = new Reader();
    const dataPoints = Array.from({ length: 10_003 }, (_, number) => ({
      asInt: "1",
      timeUnixNano: nanos(1),
      attributes: [{ key: "number", value: { intValue: String(number) } }],
    }));
    reader.read(body({ sum: { dataPoints, aggregationTemporality: 2, isMonotonic: true } }));
    expect(reader.refused).toBe(3);
    expect(reader.remarks).toContainEqual(expect.stringMatching(/beyond 10,000, .*: 3$/));
  });

  test("are counted as increases from the first one on", () => {
    const reader = new Reader();
    for (const [value, second] of [
      [100, 1],
      [107, 2],
      [107, 3],
      [120, 5],
    ] as const) {
      reader.read(total(value, second, -500));
    }
    expect(reader.values).toEqual([
      { ...COUNTER, second: 2, count: 1, sum: 7 },
      { ...COUNTER, second: 3, count: 1, sum: 0 },
      { ...COUNTER, second: 5, count: 1, sum: 13 },
    ]);
  });

  // As k6 1.8.1 sends 30 checks of 60 that passed, in two exports.
  test("of k6 by condition are a rate", () => {
    const reader = new Reader(true);
    for (const [second, zero, nonzero] of [
      [2, 11, 10],
      [4, 30, 30],
    ] as const) {
      const dataPoints = Object.entries({ zero, nonzero }).map(([condition, value]) => ({
        asInt: String(value),
        timeUnixNano: nanos(second),
        startTimeUnixNano: nanos(1),
        attributes: [
          { key: "check", value: { stringValue: "even" } },
          { key: "condition", value: { stringValue: condition } },
        ],
      }));
      const sum = { dataPoints, aggregationTemporality: 2, isMonotonic: true };
      reader.read(body({ name: "checks.total", unit: "", sum }, "k6"));
    }
    const tags = { "service.name": "k6", check: "even" };
    const rate = { name: "checks", unit: "", kind: "rate", tags };
    expect(reader.values).toEqual([
      { ...rate, second: 2, count: 21, sum: 10 },
      { ...rate, second: 4, count: 39, sum: 20 },
    ]);
  });

  test("that come again, or late, add nothing", () => {
    const reader = new Reader();
    for (const [value, second] of [
      [100, 1],
      [107, 3],
      [107, 3],
      [103, 2],
    ] as const) {
      reader.read(total(value, second, -500));
    }
    expect(reader.values).toEqual([{ ...COUNTER, second: 3, count: 1, sum: 7 }]);
  });

  test("begin anew where their start or a lower value says so", () => {
    const reader = new Reader();
    reader.read(total(100, 1, -500));
    reader.read(total(4, 3, 2));
    reader.read(total(3, 4, 2));
    expect(reader.values).toEqual([
      { ...COUNTER, second: 3, count: 1, sum: 4 },
      { ...COUNTER, second: 4, count: 1, sum: 3 },
    ]);
  });

  test("of a series that began since the first body are counted from 0", () => {
    const reader = new Reader();
    reader.read(total(100, 5, -500));
    reader.read(total(9, 8, 6, "restarted"));
    expect(reader.values.map(({ sum }) => sum)).toEqual([9]);
  });

  test("of a series that began since a first body of gauges or deltas are counted from 0", () => {
    const dataPoints = [{ asDouble: 1, timeUnixNano: nanos(5) }];
    const delta = { isMonotonic: true, aggregationTemporality: 1, dataPoints };
    for (const first of [{ gauge: { dataPoints } }, { sum: delta }]) {
      const reader = new Reader();
      reader.read(body(first));
      reader.read(total(9, 8, 6));
      expect(reader.values.map(({ sum }) => sum)).toContain(9);
    }
  });

  test("of a series that its process did not have in an export of gauges are counted from 0", () => {
    const reader = new Reader();
    const times = { startTimeUnixNano: nanos(-500), asDouble: 1 };
    reader.read(body({ gauge: { dataPoints: [{ ...times, timeUnixNano: nanos(1) }] } }));
    reader.read(body({ gauge: { dataPoints: [{ ...times, timeUnixNano: nanos(11) }] } }));
    reader.read(total(37, 11, -500));
    expect(reader.values.filter(({ kind }) => kind === "counter").map(({ sum }) => sum)).toEqual([
      37,
    ]);
  });

  test("of a load tool are counted from 0, unless something was stored before", () => {
    for (const [isFromBeginning, sums] of [
      [true, [40]],
      [false, []],
    ] as const) {
      const reader = new Reader(isFromBeginning);
      reader.read(total(40, 1, 0, "k6"));
      expect(reader.values.map(({ sum }) => sum)).toEqual(sums);
    }
  });

  test("with unknown earlier values are reported", () => {
    const reader = new Reader();
    reader.read(total(100, 1, -500));
    expect(reader.remarks).toEqual(["first totals of series, from which increases are counted: 1"]);
  });
});

test("what can fall is a gauge, increments are a counter, and resources give tags", () => {
  const reader = new Reader();
  const point = {
    asDouble: 0.25,
    timeUnixNano: nanos(1),
    attributes: [{ key: "cpu", value: { intValue: "3" } }],
  };
  reader.read(body({ gauge: { dataPoints: [point] } }));
  reader.read(body({ name: "up-down", sum: { dataPoints: [point], aggregationTemporality: 2 } }));
  reader.read(
    body({
      name: "delta",
      sum: { dataPoints: [point], aggregationTemporality: 1, isMonotonic: true },
    }),
  );
  const tags = { "service.name": "shop", cpu: "3" };
  const about = { unit: "By", tags, second: 1, count: 1, sum: 0.25 };
  expect(reader.values).toEqual([
    { ...about, name: "delta", kind: "counter" },
    { ...about, name: "m", kind: "gauge", last: 0.25 },
    { ...about, name: "up-down", kind: "gauge", last: 0.25 },
  ]);
});

const summary = (count: number, sum: number, second: number) => ({
  count: String(count),
  sum,
  timeUnixNano: nanos(second),
  startTimeUnixNano: nanos(-500),
  quantileValues: [{ quantile: 0.99, value: 1.5 }],
});

test("a summary is a distribution of its increase, with its quantiles as gauges", () => {
  const reader = new Reader();
  reader.read(body({ summary: { dataPoints: [summary(10, 5, 1)] } }));
  reader.read(body({ summary: { dataPoints: [summary(14, 6.5, 2)] } }));
  const { values } = reader;
  expect(values.filter(({ kind }) => kind === "distribution")).toEqual([
    { ...COUNTER, kind: "distribution", second: 2, count: 4, sum: 1.5 },
  ]);
  expect(values.filter(({ kind }) => kind === "gauge")).toMatchObject([
    { second: 1, last: 1.5, tags: { quantile: "0.99" } },
    { second: 2, last: 1.5 },
  ]);
});

/** Scale 6: bucket i has values from 2^(i / 64) to 2^((i + 1) / 64), so that bucket 0 begins at 1. */
function exponential(counts: readonly string[], count: number, second: number, scale = 6) {
  const point = {
    count: String(count),
    sum: count,
    scale,
    positive: { offset: 0, bucketCounts: counts },
    timeUnixNano: nanos(second),
    startTimeUnixNano: nanos(-500),
  };
  return body({ exponentialHistogram: { dataPoints: [point], aggregationTemporality: 2 } });
}

test("exponential histograms give percentiles, also as the scale falls", () => {
  const reader = new Reader();
  reader.read(exponential(["2", "0", "0", "1"], 3, 1));
  // Two buckets became one: 0 and 1 are 0, 2 and 3 are 1.
  reader.read(exponential(["3", "5"], 8, 2, 5));
  const { histograms } = reader.measures.take() ?? {};
  expect(histograms && [...histograms.bucketCount]).toEqual([1, 4]);
});

test("wider buckets, and explicit ones, give no percentiles", () => {
  const reader = new Reader();
  reader.read(exponential(["2"], 2, 1, 2));
  reader.read(exponential(["6"], 6, 2, 2));
  const point = {
    count: "4",
    sum: 8,
    explicitBounds: [1],
    bucketCounts: ["1", "3"],
    min: 1,
    max: 4,
  };
  const dataPoints = [{ ...point, timeUnixNano: nanos(3), startTimeUnixNano: nanos(2) }];
  reader.read(body({ histogram: { dataPoints, aggregationTemporality: 1 } }));
  const table = reader.measures.take();
  expect([...(table?.histograms.bucketCount ?? [])]).toEqual([]);
  expect(measuredValues(table).map(({ count, sum }) => [count, sum])).toEqual([
    [4, 4],
    [4, 8],
  ]);
});

test("attributes that are lists, and too many, are counted as not stored", () => {
  const reader = new Reader();
  const value = { arrayValue: { values: [{ stringValue: "a" }] } };
  const point = { asDouble: 1, timeUnixNano: nanos(1), attributes: [{ key: "list", value }] };
  reader.read(body({ gauge: { dataPoints: [point, { asDouble: 2, timeUnixNano: nanos(1) }] } }));
  const table = reader.measures.take();
  expect(table?.unstored).toMatchObject({ tags: 1 });
  expect(measuredValues(table).map(({ sum }) => sum)).toEqual([2]);
});

const linesIn = (name: string): readonly string[] =>
  recording(`k6-otlp/${name}`).toString().trim().split("\n");

/** The JSON was written by another program from the same bytes. */
test("k6's metrics are the same from both forms, and add up to its last totals", () => {
  const [binary, json] = [new Reader(true), new Reader(true)];
  for (const line of linesIn("gen-k6-1.8.1-otlp.capture.ndjson.gz")) {
    const { bodyBase64 } = JSON.parse(line) as { readonly bodyBase64: string };
    binary.readBody(Buffer.from(bodyBase64, "base64"), "protobuf");
  }
  const bodies = linesIn("gen-k6-1.8.1-otlp.ndjson.gz").map((line) => JSON.parse(line) as unknown);
  for (const each of bodies) json.read(each);
  const { values } = binary;
  expect(values).toEqual(json.values);
  const last = JSON.stringify(bodies.at(-1));
  let want = 0;
  for (const point of readMetrics(Buffer.from(last), "json")) {
    if (typeof point !== "object" || point.name !== "http_reqs") continue;
    want += point.data.kind === "sum" ? point.data.value : Number.NaN;
  }
  const got = values.filter(({ name }) => name === "http_reqs");
  expect(want).toBeGreaterThan(50);
  expect(got.reduce((sum, each) => sum + each.sum, 0)).toBe(want);
});
