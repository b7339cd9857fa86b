import { expect, test } from "vitest";
import { decodeSource, seriesOfSamples } from "../../../test/support/decode-source.ts";
import { partsOfSeries } from "../../model/series/facets.ts";
import type { Format } from "../decoder.ts";
import { gatlingBinary } from "./gatling-binary.ts";
import { gatlingText } from "./gatling-text.ts";
import { recording } from "../../../test/support/recording.ts";

/** Requests by the value of a facet. */
function countsBy(facet: string, format: Format, log: string | Uint8Array) {
  const counts: Record<string, number> = {};
  for (const series of seriesOfSamples(decodeSource(format, log))) {
    const { facets } = partsOfSeries(series);
    const value = facets.find(([name]) => name === facet)?.[1] ?? "";
    counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

const CHECKOUT = { "3.12.0": "Checkout  flow", "3.15.1": "Checkout, flow" };

test.each([
  ["3.12.0", gatlingText, "gatling-text/gen-gatling-3.12.0"],
  ["3.15.1", gatlingBinary, "gatling-binary/gen-gatling-3.15.1"],
] as const)("requests of groups are as many as in the report of %s", (version, format, file) => {
  const log = recording(`${file}.simulation.log.gz`);
  const text = recording(`${file}.expected.json`).toString();
  const { endpoints } = JSON.parse(text) as { endpoints: Record<string, { count: number }> };
  const outer = CHECKOUT[version];
  const groups = [`${outer} / Inner «группа»`, outer, "G1", ""];
  const want = Object.fromEntries(groups.map((group) => [group, 0]));
  for (const [label, { count }] of Object.entries(endpoints)) {
    const group = groups.find((each) => label.startsWith(`${each} / `)) ?? "";
    want[group] = (want[group] ?? 0) + count;
  }
  expect(Object.values(want).every((count) => count > 0)).toBe(true);
  expect(countsBy("group", format, log)).toEqual(want);
});

// Columns as in logs of these versions, from which two users of two scenarios are taken.
test.each([
  [
    "2.0",
    `NavigationRest\t51-0\tUSER\tSTART\t1447111111001\t0
NavigationRest\t51-0\tREQUEST\t\tGet\t1447111111002\t1447111111002\t1447111111009\t1447111111009\tOK\t\u0020
UpdateDocuments\t51-1\tREQUEST\t\tGet\t1447111111002\t1447111111002\t1447111111009\t1447111111009\tOK\t\u0020
`,
    { NavigationRest: 1, UpdateDocuments: 1 },
  ],
  [
    "2.3",
    `USER\tNavigationRest\t1\tSTART\t1510000000001\t1510000000001
REQUEST\tNavigationRest\t1\t\tGet\t1510000000002\t1510000000009\tOK\t\u0020
REQUEST\tUpdateDocuments\t2\t\tGet\t1510000000002\t1510000000009\tOK\t\u0020
`,
    { NavigationRest: 1, UpdateDocuments: 1 },
  ],
  [
    "3.2",
    `USER\tNavigationRest\t1\tSTART\t1569000000001\t1569000000001
USER\tUpdateDocuments\t2\tSTART\t1569000000001\t1569000000001
REQUEST\t1\t\tGet\t1569000000002\t1569000000009\tOK\t\u0020
REQUEST\t2\tLogin\tGet\t1569000000002\t1569000000009\tKO\tno
USER\tNavigationRest\t1\tEND\t1569000000001\t1569000000010
USER\tUpdateDocuments\t1\tSTART\t1569000000011\t1569000000011
REQUEST\t1\t\tGet\t1569000000012\t1569000000019\tOK\t\u0020
REQUEST\t3\t\tGet\t1569000000012\t1569000000019\tOK\t\u0020
`,
    { NavigationRest: 1, UpdateDocuments: 2, "": 1 },
  ],
  [
    "3.4: the log does not say it",
    `USER\tNavigationRest\tSTART\t1600000000001
REQUEST\t\tGet\t1600000000002\t1600000000009\tOK\t\u0020
`,
    { "": 1 },
  ],
] as const)("scenarios of requests in a log of %s", (_, log, want) => {
  expect(countsBy("scenario", gatlingText, log)).toEqual(want);
});
