import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FailureCounter } from "./failure-counter.ts";

const failure = fc.tuple(
  fc.nat({ max: 2 }),
  fc.oneof(fc.nat({ max: 2 }), fc.integer({ min: 2 ** 32 - 2, max: 2 ** 32 - 1 })),
  fc.nat({ max: 2 }),
  fc.integer({ min: 1, max: 5 }),
);

test("failures are counted by label, kind and second, in this order", () => {
  fc.assert(
    fc.property(fc.array(failure), (failures) => {
      const counter = new FailureCounter();
      const wanted = new Map<string, number>();
      for (const [label, second, kind, requests] of failures) {
        counter.add(label, second, kind, requests);
        const key = [label, kind, second].map((part) => `${part}`.padStart(10, "0")).join(" ");
        wanted.set(key, (wanted.get(key) ?? 0) + requests);
      }
      const { endpoint, kind, second, requests } = counter.flush();
      const got = [...endpoint].map((label, row) => [
        [label, kind[row], second[row]].map((part) => `${part}`.padStart(10, "0")).join(" "),
        requests[row],
      ]);
      expect(got).toEqual([...wanted].toSorted(([left], [right]) => (left < right ? -1 : 1)));
    }),
  );
});

test("keys of label, kind and second do not collide", () => {
  const counter = new FailureCounter();
  // Values around the possible bit boundaries of a combined key.
  const seconds = [0, 1, 31, 32, 63, 64, 65, 2 ** 26, 2 ** 31, 2 ** 32 - 1];
  const names = [0, 1, 2, 51, 52, 53, 2 ** 26 - 1];
  for (const label of names) {
    for (const kind of names) for (const second of seconds) counter.add(label, second, kind, 1);
  }
  const { requests } = counter.flush();
  expect(requests).toEqual(new Float64Array(seconds.length * names.length ** 2).fill(1));
});

test("wants flushing from 64 Ki rows on", () => {
  const counter = new FailureCounter();
  for (let second = 0; second < 65_535; second++) counter.add(0, second, 0, 1);
  counter.add(0, 7, 0, 1);
  expect(counter.wantsFlush).toBe(false);
  counter.add(0, 65_535, 0, 1);
  expect(counter.wantsFlush).toBe(true);
  counter.flush();
  expect(counter.wantsFlush).toBe(false);
});

test("flushed counts are not returned again", () => {
  const counter = new FailureCounter();
  counter.add(1, 7, 0, 2);
  counter.flush();
  counter.add(1, 7, 0, 3);
  expect([...counter.flush().requests]).toEqual([3]);
});
