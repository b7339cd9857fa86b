import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { MeasureAccumulator } from "../aggregate/measure-accumulator.ts";
import type { MeasureSelector } from "../model/measures/measure-selector.ts";
import type { MeasureSeries } from "../model/measures/measure-table.ts";
import type { SecondRange } from "../model/columns.ts";
import { hashOfLabel } from "../series/endpoint-selection.ts";
import { readMeasureSeries, readMeasures } from "./read-measures.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

const WHOLE = { label: undefined, unit: "", tags: [] } as const;
const WAITING = { label: 0, name: "waiting", unit: "ms", kind: "distribution", tags: [] } as const;

async function storeWith(
  values: readonly (readonly [series: MeasureSeries, unixMillis: number, value: number])[],
) {
  const measures = new MeasureAccumulator();
  for (const [series, atMs, value] of values) measures.add(measures.seriesOf(series), atMs, value);
  const store = await memoryStoreWith(batchOf([sample("a", 60)], { measures: measures.take() }));
  return store.points;
}

const merging = (name: string, matches: MeasureSelector["matches"] = []) => {
  return { name, matches, by: [] };
};

const ALL = { loadTestId: "run", range: undefined };
const EACH = { ...ALL, resolutionSeconds: 1, limit: 100 };

test("figures of each kind", async () => {
  const cpu = { ...WHOLE, name: "cpu", unit: "%", kind: "gauge", tags: [["host", "a"]] } as const;
  const points = await storeWith([
    [cpu, 61_000, 50.5],
    [cpu, 62_000, 20],
    [{ ...WHOLE, name: "sent", unit: "By", kind: "counter" }, 61_000, 100],
    [{ ...WHOLE, name: "sent", unit: "By", kind: "counter" }, 63_000, 0.1],
    [{ ...WHOLE, name: "checks", kind: "rate" }, 61_000, 1],
    [{ ...WHOLE, name: "checks", kind: "rate" }, 61_000, 0],
    ...Array.from({ length: 100 }, (_, at) => [WAITING, 120_000 + 10 * at, at + 1] as const),
  ]);
  const { measures, unstored } = await readMeasures(points, ALL);
  const shown = Object.fromEntries(measures.map(({ name, ...rest }) => [name, rest]));
  expect(shown["cpu"]).toEqual({
    unit: "%",
    kind: "gauge",
    tags: { host: "a" },
    count: 2,
    sum: 70.5,
    mean: 35.25,
    min: 20,
    max: 50.5,
    last: 20,
    from: 61,
    until: 62,
  });
  expect(shown["sent"]).toMatchObject({ count: 2, sum: 100.1, from: 61, until: 63 });
  expect(shown["sent"]).not.toHaveProperty("max");
  expect(shown["checks"]).toMatchObject({ count: 2, mean: 0.5 });
  const waiting = shown["waiting"];
  expect(waiting?.endpoint).toEqual({ hash: hashOfLabel("a"), label: "a" });
  expect(waiting).toMatchObject({ count: 100, mean: 50.5, min: 1, max: 100 });
  for (const [quantile, exact] of [
    ["p50", 50],
    ["p95", 95],
    ["p99", 99],
  ] as const) {
    expect(Math.abs((waiting?.[quantile] ?? 0) / exact - 1)).toBeLessThan(0.01);
  }
  expect(unstored).toEqual({ series: 0, name: 0, tags: 0, value: 0, time: 0 });
});

test("measures of a name, an endpoint and a tag", async () => {
  const tagged = { ...WHOLE, name: "cpu", kind: "gauge" } as const;
  const points = await storeWith([
    [{ ...tagged, tags: [["host", "a"]] }, 61_000, 1],
    [{ ...tagged, tags: [["host", "b"]] }, 61_000, 2],
    [{ ...tagged, tags: [["host", "b"]] }, 180_000, 3],
    [WAITING, 61_000, 4],
  ]);
  const listed = async (query: object) =>
    (await readMeasures(points, { ...ALL, ...query })).measures.map(({ mean }) => mean);
  const ofB = [{ tag: "host", value: "b", isNot: false }];
  expect(await listed({ selector: merging("cpu", ofB) })).toEqual([2.5]);
  expect(await listed({ endpoint: hashOfLabel("a") })).toEqual([4]);
  expect(await listed({ name: "none" })).toEqual([]);
  expect(await listed({ selector: merging("cpu", ofB), range: { from: 62, until: 63 } })).toEqual(
    [],
  );
});

