import { expect, test } from "vitest";
import {
  type Decoded,
  decodeSource,
  seriesOfSamples,
} from "../../../test/support/decode-source.ts";
import type { FacetOptions, Format } from "../decoder.ts";
import { FACETS_BEGIN, seriesName } from "../../model/series/facets.ts";
import { lineProtocol } from "../line-protocol/line-protocol.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";
import { recording } from "../../../test/support/recording.ts";

/** One run of k6 1.8.1, with `--out json --out csv --out influxdb`. */
const read = (file: string): string => recording(file).toString();
const posted = (file: string): string =>
  read(file)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { body: string }).body)
    .join("");

const SOURCES = {
  json: [k6Json, read("k6-json/gen-k6-1.8.1-main.json.gz")],
  csv: [k6Csv, read("k6-csv/gen-k6-1.8.1-main.csv.gz")],
  lines: [lineProtocol, posted("k6-influx/gen-k6-1.8.1-main.influx.ndjson.gz")],
} as const satisfies Record<string, readonly [Format, string]>;

function decode(source: keyof typeof SOURCES, facets?: FacetOptions): Decoded {
  const [format, text] = SOURCES[source];
  return decodeSource(format, text, [70_001], { timeZone: "UTC", facets });
}
const json = decode("json");
const others: readonly [string, Decoded][] = [
  ["CSV", decode("csv")],
  ["InfluxDB lines", decode("lines")],
];

/** As tags are in the CSV, where a tag of the script that holds "&" reads as two. */
const cut = (tags: Readonly<Record<string, string>>): readonly (readonly string[])[] =>
  Object.entries(tags).flatMap(([name, value]) =>
    `${name}=${value}`.split("&").map((pair) => pair.split("=")),
  );

const seriesOf = ({ measured }: Decoded) =>
  (measured?.all ?? [])
    .map(({ label, name, tags, count, sum, min, max, buckets, kind }) => {
      const sorted = cut(tags).toSorted(([left = ""], [right = ""]) => (left < right ? -1 : 1));
      const key = JSON.stringify([label, name, sorted]);
      return { key, name, tags, kind, count, sum, min, max, buckets };
    })
    .toSorted((left, right) => (left.key < right.key ? -1 : 1));

/** Metrics of the script that are no trends: only JSON says so. */
const DECLARED = new Set(["orders", "good", "depth"]);

const merged = (buckets: readonly (readonly number[])[]) => {
  const counts = new Map<number, number>();
  for (const [, middle = 0, count = 0] of buckets) {
    counts.set(middle, (counts.get(middle) ?? 0) + count);
  }
  return [...counts].toSorted(([left], [right]) => left - right);
};

test.each(others)("%s has every measure of the JSON, with the same statistics", (_name, other) => {
  const [want, got] = [seriesOf(json), seriesOf(other)];
  expect(new Set(want.map(({ name }) => name)).size).toBe(19);
  expect(got.map(({ key, count, sum }) => [key, count, sum])).toEqual(
    want.map(({ key, count, sum }) => [key, count, sum]),
  );
  const comparable = (all: typeof want) =>
    all
      .filter(({ name }) => !DECLARED.has(name))
      .map(({ key, kind, min, max, buckets }) => [key, kind, min, max, merged(buckets)]);
  expect(comparable(got)).toEqual(comparable(want));
});

const UNDECLARED = /^metrics of the script that may be counters, gauges or rates, .*: (.*)$/;

test("CSV says which metrics it does not declare", () => {
  const [[, csv] = ["", json]] = others;
  const named = csv.notes.flatMap((text) => UNDECLARED.exec(text)?.[1] ?? []);
  const names = ["basket_size", "checkout_ms", "depth", "good", "orders"];
  expect(named.join().split(", ").toSorted()).toEqual(names.map((name) => `"${name}"`));
  expect(json.notes.filter((text) => UNDECLARED.test(text))).toEqual([]);
});

const requestsOf = ({ samples }: Decoded) =>
  samples.map(({ label, elapsedMicros, failedRequests }) => [label, elapsedMicros, failedRequests]);

test.each(others)("%s has every request of the JSON", (_name, other) => {
  expect(requestsOf(json)).toHaveLength(980);
  expect(requestsOf(other)).toEqual(requestsOf(json));
});

const tagsOf = (metric: string) =>
  new Set(
    seriesOf(json)
      .filter(({ name }) => name === metric)
      .map(({ tags: { team: _team, ...tags } }) => JSON.stringify(tags)),
  );

test("scenario and group are tags of checks, iterations and metrics of the script", () => {
  expect(tagsOf("orders")).toEqual(new Set(['{"group":"::pay","scenario":"buy"}']));
  expect(tagsOf("iterations")).toEqual(new Set(['{"scenario":"browse"}', '{"scenario":"buy"}']));
  for (const tags of tagsOf("checks")) expect(tags).toMatch(/"check".*"group".*"scenario"/);
});

interface Point {
  readonly type: string;
  readonly metric: string;
  readonly data: { readonly tags?: Readonly<Record<string, string>> };
}

/** Requests by label and these tags, as the lines of the JSON say. */
function requestsBySeries(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of read("k6-json/gen-k6-1.8.1-main.json.gz").split("\n")) {
    if (line === "") continue;
    const { type, metric, data } = JSON.parse(line) as Point;
    if (type !== "Point" || metric !== "http_req_duration") continue;
    const { name: label = "", ...tags } = data.tags ?? {};
    const valueOf = (name: string) => tags[name] ?? "";
    const pairs = names.map(
      (name) =>
        [name, name === "scenario" && valueOf(name) === "default" ? "" : valueOf(name)] as const,
    );
    const series = seriesName(
      label,
      pairs.filter(([, value]) => value !== ""),
    );
    counts.set(series, (counts.get(series) ?? 0) + 1);
  }
  return counts;
}

function countBySeries(run: Decoded): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const series of seriesOfSamples(run)) counts.set(series, (counts.get(series) ?? 0) + 1);
  return counts;
}

test.each([["JSON", json] as const, ...others])("%s keeps groups and scenarios apart", (_, run) => {
  const want = requestsBySeries(["group", "scenario"]);
  expect([...want.keys()].some((series) => series.includes(FACETS_BEGIN))).toBe(true);
  expect(countBySeries(run)).toEqual(want);
});

test.each(["json", "csv", "lines"] as const)("%s: any tag is a facet if it is named", (source) => {
  const names = ["service", "method"];
  expect(countBySeries(decode(source, { names }))).toEqual(
    requestsBySeries(["group", "scenario", ...names]),
  );
  expect(countBySeries(decode(source, { names, areOff: true }))).toEqual(requestsBySeries(names));
  expect(countBySeries(decode(source, { areOff: true }))).toEqual(requestsBySeries([]));
});
