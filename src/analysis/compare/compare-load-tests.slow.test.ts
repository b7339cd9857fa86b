/** Compares real recordings with halves of themselves, unchanged and with an added change. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import {
  changesIn,
  compareSamples,
  halvesOf,
  samplesOf,
  slowedBy,
  SPLITTERS,
} from "../../../test/accuracy/compared-samples.ts";
import { generatedSamples, NOISES } from "../../../test/accuracy/generated-load-tests.ts";
import { readRecording } from "../../../test/demo/recording.ts";

const SPLITS = 40;

const FIXTURES = path.join(import.meta.dirname, "../../../test/fixtures");
const RECORDINGS = {
  "demo shop": samplesOf(readRecording()),
  "locust fixture": samplesOf(
    readFileSync(path.join(FIXTURES, "locust/gen-locust-2.47.0-request-log_requests.csv.gz")),
  ),
};

test.each(
  Object.entries(RECORDINGS).flatMap(([name, samples]) =>
    Object.entries(SPLITTERS).map(([by, splitter]) => [name, by, samples, splitter] as const),
  ),
)("halves of %s, split by %s, differ in at most one split of twenty", async (...args) => {
  const [, , samples, splitter] = args;
  let differing = 0;
  let tested = 0;
  for (let seed = 1; seed <= SPLITS; seed++) {
    const { first, second } = halvesOf(samples, splitter(seededRandom(seed)));
    const comparison = await compareSamples(first, second);
    if (changesIn(comparison).length > 0) differing += 1;
    if (comparison.overall.shift.isSignificant !== undefined) tested += 1;
  }
  expect(tested).toBeGreaterThan(SPLITS / 2);
  expect(differing).toBeLessThanOrEqual(SPLITS / 20);
});

test("a 10 % slowdown added to a recording is found, and so is a speed-up", async () => {
  const samples = RECORDINGS["demo shop"];
  const slower = await compareSamples(samples, slowedBy(1.1, samples));
  expect(slower.overall).toMatchObject({ verdict: "slower" });
  expect(slower.overall.avgLoadTime.change).toBeCloseTo(0.1, 3);
  // A tenth of 4 ms is little beside the minute in which all requests are slow.
  const found = slower.endpoints.filter(({ verdict }) => verdict === "slower");
  const missed = slower.endpoints.filter(({ verdict }) => verdict !== "slower");
  expect(found).toHaveLength(12);
  expect(missed).toMatchObject([{ label: "GET /images/logo.svg", verdict: "inconclusive" }]);
  const faster = await compareSamples(slowedBy(1.1, samples), samples);
  expect(faster.overall).toMatchObject({ verdict: "faster" });
});

test("a half slowed down by 10 % is always found among other requests", async () => {
  const verdicts: string[] = [];
  for (let seed = 1; seed <= 10; seed++) {
    const isFirst = SPLITTERS.requests(seededRandom(seed));
    const { first, second } = halvesOf(RECORDINGS["demo shop"], isFirst);
    const { overall } = await compareSamples(first, slowedBy(1.1, second));
    verdicts.push(overall.verdict);
    expect(Math.abs((overall.shift.change ?? 0) - 0.1)).toBeLessThan(0.06);
  }
  expect(verdicts).toEqual(Array.from({ length: 10 }, () => "slower"));
});

test("a half in ranges that is a fifth slower is never reported as unchanged", async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const isFirst = SPLITTERS.stretches(seededRandom(seed));
    const { first, second } = halvesOf(RECORDINGS["demo shop"], isFirst);
    const { overall } = await compareSamples(first, slowedBy(1.2, second));
    expect(["slower", "inconclusive"]).toContain(overall.verdict);
  }
});

test.each(["calm", "heavy tails", "fast drift", "pauses"] as const)(
  "two load tests of the same service with %s differ in at most one pair of twenty",
  async (noise) => {
    let differing = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const shape = { seconds: 150, requestsPerSecond: 15, endpoints: 5, noise: NOISES[noise] };
      const base = generatedSamples({ ...shape, seed });
      const later = generatedSamples({ ...shape, seed: seed + 1000 });
      if (changesIn(await compareSamples(base, later)).length > 0) differing += 1;
    }
    expect(differing).toBeLessThanOrEqual(1);
  },
);
