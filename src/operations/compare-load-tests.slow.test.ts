/** Real recordings against halves of themselves, where nothing has changed, and with a change put in. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../bench/seeded-random.ts";
import { readRecording } from "../../test/demo/recording.ts";
import { readResults } from "../../test/independent/read-results.mjs";
import { batchOf, type LabelledSample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openMemoryStore } from "../store/memory.ts";
import { ALL_ENDPOINTS } from "./endpoint-selection.ts";
import { compareLoadTests, type LoadTestComparison } from "./compare-load-tests.ts";

const SPLITS = 40;

function samplesOf(bytes: Uint8Array): LabelledSample[] {
  return (readResults(bytes)?.samples ?? []).map((each) => ({
    label: each.label,
    second: Number(each.second),
    elapsedMicros: Number(each.micros),
    receivedBytes: Number(each.bytes),
    failed: each.failed > 0n,
  }));
}

const FIXTURES = path.join(import.meta.dirname, "../../test/fixtures");
const RECORDINGS = {
  "demo shop": samplesOf(readRecording()),
  "locust fixture": samplesOf(
    readFileSync(path.join(FIXTURES, "locust/gen-locust-2.47.0-request-log_requests.csv.gz")),
  ),
};

/** Into which half a sample goes: each by itself, or with all others of the same five seconds. */
const SPLITTERS = {
  requests: (random: () => number) => () => random() < 0.5,
  stretches: (random: () => number) => {
    const halves = new Map<number, boolean>();
    return ({ second }: LabelledSample) => {
      const stretch = Math.floor(second / 5);
      const half = halves.get(stretch) ?? random() < 0.5;
      halves.set(stretch, half);
      return half;
    };
  },
};

async function compared(
  base: readonly LabelledSample[],
  later: readonly LabelledSample[],
): Promise<LoadTestComparison> {
  const store = openMemoryStore();
  for (const [loadTestId, samples] of [
    ["base", base],
    ["later", later],
  ] as const) {
    await store.loadTests.create(loadTest(loadTestId));
    await store.points.append(batchOf(samples, { loadTestId }));
  }
  const part = {
    range: undefined,
    selection: ALL_ENDPOINTS,
    skipStartSeconds: 0,
    skipEndSeconds: 0,
  };
  return compareLoadTests(store.points, {
    base: { ...part, loadTestId: "base" },
    later: { ...part, loadTestId: "later" },
  });
}

/** Whatever is said to differ. */
function changesIn({ overall, endpoints }: LoadTestComparison): string[] {
  return [{ ...overall, label: "(all)" }, ...endpoints].flatMap(({ label, verdict, errRate }) => [
    ...(verdict === "slower" || verdict === "faster" ? [`${label}: ${verdict}`] : []),
    ...(errRate.isSignificant === true ? [`${label}: fails otherwise`] : []),
  ]);
}

test.each(
  Object.entries(RECORDINGS).flatMap(([name, samples]) =>
    Object.entries(SPLITTERS).map(([by, splitter]) => [name, by, samples, splitter] as const),
  ),
)("halves of %s, split by %s, differ in at most one split of twenty", async (...args) => {
  const [, , samples, splitter] = args;
  let differing = 0;
  let judged = 0;
  for (let seed = 1; seed <= SPLITS; seed++) {
    const isFirst = splitter(seededRandom(seed));
    const halves = Map.groupBy(samples, isFirst);
    const comparison = await compared(halves.get(true) ?? [], halves.get(false) ?? []);
    if (changesIn(comparison).length > 0) differing += 1;
    if (comparison.overall.verdict !== "tooFew") judged += 1;
  }
  expect(judged).toBeGreaterThan(SPLITS / 2);
  expect(differing).toBeLessThanOrEqual(SPLITS / 20);
});

function slowedBy(factor: number, samples: readonly LabelledSample[]): LabelledSample[] {
  return samples.map((each) => ({
    ...each,
    elapsedMicros: Math.round(each.elapsedMicros * factor),
  }));
}

test("a slowdown of 10 % that is put into a recording is found, and a speed-up", async () => {
  const samples = RECORDINGS["demo shop"];
  const slower = await compared(samples, slowedBy(1.1, samples));
  expect(slower.overall).toMatchObject({ verdict: "slower" });
  expect(slower.overall.avgLoadTime.change).toBeCloseTo(0.1, 3);
  expect(new Set(slower.endpoints.map(({ verdict }) => verdict))).toEqual(new Set(["slower"]));
  const faster = await compared(slowedBy(1.1, samples), samples);
  expect(faster.overall).toMatchObject({ verdict: "faster" });
});

test("a half that is slowed down by 30 % is found among other requests, every time", async () => {
  expect(await verdictsOfSlowedHalves(1.3)).toEqual(Array.from({ length: 5 }, () => "slower"));
});

async function verdictsOfSlowedHalves(factor: number): Promise<string[]> {
  const verdicts: string[] = [];
  for (let seed = 1; seed <= 5; seed++) {
    const isFirst = SPLITTERS.requests(seededRandom(seed));
    const halves = Map.groupBy(RECORDINGS["demo shop"], isFirst);
    const slowed = slowedBy(factor, halves.get(false) ?? []);
    verdicts.push((await compared(halves.get(true) ?? [], slowed)).overall.verdict);
  }
  return verdicts;
}
