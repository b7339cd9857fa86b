import { expect, test } from "vitest";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { readMeasures } from "../query/read-measures.ts";
import type { QueriedHistogram } from "../source/download/prometheus.ts";
import { parseMeasureQuery, pullMeasure } from "./pull-measures.ts";

test.each([
  ["cpu=avg by (host) (load1)", "cpu", "avg by (host) (load1)"],
  [" disk free /var\t =\n a = b ", "disk free /var", "a = b "],
  ['up{job="a"}', undefined, 'up{job="a"}'],
  ["up == 1", undefined, "up == 1"],
  ["a =~ b", undefined, "a =~ b"],
])("the name of %j is %j", (text, name, query) => {
  expect(parseMeasureQuery(text)).toEqual({ name, query });
});

test("a query of blanks is read in linear time", () => {
  const beganMs = performance.now();
  const query = `a${" ".repeat(60_000)}(b`;
  expect(parseMeasureQuery(query)).toEqual({ name: undefined, query });
  expect(performance.now() - beganMs).toBeLessThan(500);
});

const START = 1_790_000_000;

/** `buckets`: bounds and numbers of values, each of which counts 1 in the sum. */
async function pulled(...all: readonly (readonly [from: number, to: number, times: number][])[]) {
  const store = openMemoryStore();
  const histograms = all.map((buckets, at): readonly [number, QueriedHistogram] => {
    const total = String(buckets.reduce((sum, [, , times]) => sum + times, 0));
    const texts = buckets.map(
      (numbers) => [0, ...numbers.map((each) => String(each).replace("inity", ""))] as never,
    );
    return [START + at, { count: total, sum: total, buckets: texts }];
  });
  await pullMeasure({
    target: store,
    prometheus: {
      queryRange: async () => [{ metric: {}, histograms }],
      typeOf: async () => undefined,
    },
    loadTest: { id: "run", name: "run", createdAtMs: 0 },
    query: { name: "waits", query: "waits" },
    range: { from: START, until: START + all.length - 1, stepSeconds: 1 },
  });
  const { measures } = await readMeasures(store.points, { loadTestId: "run", range: undefined });
  return measures[0];
}

/** Bounds of scale 4. */
const bound = (index: number): number => 2 ** (index / 16);

test("a histogram that began again counts whole, also with more values than before", async () => {
  const [low, high] = [[bound(0), bound(1)] as const, [bound(32), bound(33)] as const];
  const lower = await pulled(
    [[...low, 100]],
    [
      [...low, 50],
      [...high, 100],
    ],
  );
  expect(lower).toMatchObject({ count: 150, sum: 150, p50: expect.closeTo(4, 0) });
  const gone = await pulled([[...low, 100]], [[...high, 150]]);
  expect(gone).toMatchObject({ count: 150, p50: expect.closeTo(4, 0) });
});

test("buckets that were united did not begin again", async () => {
  const united = await pulled(
    [
      [-0.1, 0.1, 1],
      [0.1, 0.101, 1],
      [bound(16), bound(17), 3],
      [bound(17), bound(18), 4],
    ],
    [
      [-0.2, 0.2, 2],
      [bound(16), bound(18), 17],
    ],
  );
  expect(united).toMatchObject({ count: 10, p50: expect.closeTo(2, 0) });
});

test.each([
  ["without an end", -Infinity, 1, Infinity],
  ["too wide for that", 1, 2, 4],
  ["that end at zero", -Infinity, 0, 5],
  ["that have only zero as a bound", -Infinity, 0, Infinity],
  ["around zero with two bounds", -1, 0, 5],
])("buckets %s give no percentiles, but what was added", async (_, least, middle, most) => {
  const custom = await pulled(
    [
      [least, middle, 2],
      [middle, most, 1],
    ],
    [
      [least, middle, 3],
      [middle, most, 4],
    ],
  );
  expect(custom).toMatchObject({ count: 4, sum: 4 });
  expect(custom?.p50).toBeUndefined();
});

test("a bucket without any bound gives no percentiles, but what was added", async () => {
  const single = await pulled([[-Infinity, Infinity, 3]], [[-Infinity, Infinity, 7]]);
  expect(single).toMatchObject({ count: 4, sum: 4 });
  expect(single?.p50).toBeUndefined();
});
