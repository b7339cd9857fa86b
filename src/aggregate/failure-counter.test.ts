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
      const { endpoint, kind, second, requests } = counter.seal();
      const got = [...endpoint].map((label, row) => [
        [label, kind[row], second[row]].map((part) => `${part}`.padStart(10, "0")).join(" "),
        requests[row],
      ]);
      expect(got).toEqual([...wanted].toSorted(([left], [right]) => (left < right ? -1 : 1)));
    }),
  );
});

test("what was given away does not come again", () => {
  const counter = new FailureCounter();
  counter.add(1, 7, 0, 2);
  counter.seal();
  counter.add(1, 7, 0, 3);
  expect([...counter.seal().requests]).toEqual([3]);
});
