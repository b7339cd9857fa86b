import { expect, test } from "vitest";
import { withoutSecondZero } from "../model/columns.ts";
import { steadyRange } from "./overall.ts";

const SPAN = { from: 1000, until: 1300 };

test.each([
  [undefined, 60, 0, { from: 1060, until: 1300 }],
  [undefined, 60, 30, { from: 1060, until: 1270 }],
  [{ from: 1100, until: 1200 }, 60, 30, { from: 1100, until: 1200 }],
  [{ from: 0, until: 2 ** 32 }, 60, 30, { from: 1060, until: 1270 }],
  [{ from: 0, until: 1100 }, 60, 0, { from: 1060, until: 1100 }],
  [undefined, 299, 0, { from: 1299, until: 1300 }],
])("%j without %d s at the start and %d s at the end", (range, start, end, steady) => {
  const part = { range, skipStartSeconds: start, skipEndSeconds: end };
  expect(steadyRange(part, SPAN)).toEqual(steady);
});

test.each([
  [undefined, 300, 0, SPAN],
  [undefined, 200, 100, SPAN],
  [{ from: 0, until: 1050 }, 60, 0, SPAN],
  [undefined, 1, 0, undefined],
])(
  "%j without %d s and %d s is nothing, as a range that can be sent",
  (range, start, end, span) => {
    const part = { range, skipStartSeconds: start, skipEndSeconds: end };
    const { from, until } = steadyRange(part, span);
    expect(from).toBeLessThan(until);
    const stored = withoutSecondZero({ from, until });
    expect(stored.from).toBe(stored.until);
  },
);
