/** Findings of recordings and of generated load tests, held against the requests themselves. */

import { expect, test } from "vitest";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { anomaliesOf } from "../../src/analysis/findings/incidents.ts";
import { readFindings } from "../../src/analysis/findings/read-findings.ts";
import { readRecording } from "../demo/recording.ts";
import { type IndependentSample, readResults } from "../independent/read-results.mjs";
import { FIXTURES, readFixture } from "../samples/fixtures.ts";
import { importAndRead, LOAD_TEST_ID } from "../samples/import-and-read.ts";
import { wholeBy } from "../samples/whole-samples.ts";
import { firstOf } from "../support/anomalies.ts";
import type { LabelledSample } from "../support/batches.ts";
import { findingDifferences } from "./finding-differences.ts";
import { foundIn } from "./found-in.ts";
import { generatedSamples, NOISES, START } from "./generated-load-tests.ts";

const RECORDINGS = [
  { name: "the demo", read: readRecording },
  ...FIXTURES.filter(({ recorded }) => recorded >= 500).map(({ file }) => ({
    name: file,
    read: () => readFixture(file),
  })),
];

test.each(RECORDINGS)("what is found in $name is true", async ({ read }) => {
  const bytes = read();
  const { points } = await importAndRead(bytes);
  const query = { loadTestId: LOAD_TEST_ID, selection: ALL_ENDPOINTS, range: undefined };
  const findings = await readFindings(points, query);
  const wholeOf = await wholeBy(points);
  expect(
    findingDifferences(anomaliesOf(findings.incidents), wholeOf(readResults(bytes)?.samples ?? [])),
  ).toEqual([]);
});

/** The samples as the independent reader would give them. */
function plainly(samples: readonly LabelledSample[]): IndependentSample[] {
  return samples.map(({ label, second, elapsedMicros, receivedBytes, failed }) => ({
    label,
    second: BigInt(second),
    micros: BigInt(elapsedMicros),
    bytes: BigInt(receivedBytes),
    requests: 1n,
    failed: failed ? 1n : 0n,
  }));
}

const SHAPE = { seconds: 600, requestsPerSecond: 15, endpoints: 4 };

test.each(Object.entries(NOISES).filter(([name]) => name !== "steep wave"))(
  "nothing is found in %s",
  async (_, noise) => {
    for (let seed = 1; seed <= 3; seed++) {
      const found = await foundIn(generatedSamples({ ...SHAPE, noise, seed }));
      expect(anomaliesOf(found.incidents).filter(({ kind }) => kind !== "drift")).toEqual([]);
    }
  },
);

test.each(["calm", "drift", "milliseconds", "wave"] as const)(
  "a step and a burst in %s are found and correct",
  async (name) => {
    for (let seed = 1; seed <= 3; seed++) {
      const samples = generatedSamples({
        ...SHAPE,
        noise: NOISES[name],
        seed,
        slowdown: (second, endpoint) => (endpoint < 2 && second >= 240 && second < 420 ? 5 : 1),
        failing: (second, endpoint) =>
          endpoint === 3 && second >= 200 && second < 230 ? 0.5 : 0.0005,
      });
      const found = await foundIn(samples);
      expect(Math.abs((firstOf(found, "step")?.at ?? 0) - START - 240)).toBeLessThanOrEqual(10);
      expect(firstOf(found, "burst")?.endpoints[0]?.label).toBe("endpoint 3");
      expect(findingDifferences(anomaliesOf(found.incidents), plainly(samples))).toEqual([]);
    }
  },
);

test("a step and a burst of minutes are found in six hours, and true", async () => {
  const seconds = 6 * 3600;
  const samples = generatedSamples({
    seconds,
    requestsPerSecond: 5,
    endpoints: 2,
    noise: NOISES.calm,
    seed: 1,
    slowdown: (second, endpoint) =>
      (endpoint === 1 && second >= 15_011 && second < 15_611 ? 6 : 1) *
      Math.exp(Math.sin((2 * Math.PI * second) / seconds)),
    failing: (second) => (second >= 5000 && second < 5100 ? 0.5 : 0.0001),
  });
  const found = await foundIn(samples);
  const [step, burst] = [firstOf(found, "step"), firstOf(found, "burst")];
  expect(Math.abs((step?.at ?? 0) - START - 15_011)).toBeLessThanOrEqual(5);
  expect(Math.abs((step?.backAt ?? 0) - START - 15_611)).toBeLessThanOrEqual(5);
  expect(step?.endpoints.map(({ label }) => label)).toEqual(["endpoint 1"]);
  expect(burst?.from).toBeGreaterThanOrEqual(START + 5000);
  expect(burst?.until).toBeLessThan(START + 5100);
  const near = plainly(
    samples.filter(({ second }) => second >= START + 14_900 && second < START + 15_700),
  );
  expect(findingDifferences(step ? [step] : [], near)).toEqual([]);
});
