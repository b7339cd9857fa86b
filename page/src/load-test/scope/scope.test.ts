import { expect, test } from "vitest";
import { followed, followedSeconds, resolutionFor, scopeOf } from "./scope.ts";

const HASH = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8";

test("the URL holds what is shown; an invalid scope is left out", () => {
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
  [60, 60, 1056, 2],
  [3, 1, 1056, 1],
  [86_400, 10_000_000, 300, 900],
])("%d s with %d requests on %d pixels have points of %d s", (range, requests, width, seconds) => {
  expect(resolutionFor(range, requests, width)).toBe(seconds);
});

test.each([
  ["300", 300],
  ["0", undefined],
  ["x", undefined],
])("last=%s follows %s s", (last, seconds) => {
  expect(followedSeconds({ parameters: new Map([["last", last]]) })).toBe(seconds);
});

test("the followed range ends with the newest second and begins no earlier than the first", () => {
  const scope = scopeOf("a", { parameters: new Map() });
  const whole = { from: 1000, until: 1600 };
  expect(followed(scope, 300, whole)).toMatchObject({ from: 1300, until: 1600 });
  expect(followed(scope, 900, whole)).toMatchObject({ from: 1000, until: 1600 });
  expect(followed(scope, undefined, whole)).toBe(scope);
});
