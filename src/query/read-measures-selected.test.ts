import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { MeasureAccumulator } from "../aggregate/measure-accumulator.ts";
import { isSelectorMistake, parseMeasureSelector } from "../model/measures/measure-selector.ts";
import { downsampleMeasures } from "../model/measures/downsample-measures.ts";
import { type MeasureSeries, NO_MEASURES } from "../model/measures/measure-table.ts";
import { readMeasures } from "./read-measures.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

type Value = readonly [series: MeasureSeries, second: number, value: number];

/** A run of 100 seconds with two endpoints. */
async function storeWith(values: readonly Value[]) {
  const measures = new MeasureAccumulator();
  for (const [series, second, value] of values) {
    measures.add(measures.seriesOf(series), second * 1000, value);
  }
  const samples = [sample("a", 60), sample("b", 159)];
  const store = await memoryStoreWith(batchOf(samples, { measures: measures.take() }));
  return store.points;
}

async function figures(values: readonly Value[], text: string, percents?: readonly number[]) {
  const selector = parseMeasureSelector(text);
  if (isSelectorMistake(selector)) throw new Error(selector.message);
  const query = { loadTestId: "run", range: undefined, selector, percents };
  return (await readMeasures(await storeWith(values), query)).measures;
}

const whole = (
  name: string,
  kind: MeasureSeries["kind"],
  tags: Readonly<Record<string, string>> = {},
) => ({ label: undefined, name, unit: "", kind, tags: Object.entries(tags) });

const [ON_A, ON_B] = [{ host: "a" }, { host: "b" }];

test("counters and rates add up, with the counter's rate over the run", async () => {
  const values: Value[] = [
    [whole("orders", "counter", ON_A), 60, 30],
    [whole("orders", "counter", ON_B), 61, 12],
    ...[1, 1, 0].map((value): Value => [whole("checks", "rate", ON_A), 60, value]),
    [whole("checks", "rate", ON_B), 60, 1],
  ];
  expect(await figures(values, "orders")).toMatchObject([
    { count: 2, sum: 42, rate: 0.42, tags: {} },
  ]);
  expect(await figures(values, "checks")).toMatchObject([{ count: 4, sum: 3, mean: 0.75 }]);
  expect(await figures(values, "orders{host=b}")).toMatchObject([{ sum: 12 }]);
  expect(await figures(values, "orders{host!=b}")).toMatchObject([{ sum: 30 }]);
  expect(await figures(values, "orders by host")).toMatchObject([
    { sum: 30, tags: ON_A },
    { sum: 12, tags: ON_B },
  ]);
  expect(await figures(values, "orders{host=c}")).toEqual([]);
});

test("values from before and after the run do not add to a rate in it", async () => {
  // Two a second from 50 s before the run until 50 s after it.
  const values = Array.from({ length: 200 }, (_, at): Value => {
    return [whole("orders", "counter", ON_A), 10 + at, 2];
  });
  expect(await figures(values, "orders")).toMatchObject([{ sum: 400, rate: 2 }]);
});

test("distributions merge, and have any percentile", async () => {
  const values = Array.from({ length: 1000 }, (_, at): Value => {
    return [whole("lcp", "distribution", at % 2 === 0 ? ON_A : ON_B), 60 + (at % 90), at + 1];
  });
  const [lcp] = await figures(values, "lcp", [75, 99.9]);
  expect(lcp).toMatchObject({ count: 1000, mean: 500.5, min: 1, max: 1000, rate: 5005 });
  expect(Math.abs((lcp?.percentiles?.["p75"] ?? 0) / 750 - 1)).toBeLessThan(0.01);
  expect(Math.abs((lcp?.percentiles?.["p99.9"] ?? 0) / 999 - 1)).toBeLessThan(0.01);
});

const cpu = (tags: Readonly<Record<string, string>>) => whole("cpu", "gauge", tags);

test("a gauge's average is over series and time, and a gap is a gap", async () => {
  const values: Value[] = [
    // 10 s at 10, every second.
    ...Array.from({ length: 10 }, (_, at): Value => [cpu(ON_A), 60 + at, 10]),
    // 20 s at 40, every 10 s; 60 s without a value; then 10 s at 70.
    [cpu(ON_B), 60, 40],
    [cpu(ON_B), 70, 40],
    [cpu(ON_B), 140, 70],
    [cpu(ON_B), 150, 70],
  ];
  expect(await figures(values, "cpu")).toMatchObject([
    { count: 14, mean: (10 * 10 + 20 * 40 + 20 * 70) / 50, min: 10, max: 70, last: 70 },
  ]);
  expect((await figures(values, "cpu"))[0]).not.toHaveProperty("rate");
});

