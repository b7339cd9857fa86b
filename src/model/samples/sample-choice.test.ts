import {
  array,
  assert,
  constantFrom,
  integer,
  nat,
  property,
  record,
  stringMatching,
} from "fast-check";
import { expect, test } from "vitest";
import { chooseSamples, SampleChoice } from "./sample-choice.ts";
import { type LabelledSample, readAtOnce, sampleOf } from "./request-sample.ts";

const KINDS = [{}, { code: "503", message: "busy" }, { code: "500", message: "" }] as const;

interface Written {
  readonly label: string;
  readonly timeMs: number;
  readonly elapsedMicros: number;
  readonly kind: 0 | 1 | 2;
  readonly body: string;
}

const written = record({
  label: constantFrom("a", "b", "c", "d", "e"),
  timeMs: integer({ min: 1, max: 40 }),
  elapsedMicros: integer({ min: 0, max: 12 }),
  kind: constantFrom(0, 1, 2),
  body: stringMatching(/^[xé😀]{0,700}$/u),
});

function labelled({ label, timeMs, elapsedMicros, kind, body }: Written): LabelledSample {
  const details = { timeMs, elapsedMicros, responseBody: body, url: `/${timeMs}`, ...KINDS[kind] };
  return { label, ...sampleOf(details, (text) => text) };
}

test.each([8 * 1024, 20 * 1024, 4 * 1024 * 1024])(
  "1,000 orders and splits choose the same of at most %i bytes",
  (bytesMax) => {
    assert(
      property(
        array(written, { maxLength: 90 }),
        array(nat(), { minLength: 90, maxLength: 90 }),
        integer({ min: 1, max: 5 }),
        (all, shuffle, parts) => {
          const samples = all.map(labelled);
          const expected = chooseSamples(samples, bytesMax);
          const shuffled = samples
            .map((sample, at) => [shuffle[at] ?? 0, sample] as const)
            .toSorted(([left], [right]) => left - right);
          const chosen = Array.from({ length: parts }, (_, part) =>
            chooseSamples(
              shuffled.filter(([key]) => key % parts === part).map(([, sample]) => sample),
              bytesMax,
            ),
          );
          // Twice: files are sent again.
          expect(chooseSamples([...chosen, ...chosen.slice(1)].flat(), bytesMax)).toEqual(expected);
          const bytes = expected.map(({ url = "", responseBody = "" }) => url + responseBody);
          expect(Buffer.byteLength(bytes.join(""))).toBeLessThanOrEqual(bytesMax);
        },
      ),
      { numRuns: 1000 },
    );
  },
);

const rows = (count: number, kind: 0 | 1, elapsedOf: (row: number) => number) =>
  Array.from({ length: count }, (_, row) =>
    labelled({ label: "a", timeMs: row + 1, elapsedMicros: elapsedOf(row), kind, body: "" }),
  );

test("keeps the five slowest of an endpoint, failed or not", () => {
  const passed = rows(100, 0, (row) => (row * 37) % 101);
  const times = chooseSamples(passed, 1e6).map(({ elapsedMicros }) => elapsedMicros);
  expect(times.toSorted((left, right) => left - right)).toEqual([96, 97, 98, 99, 100]);
});

test("keeps the first three of a kind of failure, and three of the rest of the run", () => {
  const chosen = chooseSamples(
    rows(1000, 1, () => 5),
    1e6,
  );
  const times = chosen.map(({ timeMs }) => timeMs);
  expect(times.slice(0, 3)).toEqual([1, 2, 3]);
  // Five more are the slowest, which all are here: the same as those that are spread, and two others.
  expect(times.length).toBe(8);
  expect(Math.max(...times)).toBeGreaterThan(500);
});

test("has one sample of each kind before a second one of any", () => {
  const samples = Array.from({ length: 900 }, (_, row) => {
    const details = { timeMs: row + 1, elapsedMicros: 5, code: "", message: `kind ${row % 100}` };
    return { label: "a", ...sampleOf(details, (text) => text) };
  });
  const chosen = chooseSamples(samples, 110 * 1024);
  expect(new Set(chosen.map(({ message }) => message)).size).toBe(100);
});

test.each([{}, { code: "503", message: "busy" }])(
  "of 50,000 labels with a request each, few wait for a choice: %o",
  (failure) => {
    const choice = new SampleChoice(256 * 1024, (series) => `GET /${series}`);
    for (let series = 0; series < 50_000; series++) {
      const details = { timeMs: series, elapsedMicros: 1000, url: `/${series}`, ...failure };
      choice.add(series, readAtOnce(details), () => sampleOf(details, (text) => text));
    }
    expect([...choice.makeWhole()].length).toBeLessThan(2048);
    expect(choice.choose().length).toBeLessThanOrEqual(256);
  },
);
