import { expect, test } from "vitest";
import {
  isForged,
  isOtherSeries,
  labelOfSeries,
  otherSeries,
  partsOfSeries,
  seriesName,
} from "./facets.ts";

const of = (json: string): string => `GET /\u0001${json}`;

test("a name is taken apart as it was put together", () => {
  const name = seriesName("GET /", [
    ["scenario", "pay, \u0001"],
    ["region", "eu"],
  ]);
  expect(partsOfSeries(name)).toEqual({
    label: "GET /",
    facets: [
      ["region", "eu"],
      ["scenario", "pay, \u0001"],
    ],
  });
});

test.each([
  ["unsorted", '["scenario","b","region","a"]'],
  ["twice the same", '["a","1","a","2"]'],
  ["not one of each", '["a"]'],
  ["no names of facets", '["a b","1"]'],
  ["without a value", '["a",""]'],
  ["a number", '["a",1]'],
  ["in another spelling", '["a", "1"]'],
  ["too many", JSON.stringify(Array.from({ length: 18 }, (_, at) => `n${10 + at}`))],
  ["too long", `["a","${"x".repeat(201)}"]`],
])("what is %s is no facet, but a forged label", (_, json) => {
  expect(labelOfSeries(of(json))).toBe(of(json));
  expect(isForged(labelOfSeries(of(json)))).toBe(true);
});

test("U+0001 in a label is no forgery by itself", () => {
  expect(isForged("a\u0001b")).toBe(false);
  expect(isForged(labelOfSeries(seriesName("a\u0001b", [["region", "eu"]])))).toBe(false);
});

test("series beyond the limits keep the names of their facets", () => {
  const other = otherSeries(seriesName("a", [["region", "eu"]]));
  expect(other).toBe(seriesName("a", [["region", "(other)"]]));
  expect([isOtherSeries(other), isOtherSeries("a")]).toEqual([true, false]);
});
