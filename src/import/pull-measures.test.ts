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

test("a histogram that began again counts whole, also with more values than before", async () => {
  const lower = await pulled(
    [[1, 2, 100]],
    [
      [1, 2, 50],
      [2, 4, 100],
    ],
  );
  expect(lower).toMatchObject({ count: 150, sum: 150, p50: expect.any(Number) });
  const gone = await pulled([[1, 2, 100]], [[4, 8, 150]]);
  expect(gone).toMatchObject({ count: 150, p50: expect.closeTo(Math.sqrt(32), 0) });
});

test("buckets that were united did not begin again", async () => {
  const united = await pulled(
    [
      [-0.1, 0.1, 1],
      [0.1, 0.2, 1],
      [1, 2, 3],
      [2, 4, 4],
    ],
    [
      [-0.2, 0.2, 2],
      [1, 4, 17],
    ],
  );
  expect(united).toMatchObject({ count: 10, p50: expect.closeTo(2, 0) });
});

test("buckets without an end give no percentiles, but what was added", async () => {
  const custom = await pulled(
    [
      [-Infinity, 1, 2],
      [1, Infinity, 1],
    ],
    [
      [-Infinity, 1, 3],
      [1, Infinity, 4],
    ],
  );
  expect(custom).toMatchObject({ count: 4, sum: 4 });
  expect(custom?.p50).toBeUndefined();
});
