import { array, assert, constantFrom, integer, nat, property, record } from "fast-check";
import { expect, test } from "vitest";
import { type LabelledSample, sampleOf } from "../model/samples/request-sample.ts";
import { chooseSamples } from "../model/samples/sample-choice.ts";
import { LiveSamples } from "./live-samples.ts";

const KINDS = [{}, { code: "503", message: "busy" }, { code: "500", message: "" }] as const;

const requests = record({
  label: constantFrom("a", "b", "c"),
  timeMs: integer({ min: 1, max: 60 }),
  elapsedMicros: integer({ min: 0, max: 20 }),
  kind: constantFrom(0, 1, 2),
  url: integer({ min: 0, max: 9 }),
});

interface Sent {
  readonly label: string;
  readonly timeMs: number;
  readonly elapsedMicros: number;
  readonly kind: 0 | 1 | 2;
  readonly url: number;
}

function sampled({ label, kind, url, ...times }: Sent): LabelledSample {
  return { label, ...sampleOf({ ...times, url: `/${url}`, ...KINDS[kind] }, (text) => text) };
}

test.each([2000, 9000, 1e6])(
  "1,000 runs of batches, restarts and batches that are sent again choose the same of at most %i bytes",
  (bytesMax) => {
    const batches = array(array(requests, { maxLength: 12 }), { maxLength: 25 });
    const faults = array(nat({ max: 5 }), { minLength: 25, maxLength: 25 });
    assert(
      property(batches, faults, (all, happens) => {
        let live = new LiveSamples(bytesMax);
        const stored: LabelledSample[] = [];
        const sent = all.map((batch) => batch.map(sampled));
        for (const [at, batch] of sent.entries()) {
          // The answer of the store got lost, or the process ended before it was known.
          if (happens[at] === 0) live.wanted("run", batch);
          if (happens[at] === 1) live = new LiveSamples(bytesMax);
          const wanted = live.wanted("run", batch);
          stored.push(...wanted);
          live.stored("run", wanted);
        }
        expect(chooseSamples(stored, bytesMax)).toEqual(chooseSamples(sent.flat(), bytesMax));
      }),
      { numRuns: 1000 },
    );
  },
);

test("of an hour of batches, few are stored; a run that was created again begins anew", () => {
  const live = new LiveSamples(4 * 2 ** 20);
  let stored = 0;
  for (let second = 0; second < 3600; second++) {
    const batch = Array.from({ length: 20 }, (_, row) =>
      sampled({
        label: "a",
        timeMs: second * 1000 + row * 50,
        elapsedMicros: ((second * 20 + row) * 7919) % 100_003,
        kind: row < 2 ? 1 : 0,
        url: 0,
      }),
    );
    const wanted = live.wanted("1 run", batch);
    live.stored("1 run", wanted);
    stored += wanted.length;
  }
  // 72,000 requests. The k least of n met in any order take some k (1 + ln(n / k)) places: 5 of 72,000 and 3 of 7,200, and 3 first.
  expect(stored).toBeLessThan(200);
  expect(
    live.wanted("2 run", [sampled({ label: "a", timeMs: 1, elapsedMicros: 1, kind: 0, url: 0 })]),
  ).toHaveLength(1);
});
