import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bestSegment } from "./change-points.ts";
import { chanceOfT } from "./chance.ts";

const series = (values: readonly number[], varianceMin = 0) => ({
  values: Float64Array.from(values),
  varianceMin,
});

test("a temporary change is found, wherever the segment begins", () => {
  const values = [90, 90, 1, 2, 1, 2, 1, 8, 9, 8, 9, 2, 1, 2, 1, 90];
  const found = bestSegment(series(values), { from: 2, until: 15 });
  expect(found).toMatchObject({ from: 7, until: 11 });
  expect(found?.chance).toBeLessThan(0.001);
});

test("a single extreme value does not make a segment significant", () => {
  const values = [5, 6, 5, 6, 5, 6, 5, 99, 6, 5, 6, 5, 6, 5, 6];
  expect(bestSegment(series(values), { from: 0, until: 15 })?.chance).toBe(1);
});

test("fewer than three levels have no segment", () => {
  expect(bestSegment(series([1, 1, 1, 9, 9, 9, 1, 1]), { from: 0, until: 8 })).toBeUndefined();
});

test("finds the segment that explains most, with the chance of a t test against the rest", () => {
  const values = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 9, maxLength: 16 });
  fc.assert(
    fc.property(values, (given) => {
      const { length } = given;
      const found = bestSegment(series(given, 0.5), { from: 0, until: length });
      if (found === undefined) throw new Error("there is room for a stretch");
      let least = Infinity;
      for (let from = 3; from <= length - 6; from++) {
        for (let until = from + 3; until <= length - 3; until++) {
          least = Math.min(least, unexplained(given, from, until));
        }
      }
      const { from, until, chance } = found;
      expect(unexplained(given, from, until)).toBeCloseTo(least, 6);
      const average = averageOf(given);
      const inside = given.slice(from, until);
      const distances = inside.map((value) => Math.abs(value - average));
      // Two values may be as far away, one on each side.
      const extremes = distances.flatMap((each, index) =>
        Math.abs(each - Math.max(...distances)) < 1e-9 ? [from + index] : [],
      );
      const expected = extremes.map((extreme) => {
        const rest = given.toSpliced(extreme, 1);
        const worse = Math.max(chanceOf(given, from, until), chanceOf(rest, from, until - 1));
        return Math.min(1, (worse * length * (length - 1)) / 2);
      });
      expect(expected.some((each) => Math.abs(each - chance) < 1e-6)).toBe(true);
    }),
  );
});

test("the best segment of a long series is found wherever its ends are", () => {
  const values = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 150, maxLength: 250 });
  fc.assert(
    fc.property(values, (given) => {
      const { length } = given;
      const found = bestSegment(series(given, 0.5), { from: 0, until: length });
      const average = averageOf(given);
      const weightOf = (from: number, until: number): number => {
        const inside = until - from;
        let sum = 0;
        for (let at = from; at < until; at++) sum += (given[at] as number) - average;
        return sum ** 2 / (inside * (length - inside));
      };
      let most = 0;
      for (let from = 3; from <= length - 6; from++) {
        for (let until = from + 3; until <= length - 3; until++) {
          most = Math.max(most, weightOf(from, until));
        }
      }
      expect(weightOf(found?.from ?? 0, found?.until ?? 0)).toBeCloseTo(most, 9);
    }),
    { numRuns: 30 },
  );
});

/** The plain two-sided t test of the values of a stretch against all other values. */
function chanceOf(values: readonly number[], from: number, until: number): number {
  const [inside, outside] = [values.slice(from, until), values.toSpliced(from, until - from)];
  const difference = averageOf(inside) - averageOf(outside);
  const degreesOfFreedom = values.length - 2;
  const variance = Math.max(unexplained(values, from, until) / degreesOfFreedom, 0.5);
  const error = Math.sqrt(variance * (1 / inside.length + 1 / outside.length));
  return Math.abs(difference) < 1e-9
    ? 1
    : chanceOfT(Math.abs(difference) / error, degreesOfFreedom);
}

function unexplained(values: readonly number[], from: number, until: number): number {
  const groups = [values.slice(from, until), values.toSpliced(from, until - from)];
  return groups
    .flatMap((group) => group.map((value) => (value - averageOf(group)) ** 2))
    .reduce((sum, each) => sum + each, 0);
}

function averageOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
