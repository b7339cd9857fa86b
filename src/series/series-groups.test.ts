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
