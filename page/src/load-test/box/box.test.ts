import { expect, test } from "vitest";
import { boxOf, boxText, inRows, microsOf } from "./box.ts";

const HEATMAP = { resolution: 5, labels: [], cells: [] };
/** Twenty rows a decade, as the service has them. */
const LOGARITHMIC = { ...HEATMAP, rows: [0.00891251, 0.01, 0.0112202, 0.0125893] };
const MILLISECONDS = { ...HEATMAP, rows: [0.001, 0.002, 0.003, 0.004, 0.01, 0.0112202] };

test.each([
  ["1790000040-1790000050,0.01-0.0112202", [1_790_000_040, 1_790_000_050, 0.01, 0.0112202]],
  ["1-2,0-1", [1, 2, 0, 1]],
  ["1-2,3-", [1, 2, 3, Infinity]],
])("%s is a rectangle", (text, [from = 0, until = 0, low = 0, high = 0]) => {
  const box = { from, until, low, high };
  expect(boxOf(new Map([["box", text]]))).toEqual(box);
  expect(boxText(box)).toBe(text);
});

test.each(["", "2-1,0-1", "1-2,1-1", "1-2", "1-2,a-b", "1-2,-", "1-2,1e3-"])(
  "%j is none",
  (text) => {
    expect(boxOf(new Map([["box", text]]))).toBeUndefined();
  },
);

test("a drawn rectangle grows to whole rows", () => {
  const box = { from: 1, until: 2, low: 0.0101, high: 0.0113 };
  expect(inRows(LOGARITHMIC, box)).toEqual({ from: 1, until: 2, low: 0.01, high: 0.0125893 });
  const beyond = { from: 1, until: 2, low: 0.001, high: 99 };
  expect(inRows(LOGARITHMIC, beyond)).toEqual({ from: 1, until: 2, low: 0, high: Infinity });
});

test("the service is asked for whole microseconds", () => {
  const low = { low: 0.00891251, high: 0.01 };
  expect(microsOf(low, [LOGARITHMIC])).toEqual({ fromMicros: 8913, untilMicros: 10_000 });
  const tiny = { low: 0.0000316228, high: Infinity };
  expect(microsOf(tiny, [LOGARITHMIC])).toEqual({ fromMicros: 32, untilMicros: undefined });
});

test("rows of whole milliseconds begin and end half a millisecond earlier, up to 10 ms", () => {
  const low = { low: 0.003, high: 0.004 };
  expect(microsOf(low, [MILLISECONDS])).toEqual({ fromMicros: 2500, untilMicros: 3500 });
  const high = { low: 0, high: 0.01 };
  expect(microsOf(high, [MILLISECONDS])).toEqual({ fromMicros: 0, untilMicros: 10_000 });
  expect(microsOf(low, [MILLISECONDS, LOGARITHMIC])).toEqual({
    fromMicros: 3000,
    untilMicros: 4000,
  });
});

test.each([
  // Rows are whole milliseconds: the row of 4 ms begins at 3.5 ms.
  [0.0036, 0.004, MILLISECONDS],
  [0.0000001, 0.0000002, LOGARITHMIC],
])("the service is asked for some time from %d to %d s, however short", (low, high, heatmap) => {
  const { fromMicros, untilMicros = Infinity } = microsOf({ low, high }, [heatmap]);
  expect(untilMicros).toBeGreaterThan(fromMicros);
});
