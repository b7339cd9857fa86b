import * as fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { chanceOfSplit } from "./chance.ts";
import { bestSegment, bestSplit, findCandidates, keepClear, lastUnlike } from "./change-points.ts";

/** Levels, each `[length, height]`, with noise up to `noise` to both sides. */
function levels(
  parts: readonly (readonly [number, number])[],
  noise = 0.1,
  seed = 1,
): Float64Array {
  const random = seededRandom(seed);
  return Float64Array.from(
    parts.flatMap(([length, height]) =>
      Array.from({ length }, () => height + noise * (2 * random() - 1)),
    ),
  );
}

function changesOf(values: Float64Array, chanceMax = 0.01): number[] {
  const series = { values, varianceMin: 1e-6 };
  return keepClear(series, findCandidates(series), chanceMax).map(({ at }) => at);
}

test.each([
  ["one level", levels([[50, 5]]), []],
  [
    "one step",
    levels([
      [20, 5],
      [30, 6],
    ]),
    [20],
  ],
  [
    "a step back",
    levels([
      [20, 5],
      [20, 6],
      [20, 5],
    ]),
    [20, 40],
  ],
  [
    "three steps up",
    levels([
      [15, 5],
      [15, 6],
      [15, 7],
      [15, 8],
    ]),
    [15, 30, 45],
  ],
  [
    "what came and went again in a long history",
    levels([
      [150, 5],
      [8, 5.5],
      [150, 5],
    ]),
    [150, 158],
  ],
  [
    "levels of three",
    levels([
      [12, 5],
      [3, 8],
    ]),
    [12],
  ],
  [
    "the last of five load tests",
    levels([
      [4, 5],
      [1, 50],
    ]),
    [],
  ],
  ["nothing at all", levels([]), []],
])("in %s, finds the runs that introduced changes", (_, values, expected) => {
  expect(changesOf(values)).toEqual(expected);
});

test("an outlier is not a change", () => {
  for (const at of [0, 7, 24, 49]) {
    expect(changesOf(levels([[50, 5]]).with(at, 40)), `${at}`).toEqual([]);
  }
});

test("a change point holds both levels and the probability of noise", () => {
  const series = {
    values: levels([
      [20, 5],
      [20, 6],
      [20, 5],
    ]),
    varianceMin: 1e-6,
  };
  const [first, second] = keepClear(series, findCandidates(series), 0.01);
  expect(first).toMatchObject({ from: 0, at: 20, until: 40 });
  expect(second).toMatchObject({ from: 20, at: 40, until: 60 });
  expect(first?.chance).toBeLessThan(1e-9);
});

test("an unclear candidate is removed and its neighbours are examined again", () => {
  const series = {
    values: levels([
      [20, 5],
      [20, 6],
    ]),
    varianceMin: 1e-6,
  };
  expect(keepClear(series, [10, 20, 31], 0.01)).toMatchObject([{ from: 0, at: 20, until: 40 }]);
});

test("change points do not depend on offset or scale of the values", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1, max: 9 }),
      (seed, factor) => {
        const values = levels(
          [
            [10, 5],
            [12, 5.1],
            [9, 5],
          ],
          0.1,
          seed,
        );
        const moved = values.map((value) => factor * value + 100);
        expect(changesOf(moved)).toEqual(changesOf(values));
      },
    ),
    { numRuns: 30 },
  );
});

test.each([
  [
    "one value",
    levels([
      [20, 5],
      [1, 6],
    ]),
    undefined,
  ],
  [
    "two values",
    levels([
      [20, 5],
      [2, 6],
    ]),
    20,
  ],
  ["values like the others", levels([[22, 5]]), undefined],
  [
    "two values after a level that is hardly known",
    levels([
      [4, 5],
      [2, 6],
    ]),
    undefined,
  ],
])("the end changes the level: %s", (_, values, at) => {
  expect(lastUnlike({ values, varianceMin: 1e-6 }, 0)?.at).toBe(at);
});

test("the end is compared with the level before it, not with earlier ones", () => {
  const values = levels([
    [20, 5],
    [20, 6],
    [2, 5],
  ]);
  expect(lastUnlike({ values, varianceMin: 1e-6 }, 20)).toMatchObject({
    from: 20,
    at: 40,
    until: 42,
  });
  expect(lastUnlike({ values, varianceMin: 1e-6 }, 0)).toBeUndefined();
});

test("short histories have candidates exactly where the best split or segment is clear", () => {
  const random = seededRandom(7);
  let clear = 0;
  for (let history = 0; history < 2000; history++) {
    const [length, at] = [6 + (history % 27), Math.floor(5 * random())];
    const until = at + Math.ceil(length * random());
    const height = 2 * random();
    const values = Float64Array.from({ length }, (_, place) => {
      return random() + random() + (place >= at && place < until ? height : 0);
    });
    const series = { values, varianceMin: history % 2 === 0 ? 1e-6 : 0.3 };
    const part = { from: 0, until: length };
    const split = { ...part, at: bestSplit(values, part) ?? 0 };
    // 1 % at the best place of a split, and 5 % at any segment.
    const isClear =
      chanceOfSplit(series, split) < 0.01 || (bestSegment(series, part)?.chance ?? 1) < 0.05;
    if (isClear) clear += 1;
    expect(findCandidates(series).length > 0).toBe(isClear);
  }
  expect(clear).toBeGreaterThan(200);
});
