import { expect, test } from "vitest";
import type { MeasureFacts } from "../../api/measures.ts";
import {
  groupsOf,
  namesIn,
  namesText,
  pointSeconds,
  rangeOf,
  seriesText,
  tagsOf,
  withTags,
} from "./measure-groups.ts";

function facts(name: string, part: Partial<MeasureFacts> = {}): MeasureFacts {
  const key = `${name} ${JSON.stringify(part)}`;
  const range = { from: 1, until: 1 };
  return { key, name, unit: "%", kind: "gauge", tags: {}, count: 1, ...range, ...part };
}

const CART = { label: "GET /cart", hash: "a" };
const PAY = { label: "POST /pay", hash: "b" };

test("series of a name are one group, the most frequent first", () => {
  const one = facts("cpu", { tags: { host: "a" }, count: 3 });
  const other = facts("cpu", { tags: { host: "b" }, count: 5 });
  const groups = groupsOf([facts("mem"), one, other, facts("cpu", { unit: "s" })], []);
  expect(groups.map(({ name, unit, series }) => [name, unit, series.length])).toEqual([
    ["cpu", "%", 2],
    ["cpu", "s", 1],
    ["mem", "%", 1],
  ]);
  const [cpu] = groups;
  expect(cpu?.series.map((series) => seriesText(series, cpu))).toEqual(["b", "a"]);
});

test("selected endpoints have their own series and those of the load test", () => {
  const measures = [
    facts("cpu"),
    facts("wait", { endpoint: CART }),
    facts("wait", { endpoint: PAY }),
  ];
  const groups = groupsOf(measures, ["b"]);
  expect(groups.flatMap(({ series }) => series.map(({ endpoint }) => endpoint?.label))).toEqual([
    undefined,
    "POST /pay",
  ]);
  expect(groupsOf(measures, []).flatMap(({ series }) => series)).toHaveLength(3);
});

test("a point has whole steps of its measures, and no less than a chart has", () => {
  const [group] = groupsOf([facts("cpu", { count: 91, from: 100, until: 280 })], []);
  expect(group && [1, 2, 5, 60].map((seconds) => pointSeconds(group, seconds))).toEqual([
    2, 2, 6, 60,
  ]);
  const [single] = groupsOf([facts("cpu")], []);
  expect(single && pointSeconds(single, 5)).toBe(5);
});

test("tags that all series have are left out of their names", () => {
  const role = "app";
  const measures = [
    facts("cpu", { tags: { core: "0", host: "a", role } }),
    facts("cpu", { tags: { core: "1", host: "b", role } }),
  ];
  const [group] = groupsOf(measures, []);
  expect(group?.series.map((series) => seriesText(series, group))).toEqual([
    "core=0 host=a",
    "core=1 host=b",
  ]);
});

test("any names fit in a URL parameter", () => {
  const names = ["cpu,total", "50 %", "ü"];
  expect(namesIn(namesText(names))).toEqual(names);
  expect(namesIn("%E0,cpu")).toEqual(["cpu"]);
  expect(namesIn(undefined)).toEqual([]);
});

test("the range is from the first to the last value; without a known time there is none", () => {
  const unknown = facts("mem", { from: 0, until: 0 });
  const known = [facts("cpu", { from: 20, until: 30 }), facts("net", { from: 10, until: 25 })];
  expect(rangeOf(groupsOf([unknown, ...known], []))).toEqual({ from: 10, until: 31 });
  expect(rangeOf(groupsOf([unknown], []))).toBeUndefined();
  expect(rangeOf([])).toBeUndefined();
});

test("tags with several values filter series", () => {
  const series = ["a", "b"].map((host) => facts("cpu", { tags: { host, os: "linux" }, count: 3 }));
  const groups = groupsOf([...series, facts("mem")], []);
  expect(tagsOf(groups.slice(0, 1))).toEqual([
    {
      name: "host",
      values: [
        { value: "a", requests: 3 },
        { value: "b", requests: 3 },
      ],
    },
  ]);
  expect(tagsOf(groups).map(({ name, values }) => [name, values.length])).toEqual([
    ["host", 3],
    ["os", 2],
  ]);
  const keysOf = (where: string | undefined) =>
    withTags(groups, where).flatMap((group) => group.series.map(({ tags }) => tags["host"]));
  expect(keysOf("host:b,os:linux")).toEqual(["b"]);
  expect(keysOf("host:(none),host:a")).toEqual(["a", undefined]);
  expect(keysOf(undefined)).toEqual(["a", "b", undefined]);
});
