import { array, assert, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { endValue, pushedApart } from "./line-ends.ts";

test("a name is placed at the median of the last fifteenth, or at the last value", () => {
  const values = Array.from({ length: 60 }, (_, index) => index);
  expect(endValue(values)).toBe(58);
  expect(endValue([1, 2, 9, null])).toBe(9);
  expect(endValue([null, null])).toBeUndefined();
});

test.each([
  ["names with room stay", [10, 50, 90], [10, 50, 90]],
  ["names too near go down, in their order", [20, 10, 12], [36, 10, 23]],
  ["names at the foot go up", [99, 98], [100, 87]],
  ["of equal names the first is above", [10, 10], [10, 23]],
])("%s", (_, requests, places) => {
  expect(pushedApart(requests, 13, 100)).toEqual(places);
});

test("no two names are closer than the gap", () => {
  const requests = array(integer({ min: 0, max: 200 }), { maxLength: 12 });
  assert(
    property(requests, (requested) => {
      const places = pushedApart(requested, 13, 200).toSorted((left, right) => left - right);
      for (const [index, place] of places.slice(1).entries()) {
        expect(place - (places[index] as number)).toBeGreaterThanOrEqual(13);
      }
    }),
  );
});