test("figures of a range are those of its seconds", async () => {
  const cpu = { ...WHOLE, name: "cpu", kind: "gauge" } as const;
  const times = { ...WHOLE, name: "times", unit: "ms", kind: "distribution" } as const;
  // 99 in the first minute, from second 35 on, then 20.
  const points = await storeWith(
    Array.from({ length: 145 }, (_, at) => {
      const [atMs, value] = [(35 + at) * 1000, at < 60 ? 99 : 20];
      return [[cpu, atMs, value] as const, [times, atMs, value] as const];
    }).flat(),
  );
  const figuresIn = async (range: SecondRange) => {
    const { measures } = await readMeasures(points, { ...ALL, range });
    return measures.map(({ name, count, mean, max, last, p95, from, until }) => ({
      name,
      count,
      mean,
      max,
      last,
      p95,
      from,
      until,
    }));
  };
  const of = { count: 10, mean: 20, from: 95, until: 104 };
  expect(await figuresIn({ from: 95, until: 105 })).toEqual([
    { ...of, name: "cpu", max: 20, last: 20 },
    // Its minute has other values, too.
    { ...of, name: "times" },
  ]);
  expect(await figuresIn({ from: 120, until: 300 })).toMatchObject([
    { name: "cpu", count: 60, max: 20 },
    { name: "times", count: 60, max: 20, p95: 20 },
  ]);
});

const SENT_BYTES = { label: 0, name: "sent", unit: "By", kind: "counter", tags: [] } as const;

test.each([WAITING, SENT_BYTES])(
  "what is stored by minute has the figures of the whole minutes in a range: $name",
  async (series) => {
    const points = await storeWith([60, 120, 180].map((second) => [series, second * 1000, second]));
    const figuresIn = async (range: SecondRange) => {
      const { measures } = await readMeasures(points, { ...ALL, range });
      return measures.map(({ count, mean }) => [count, mean]);
    };
    expect(await figuresIn({ from: 95, until: 210 })).toEqual([[1, 120]]);
    expect(await figuresIn({ from: 65, until: 100 })).toEqual([[0, undefined]]);
  },
);

test("responses of an endpoint are stored by second, even if all are in the first of a minute", async () => {
  const responses = {
    ...SENT_BYTES,
    name: "responses",
    unit: "",
    tags: [["code", "404"]],
  } as const;
  const points = await storeWith([[responses, 60_000, 1]]);
  const { measures } = await readMeasures(points, { ...ALL, range: { from: 60, until: 70 } });
  expect(measures).toMatchObject([{ count: 1, sum: 1 }]);
});

test("where only a sum is known, percentiles are not", async () => {
  const measures = new MeasureAccumulator();
  measures.addWindow(measures.seriesOf(WAITING), 60_000, { count: 10, sum: 100 });
  const store = await memoryStoreWith(batchOf([sample("a", 60)], { measures: measures.take() }));
  const [figures] = (await readMeasures(store.points, ALL)).measures;
  expect(figures).toMatchObject({ count: 10, mean: 10 });
  for (const name of ["min", "max", "p95"]) expect(figures).not.toHaveProperty(name);
});