test("a total since some start is its growth per second", async () => {
  const values = [500, 600, 20, 70].map((value, at): Value => {
    return [whole("http_requests_total", "gauge"), 60 + 10 * at, value];
  });
  const more = Array.from({ length: 20 }, (_, at): Value => {
    return [whole("http_requests_total", "gauge"), 100 + at, 71 + at];
  });
  // 100 before the restart, 20 and 50 and 20 after it.
  expect(await figures([...values, ...more], "http_requests_total")).toMatchObject([
    { kind: "counter", sum: 190, rate: 1.9 },
  ]);
});

// 600 seconds of a total that grows by one each second and is read every 10 seconds: 590 in all, between 60 values.
test.each([1, 60, 600])("a total has grown as much in windows of %d s", async (windowSeconds) => {
  const measures = new MeasureAccumulator();
  const series = measures.seriesOf(whole("http_requests_total", "gauge"));
  for (let at = 0; at < 600; at += 10) measures.add(series, (600 + at) * 1000, 5000 + at);
  const table = downsampleMeasures(measures.take() ?? NO_MEASURES, {
    windowSeconds,
    firstSecond: 0,
  });
  const samples = [sample("a", 600), sample("a", 1199)];
  const { points } = await memoryStoreWith(batchOf(samples, { measures: table }));
  const { measures: read } = await readMeasures(points, { loadTestId: "run", range: undefined });
  expect(read).toMatchObject([{ kind: "counter", count: 59, sum: 590 }]);
});

test("a measure is that of the run, unless endpoints are asked for", async () => {
  const waiting = whole("waiting", "distribution");
  const responses = whole("responses", "counter");
  const values: Value[] = [
    [waiting, 60, 10],
    [waiting, 60, 30],
    [{ ...waiting, label: 0 }, 60, 10],
    [{ ...waiting, label: 1 }, 60, 30],
    [{ ...responses, label: 0, tags: [["code", "404"]] }, 60, 2],
    [{ ...responses, label: 1, tags: [["code", "404"]] }, 61, 3],
  ];
  expect(await figures(values, "waiting")).toMatchObject([{ count: 2, mean: 20 }]);
  expect(await figures(values, "waiting{endpoint=b}")).toMatchObject([{ count: 1, mean: 30 }]);
  expect(await figures(values, "waiting{endpoint!=b}")).toMatchObject([{ count: 1, mean: 10 }]);
  expect(await figures(values, "waiting by endpoint")).toMatchObject([
    { mean: 10, endpoint: { label: "a" } },
    { mean: 30, endpoint: { label: "b" } },
  ]);
  // Only endpoints have it.
  expect(await figures(values, "responses{code=404}")).toMatchObject([{ sum: 5 }]);
});

test("endpoints are read once for all rates of the measures of a run, and again after it has grown", async () => {
  const store = await memoryStoreWith();
  const orders = new MeasureAccumulator();
  orders.add(orders.seriesOf(whole("orders", "counter", ON_A)), 60_000, 30);
  orders.add(orders.seriesOf(whole("cpu", "gauge", ON_A)), 60_000, 30);
  await store.points.append(
    batchOf([sample("a", 60), sample("b", 159)], { measures: orders.take() }),
  );
  let reads = 0;
  const points = {
    async snapshot(id: string) {
      const snapshot = await store.points.snapshot(id);
      if (snapshot === undefined) return undefined;
      const index = async () => {
        reads += 1;
        return snapshot.index();
      };
      return { ...snapshot, index };
    },
  };
  const ask = async (text: string) => {
    const selector = parseMeasureSelector(text);
    if (isSelectorMistake(selector)) throw new Error(selector.message);
    return (await readMeasures(points, { loadTestId: "run", range: undefined, selector })).measures;
  };
  expect(await ask("cpu")).toHaveLength(1);
  expect(await ask("orders{host=z}")).toEqual([]);
  expect(reads).toBe(0);
  expect(await ask("orders")).toMatchObject([{ rate: 0.3 }]);
  const once = reads;
  expect(await ask("orders{host=a}")).toMatchObject([{ rate: 0.3 }]);
  expect(reads).toBe(once);
  await store.points.append(batchOf([sample("a", 359)], { sequence: 1 }));
  expect(await ask("orders")).toMatchObject([{ rate: 0.1 }]);
});
