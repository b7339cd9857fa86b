import { expect, test } from "vitest";
import {
  checksIn,
  isMeasured,
  type K6Summary,
  measureName,
} from "../../../test/support/k6-summary.ts";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { type DecodedMeasure, quantileOf } from "../../../test/support/decoded-measures.ts";
import type { Format } from "../decoder.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";
import { recording } from "../../../test/support/recording.ts";

/** One run of k6 1.8.1, as JSON and CSV, with what k6 itself summed up. */
const read = (file: string): string => recording(file).toString();

const SUMMARY = "k6-summary/gen-k6-1.8.1-main-summary-export.json.gz";
const JSON_FILE = "k6-json/gen-k6-1.8.1-main.json.gz";
const CSV_FILE = "k6-csv/gen-k6-1.8.1-main.csv.gz";

interface Point {
  readonly metric: string;
  readonly type: string;
  readonly data: { readonly value: number; readonly tags: Readonly<Record<string, string>> };
}

const summary = JSON.parse(read(SUMMARY)) as K6Summary;
const points = read(JSON_FILE)
  .split("\n")
  .filter((line) => line.includes('"Point"'))
  .map((line) => JSON.parse(line) as Point);

const FILES: readonly [string, Format, string][] = [
  ["JSON", k6Json, JSON_FILE],
  ["CSV", k6Csv, CSV_FILE],
];

function measuresOf(format: Format, file: string): readonly DecodedMeasure[] {
  const { measured } = decodeSource(format, read(file));
  expect(Object.values(measured?.unstored ?? { none: 1 })).toEqual([0, 0, 0, 0, 0]);
  return measured?.all ?? [];
}

test.each(FILES)("every metric of k6's summary is in its %s", (_name, format, file) => {
  const all = measuresOf(format, file);
  const metrics = Object.entries(summary.metrics).filter(([name]) => isMeasured(name));
  expect(metrics.length).toBeGreaterThan(15);
  for (const [metric, figures] of metrics) {
    const own = all.filter(
      ({ name, label }) => name === measureName(metric) && label === undefined,
    );
    const got = ownFigures(metric, own, figures);
    // CSV does not say which metrics of a script are gauges.
    const isUndeclared = format === k6Csv && metric === "depth";
    expect(isUndeclared ? { ...got, value: figures["value"] } : got).toEqual(figures);
  }
});

/** The figures of k6 where ours are equal, within the precision of each. */
function ownFigures(
  metric: string,
  own: readonly DecodedMeasure[],
  figures: Readonly<Record<string, number>>,
): Record<string, number> {
  const count = own.reduce((sum, each) => sum + each.count, 0);
  const sum = own.reduce((all, each) => all + each.sum, 0);
  const extreme = (of: "min" | "max") => Math[of](...own.map((each) => each[of] ?? Number.NaN));
  const isRate = "passes" in figures;
  const others: Readonly<Record<string, number>> = {
    min: extreme("min"),
    max: extreme("max"),
    passes: sum,
    fails: count - sum,
    value: isRate ? sum / count : (own[0]?.last ?? sum / count),
    count: "avg" in figures ? count : sum,
  };
  const figureOf = (name: string, want: number): number => {
    const share = name === "med" ? "50" : /^p\((\d+)\)$/.exec(name)?.[1];
    if (share !== undefined) {
      return isQuantile(metric, own, Number(share) / 100) ? want : Number.NaN;
    }
    if (name === "avg") {
      return Math.abs(sum / count - want) < 1e-9 * want + 1e-12 ? want : sum / count;
    }
    // `rate`: per second of the run, whose length k6 does not state.
    return others[name] ?? want;
  };
  return Object.fromEntries(
    Object.entries(figures).map(([name, want]) => [name, figureOf(name, want)]),
  );
}

/** k6 interpolates: whether ours is within 1 % of the values around. */
function isQuantile(metric: string, own: readonly DecodedMeasure[], share: number): boolean {
  const values = points
    .filter((point) => point.metric === metric)
    .map(({ data }) => data.value)
    .toSorted((left, right) => left - right);
  const place = share * (values.length - 1);
  const [first] = own;
  if (first === undefined) return false;
  const merged = { ...first, buckets: own.flatMap(({ buckets }) => buckets) };
  const got = quantileOf(merged, share);
  const [least, most] = [values[Math.floor(place)] ?? 0, values[Math.ceil(place)] ?? 0];
  return got >= least * 0.99 && got <= most * 1.01;
}

