import { seededRandom } from "../../../bench/seeded-random.ts";
import { expect, test } from "vitest";
import { compareSamples } from "../../../test/accuracy/compared-samples.ts";
import { batchOf, type LabelledSample, sample } from "../../../test/support/batches.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { CompareBlocks, planBlocks } from "./compare-blocks.ts";
import { testedPair } from "./compare-intervals.ts";
import { evaluateRow } from "./evaluate-row.ts";
import { shiftOf } from "./compare-shift.ts";

const START = 1_700_000_000;

test.each([
  { requests: 50, seconds: 30, windowSeconds: 1, blocks: 10 },
  { requests: 49, seconds: 30, windowSeconds: 1, blocks: undefined },
  { requests: 50, seconds: 29, windowSeconds: 1, blocks: undefined },
  { requests: 50, seconds: 900, windowSeconds: 1, blocks: 30 },
  { requests: 50, seconds: 60, windowSeconds: 10, blocks: 6 },
  { requests: 50, seconds: 59, windowSeconds: 10, blocks: undefined },
])("$requests requests in $seconds s are $blocks blocks", ({ seconds, blocks, ...given }) => {
  const span = { ...given, from: START, until: START + seconds };
  expect(planBlocks(span)?.blocks).toBe(blocks);
});

/** Blocks of 10 s of a load test of 300 s. */
function blocksOf(samples: readonly LabelledSample[]): CompareBlocks {
  const blocks = new CompareBlocks();
  blocks.begin({ from: START, blocks: 30, blockSeconds: 10 });
  blocks.add(batchOf(samples).points);
  return blocks;
}

/** Ten requests in each of so many blocks, with the response time of each. */
function inBlocks(used: number, microsIn: (block: number) => number): LabelledSample[] {
  return Array.from({ length: 10 * used }, (_, index) => {
    const block = Math.floor(index / 10);
    return sample("a", START + 10 * block + (index % 10), microsIn(block));
  });
}

test.each([
  { used: 4, isTested: false },
  { used: 5, isTested: true },
])("requests in $used blocks are tested: $isTested", ({ used, isTested }) => {
  const [base, later] = [blocksOf(inBlocks(30, () => 1000)), blocksOf(inBlocks(used, () => 1000))];
  expect(testedPair({ base, later }, undefined) !== undefined).toBe(isTested);
});

test("a response time a hundred times as long counts as ten times the geometric mean", () => {
  const base = blocksOf(inBlocks(10, () => 100));
  const later = blocksOf([...inBlocks(10, () => 100).slice(1), sample("a", START, 10_000)]);
  const shift = shiftOf({ base, later });
  const change = (shift?.later.average ?? 0) - (shift?.base.average ?? 0);
  // It is one of 100, so it moves the mean of the logarithms by ln(100) / 100; its bucket is within 0.1 %.
  expect(change).toBeCloseTo((Math.log(10) + Math.log(100) / 100) / 100, 5);
});

test.each(["log-normal", "heavy tail", "two modes"])(
  "if all response times are 1.25 or 2 times as long, so is the shift (%s)",
  (shape) => {
    const random = seededRandom(7);
    const timeOf: Record<string, () => number> = {
      "log-normal": () => Math.exp(10 + 1.5 * (random() + random() + random() - 1.5)),
      "heavy tail": () => 1000 * (1 - random()) ** (-1 / 1.1),
      "two modes": () => (random() < 0.5 ? 8000 : 400_000) * (1 + random()),
    };
    const times = Array.from({ length: 3000 }, timeOf[shape] as () => number);
    const scaled = (factor: number) =>
      blocksOf(
        times.map((time, index) => sample("a", START + (index % 60), Math.round(factor * time))),
      );
    for (const factor of [1.25, 2]) {
      const shift = shiftOf({ base: scaled(1), later: scaled(factor) });
      const change = (shift?.later.average ?? 0) - (shift?.base.average ?? 0);
      expect(Math.abs(Math.exp(change) - factor)).toBeLessThan(0.01);
    }
  },
);

test("limits hold for one figure of six with an error of 1 % altogether", async () => {
  // By turns 100 and 110 microseconds: the standard error is ln(1.1) / 2 / sqrt(29), and t is 3.47.
  const base = inBlocks(30, () => 100);
  const later = inBlocks(30, (block) => (block % 2 === 0 ? 100 : 110));
  const { low = 0, high = 0 } = (await compareSamples(base, later)).overall.shift;
  const halfWidth = Math.log((1 + high) / (1 + low)) / 2;
  expect(halfWidth / (Math.log(1.1) / 2 / Math.sqrt(29))).toBeCloseTo(T_29, 2);
});

/** Student's t for 29 degrees of freedom, two-sided error 0.01 / 6 (by integration of its density). */
const T_29 = 3.466;

test("the limits of a percentile equal in all blocks are one bucket of each run, which is within 0.1 % of its middle", async () => {
  const base = inBlocks(30, () => 100);
  const later = [...base, ...base];
  const { low = 0, high = 0 } = (await compareSamples(base, later)).overall.p50;
  expect(Math.log(1 + low)).toBeCloseTo(-0.002, 9);
  expect(Math.log(1 + high)).toBeCloseTo(0.002, 9);
});

/** The same points, of which a request in every second has no response time. */
function withUntimed(points: DataPoints): DataPoints {
  const untimedRequests = new Float64Array(points.second.length).fill(1);
  return { ...points, requests: points.requests.map((count) => count + 1), untimedRequests };
}

test("averages and shifts leave out requests without a response time", () => {
  const [base, later] = [new CompareBlocks(), new CompareBlocks()];
  const { points } = batchOf(inBlocks(30, () => 100));
  for (const blocks of [base, later]) blocks.begin({ from: START, blocks: 30, blockSeconds: 10 });
  base.add(points);
  later.add(withUntimed(points));
  const { counts, requests } = later.elapsedMicros();
  expect([counts[0], requests[0]]).toEqual([1000, 10]);
  const shift = shiftOf({ base, later });
  expect(shift?.later.average).toBe(shift?.base.average);
});

test("without a distribution on one side there is no shift, and no limit of a percentile", () => {
  const [base, later] = [new CompareBlocks(), new CompareBlocks()];
  const { points } = batchOf(inBlocks(30, (block) => 100 + (block % 2)));
  for (const blocks of [base, later]) blocks.begin({ from: START, blocks: 30, blockSeconds: 10 });
  base.add(points);
  later.add({
    ...points,
    bucketsFrom: new Uint32Array(points.second.length + 1),
    bucket: new Uint16Array(0),
    bucketCount: new Float64Array(0),
  });
  const shift = shiftOf({ base, later });
  expect(shift).toBeUndefined();
  const row = evaluateRow({ base, later }, shift, 0.01);
  expect(row.p95).toEqual({ base: 0.000101 });
  expect(row.shift).toEqual({});
  expect(row.verdict).toBe("inconclusive");
});
