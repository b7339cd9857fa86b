import { expect, test } from "vitest";
import { batchOf, type LabelledSample, sample } from "../../../test/support/batches.ts";
import { stepPlaces } from "./read-step.ts";

const START = 1_700_000_000;
const WINDOW_SECONDS = 30;

/** A window of `requests`, the first `slow` of them of `slowMicros`, the others of 50 ms. */
interface Window {
  readonly requests: number;
  readonly slow: number;
  readonly slowMicros: number;
}

const USUAL: Window = { requests: 60, slow: 0, slowMicros: 50_000 };

const placesOf = (windows: readonly Window[]) => {
  const samples = windows.flatMap(({ requests, slow, slowMicros }, index): LabelledSample[] =>
    Array.from({ length: requests }, (_, at) =>
      sample("a", START + index * WINDOW_SECONDS, at < slow ? slowMicros : 50_000),
    ),
  );
  return stepPlaces(batchOf(samples).points, WINDOW_SECONDS);
};

const slower = (given: Partial<Window>): Window => ({
  ...USUAL,
  slow: 60,
  slowMicros: 100_000,
  ...given,
});

// A minute is two windows. The window before the place belongs to neither minute.
// Standard errors by hand, 5 slow requests of 120 before:
// 26 after: 0.1750 / 0.0423 = 4.14; 25 after: 0.1667 / 0.0418 = 3.99.
test.each<[name: string, before: Window[], after: Window[], isPlace: boolean]>([
  ["120 requests", [USUAL, USUAL], [slower({}), slower({})], true],
  ["119 requests before", [USUAL, { ...USUAL, requests: 59 }], [slower({}), slower({})], false],
  [
    "1.3 times the percentile",
    [USUAL, USUAL],
    [slower({ slowMicros: 65_000 }), slower({ slowMicros: 65_000 })],
    true,
  ],
  [
    "1.2 times the percentile",
    [USUAL, USUAL],
    [slower({ slowMicros: 60_000 }), slower({ slowMicros: 60_000 })],
    false,
  ],
  [
    "4.14 standard errors",
    [slower({ slow: 5 }), USUAL],
    [slower({ slow: 13 }), slower({ slow: 13 })],
    true,
  ],
  [
    "3.99 standard errors",
    [slower({ slow: 5 }), USUAL],
    [slower({ slow: 13 }), slower({ slow: 12 })],
    false,
  ],
])("places to examine: %s", async (_, before, after, isPlace) => {
  const places = await placesOf([...before, { ...USUAL, requests: 1 }, ...after]);
  expect(places.length > 0).toBe(isPlace);
});

test.each([
  [20, 20],
  [21, 20],
])("of %d steps, %d places are examined", async (steps, expected) => {
  const period = [...Array.from({ length: 6 }, () => USUAL), slower({}), slower({})];
  expect(await placesOf(Array.from({ length: steps }, () => period).flat())).toHaveLength(expected);
});
