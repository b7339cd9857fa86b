import { expect, test } from "vitest";
import { resolutionFor, scopeOf } from "./scope.ts";

const HASH = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8";

test("the address says what is shown; what is no scope is left out", () => {
  const parameters = new Map([
    ["filter", "/cart"],
    ["endpoints", `${HASH},x`],
    ["from", "10"],
    ["until", "20"],
  ]);
  expect(scopeOf("a", { parameters })).toEqual({
    id: "a",
    filter: "/cart",
    hashes: [HASH],
    from: 10,
    until: 20,
  });
  const wrong = new Map([
    ["from", "20"],
    ["until", "10"],
  ]);
  const scope = scopeOf("a", { parameters: wrong });
  expect([scope.from, scope.until, scope.hashes]).toEqual([undefined, undefined, []]);
});

test.each([
  // Half an hour of 217 requests a second on 1,056 pixels: three pixels decide.
  [1799, 391_022, 1056, 10],
  [600, 130_000, 1056, 2],
  // 31 requests a second: a hundred of them decide.
  [330, 10_308, 1056, 5],
  [60, 60, 1056, 5],
  [3, 1, 1056, 1],
  [86_400, 10_000_000, 300, 900],
])("%d s with %d requests on %d pixels have points of %d s", (range, requests, width, seconds) => {
  expect(resolutionFor(range, requests, width)).toBe(seconds);
});
