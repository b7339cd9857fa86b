/** The values of every facet of every recording add up to the recording, byte for byte. */

import { expect, test } from "vitest";
import { readFacets } from "../../src/query/read-facets.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { NO_VALUE } from "../../src/series/series-groups.ts";
import { expectToAddUp } from "../support/facet-parts.ts";
import { FIXTURES, readFixture } from "./fixtures.ts";
import { importAndRead, LOAD_TEST_ID } from "./import-and-read.ts";

const FOLDERS = [
  "gatling-binary",
  "gatling-text",
  "goose",
  "jmeter-csv",
  "jmeter-xml",
  "k6-csv",
  "k6-json",
];
const found = new Set<string>();

test.each(FIXTURES.filter(({ ending }) => ending !== "refused"))("$file", async ({ file }) => {
  // Some formats need to be told when the run began.
  const { points, outcome } = await importAndRead(readFixture(file), {
    startedAtMs: 1_700_000_000_000,
  });
  expect(outcome.refusal).toBeUndefined();
  const { facets } = await readFacets(points, {
    loadTestId: LOAD_TEST_ID,
    selection: ALL_ENDPOINTS,
  });
  for (const { name, values } of facets) {
    found.add(file.split("/")[0] ?? "");
    const all = values.map(({ value }) => (value === NO_VALUE ? "" : value));
    await expectToAddUp(points, LOAD_TEST_ID, [name, all]);
  }
});

test("recordings of all tools with facets were among them", () => {
  expect([...found]).toEqual(expect.arrayContaining(FOLDERS));
});