test("a series by intervals, and a distribution by minutes", async () => {
  const cpu = { ...WHOLE, name: "cpu", kind: "gauge" } as const;
  const points = await storeWith([
    [cpu, 59_000, 1],
    [cpu, 61_000, 2],
    [cpu, 62_000, 5],
    [WAITING, 59_000, 10],
    [WAITING, 61_000, 20],
  ]);
  const gauge = await readMeasureSeries(points, { ...EACH, name: "cpu", resolutionSeconds: 5 });
  expect(gauge.series).toEqual([
    {
      name: "cpu",
      unit: "",
      kind: "gauge",
      tags: {},
      seconds: [55, 60],
      count: [1, 2],
      sum: [1, 7],
      mean: [1, 3.5],
      min: [1, 2],
      max: [1, 5],
      last: [1, 5],
    },
  ]);
  const { series } = await readMeasureSeries(points, { ...EACH, name: "waiting" });
  expect(series[0]?.seconds).toEqual([59, 61]);
  expect(series[0]?.distribution).toMatchObject({
    resolution: 60,
    seconds: [0, 60],
    p95: [10, 20],
  });
});

test("series of a name are merged, or cut at the limit", async () => {
  const hosts = ["a", "b"].map(
    (host) => ({ ...WHOLE, name: "cpu", kind: "gauge", tags: [["host", host]] }) as const,
  );
  const points = await storeWith(hosts.map((series, at) => [series, 61_000, 10 + at] as const));
  const merged = await readMeasureSeries(points, { ...EACH, selector: merging("cpu") });
  expect(merged.series).toMatchObject([{ tags: {}, mean: [10.5], max: [11] }]);
  expect(merged.series[0]).not.toHaveProperty("last");
  const cut = await readMeasureSeries(points, { ...EACH, name: "cpu", limit: 1 });
  expect([cut.series.length, cut.notShown]).toEqual([1, 1]);
});

/** A total that grows by 100 a second, and begins again after second 70. */
const SENT = Array.from(
  { length: 20 },
  (_, at) => [60 + at, at <= 10 ? 5000 + 100 * at : 100 * (at - 10)] as const,
);

test("a gauge that is a total by its name and values is a counter of its growth", async () => {
  const sent = { ...WHOLE, name: "net.bytes_sent", unit: "By", kind: "gauge" } as const;
  const points = await storeWith(SENT.map(([second, total]) => [sent, second * 1000, total]));
  const [whole] = (await readMeasures(points, ALL)).measures;
  // From second 61 on: 10 times 100, then from 0 to 900.
  expect(whole).toMatchObject({ kind: "counter", count: 19, sum: 1900, from: 61, until: 79 });
  const range = { from: 65, until: 75 };
  expect((await readMeasures(points, { ...ALL, range })).measures).toMatchObject([{ sum: 1000 }]);
  const { series } = await readMeasureSeries(points, { ...EACH, range, resolutionSeconds: 5 });
  expect(series).toMatchObject([{ kind: "counter", seconds: [65, 70], sum: [500, 500] }]);
});

test("growth is not merged with a total of which there is one value", async () => {
  const sent = { ...WHOLE, name: "sent_total", kind: "gauge" } as const;
  const first: MeasureSeries = { ...sent, tags: [["host", "a"]] };
  const second: MeasureSeries = { ...sent, tags: [["host", "b"]] };
  const points = await storeWith([
    [first, 61_000, 1000],
    [first, 62_000, 1100],
    [second, 62_000, 77_777],
  ]);
  const merged = { ...EACH, selector: merging("sent_total") };
  expect((await readMeasureSeries(points, merged)).series).toMatchObject([
    { kind: "counter", seconds: [62], sum: [100] },
    { kind: "gauge", seconds: [62], sum: [77_777] },
  ]);
  const cut = await readMeasureSeries(points, { ...merged, limit: 1 });
  expect([cut.series.length, cut.notShown]).toEqual([1, 1]);
});

test.each([
  ["net.bytes_sent", SENT.map(([second], at) => [second, at % 2] as const)],
  ["mem.used", SENT],
])("%s is a gauge if it falls often, or if its name says nothing", async (name, values) => {
  const gauge = { ...WHOLE, name, kind: "gauge" } as const;
  const points = await storeWith(values.map(([second, value]) => [gauge, second * 1000, value]));
  expect((await readMeasures(points, ALL)).measures).toMatchObject([{ kind: "gauge", count: 20 }]);
});
