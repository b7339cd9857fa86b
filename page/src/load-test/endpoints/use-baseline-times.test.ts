import { expect, test } from "vitest";
import { scopeIn } from "./use-baseline-times.ts";

const ALL = { id: "run", filter: "cart", hashes: [], from: undefined, until: undefined };
const BASE = { id: "base", from: 5000 };
/** So far, a run that began at second 1000. */
const whole = { from: 1000, until: 1300 };

test.each([
  [ALL, false, undefined, undefined],
  [ALL, true, 5000, 5300],
  [{ ...ALL, from: 1100, until: 1200 }, false, 5100, 5200],
  [{ ...ALL, from: 1100 }, true, 5100, 5300],
])(
  "%j of a run that grows: %j is compared with seconds %j to %j",
  (scope, isGrowing, from, until) => {
    const range = { from: scope.from ?? whole.from, until: scope.until ?? whole.until };
    const asked = scopeIn(BASE, { scope, range, whole, isGrowing });
    expect(asked).toEqual({ ...ALL, id: "base", from, until });
  },
);