test.each(FILES)("checks of each group are those of k6 in its %s", (_name, format, file) => {
  const checks = measuresOf(format, file).filter(({ name }) => name === "checks");
  const got = checks.map(({ tags, count, sum }) => ({
    group: tags["group"],
    check: tags["check"],
    passes: sum,
    fails: count - sum,
  }));
  const wanted = checksIn(summary.root_group);
  expect(got).toEqual(expect.arrayContaining(wanted));
  expect(got.length).toBe(wanted.length);
});

test.each(FILES)(
  "sending, waiting and receiving add up to the duration in its %s",
  (_name, format, file) => {
    const all = measuresOf(format, file);
    const nanos = new Map<string, bigint>();
    for (const { metric, data } of points) {
      if (metric !== "http_req_duration") continue;
      const label = data.tags["name"] ?? "";
      nanos.set(label, (nanos.get(label) ?? 0n) + BigInt(Math.round(data.value * 1e6)));
    }
    expect(nanos.size).toBe(41);
    for (const [label, duration] of nanos) {
      const parts = all.filter(
        (each) => each.label === label && ["sending", "waiting", "receiving"].includes(each.name),
      );
      expect(parts.reduce((sum, each) => sum + each.sum, 0)).toBeCloseTo(Number(duration) / 1e6, 9);
    }
  },
);

test("phases count as their request: by second for the load test, by minute for the endpoint", () => {
  const { measured } = decodeSource(
    k6Csv,
    [
      "metric_name,timestamp,metric_value,name,status",
      row("http_req_duration", "1500"),
      row("http_req_waiting", "1400"),
      row("http_req_failed", "0"),
      row("http_req_duration", "100"),
      row("http_req_waiting", "90"),
      row("own_metric", "7"),
      "",
    ].join("\n"),
  );
  const seconds = measured?.all.map(({ label, name, seconds: rows, buckets }) => [
    label,
    name,
    rows.map(([second, count]) => [second, count]),
    buckets.length,
  ]);
  const starts = [
    [1_795_232_664, 1],
    [1_795_232_665, 1],
  ];
  expect(seconds).toEqual([
    [undefined, "own_metric", [[1_795_232_665, 1]], 1],
    [undefined, "waiting", starts, 2],
    ["home", "responses", starts, 0],
    ["home", "waiting", [[1_795_232_640, 2]], 0],
  ]);
});

test("kinds and units are those that JSON declares", () => {
  const { measured, rejections } = decodeSource(
    k6Json,
    [
      declared("level", "gauge", "default"),
      declared("sent", "counter", "data"),
      declared("took", "trend", "time"),
      point("level", "-2.5"),
      point("level", "1e-3"),
      point("sent", "12345678901234"),
      point("took", "0.30000000000000004"),
      point("surprise", "3"),
      point("level", "9007199254740993"),
      "",
    ].join("\n"),
  );
  expect(rejections).toEqual([]);
  expect(
    measured?.all.map(({ name, kind, unit, sum, last }) => [name, kind, unit, sum, last]),
  ).toEqual([
    ["level", "gauge", "", -2.499, 0.001],
    ["sent", "counter", "By", 12_345_678_901_234, undefined],
    ["surprise", "distribution", "", 3, undefined],
    ["took", "distribution", "ms", 0.3, undefined],
  ]);
  expect(measured?.unstored.value).toBe(1);
});

const row = (metric: string, value: string) => `${metric},1795232665500,${value},home,204`;

const declared = (name: string, type: string, contains: string) =>
  `{"type":"Metric","data":{"name":"${name}","type":"${type}","contains":"${contains}"},"metric":"${name}"}`;
const point = (name: string, value: string) =>
  `{"metric":"${name}","type":"Point","data":{"time":"2026-11-21T03:45:00.25Z","value":${value},"tags":{"group":"","ring":"2"}}}`;
