import { expect, test } from "vitest";
import { quantileMicros } from "../support/histograms.ts";
import { sortedMicros } from "../independent/answers.mjs";
import { readResults } from "../independent/read-results.mjs";
import { readingDifferences } from "../samples/check-file.ts";
import { figuresOfEndpoint } from "../samples/figures.ts";
import { importAndRead } from "../samples/import-and-read.ts";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";
import { neighboursOf, percentilesOf, readRecording, readStatistics } from "./recording.ts";

const imported = await importAndRead(readRecording());
const reading = readResults(readRecording());
const samples = Map.groupBy(reading?.samples ?? [], ({ label }) => label);
const statistics = readStatistics();

test("the import of the recording equals an independent reading", () => {
  expect(imported.outcome).toMatchObject({ recorded: reading?.samples.length, rejected: 0 });
  expect(readingDifferences(imported, reading)).toEqual([]);
});

test("so does the import into a file on disk", async () => {
  const store = await openStoreIn(temporaryDirectory());
  const onDisk = await importAndRead(readRecording(), { store });
  expect(readingDifferences(onDisk, reading)).toEqual([]);
});

test.each(imported.endpoints)("$label has the figures that JMeter reports", (endpoint) => {
  const own = statistics.get(endpoint.label);
  expect(figuresOfEndpoint(endpoint)).toEqual({
    count: own?.sampleCount,
    errors: own?.errorCount,
    // JMeter prints every digit, an answer six decimals of a second.
    avgMs: expect.closeTo(own?.meanResTime ?? Number.NaN, 2),
    minMs: own?.minResTime,
    maxMs: own?.maxResTime,
  });
});

test.each(imported.endpoints)("$label has JMeter's percentiles, within 1 %", (endpoint) => {
  const own = statistics.get(endpoint.label);
  const sorted = sortedMicros(samples.get(endpoint.label) ?? []);
  for (const { q } of own === undefined ? [] : percentilesOf(own)) {
    // JMeter interpolates between two neighbouring values, which may lie far apart.
    const { lower, upper } = neighboursOf(sorted, q);
    const micros = quantileMicros(endpoint.histogram, q);
    expect(micros).toBeGreaterThanOrEqual(lower * 0.99);
    expect(micros).toBeLessThanOrEqual(upper * 1.01);
  }
});
