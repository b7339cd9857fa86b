import { expect, test } from "vitest";
import { seriesName } from "../model/series/facets.ts";
import { parseConditions } from "./merge-all-series.ts";
import { shownName } from "./series-groups.ts";

const SERIES = seriesName("GET /", [["scenario", "browse"]]);

test("a series is matched with more than a thousand conditions in less than milliseconds", () => {
  const text = Array.from({ length: 1500 }, (_, at) => `a!:${at}`).join(",");
  const where = parseConditions(text);
  const beginMs = performance.now();
  for (let each = 0; each < 1000; each++) {
    expect(shownName(SERIES, { where, by: [] })).toBe("GET /");
  }
  // Compared each with each, they would take a minute.
  expect(performance.now() - beginMs).toBeLessThan(5000);
});

/** How long matching takes with a condition on each of `count` facets. */
function matchingMs(count: number): number {
  const names = Array.from({ length: count }, (_, at) => `${at}!:1`);
  const selection = { where: parseConditions(names.join(",")), by: [] };
  const beganMs = performance.now();
  for (let each = 0; each < 50_000; each++) shownName(SERIES, selection);
  return performance.now() - beganMs;
}

test("conditions on more than a thousand facets take no longer for each series than one", () => {
  const oneMs = matchingMs(1);
  // Looking each of them up would take a hundred times as long.
  expect(matchingMs(2000)).toBeLessThan(10 * oneMs + 500);
});

test.each([
  ["scenario:browse", true],
  ["scenario:browse,scenario:buy", true],
  ["scenario:buy", false],
  ["scenario!:browse", false],
  ["scenario!:buy,scenario:browse", true],
  ["scenario!:browse,scenario:browse", false],
  ["scenario:", false],
  ["scenario!:", true],
  ["host:", true],
  ["host:(none),scenario:browse", true],
  ["host!:", false],
  ["host!:a", true],
  ["host:a", false],
  ["host:a,host:", true],
  ["host:a,scenario:browse", false],
])("a series of scenario browse meets %s: %s", (text, isMet) => {
  const where = parseConditions(text);
  expect(shownName(SERIES, { where, by: [] }) !== undefined).toBe(isMet);
});
