import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LabelIndex } from "./known-endpoints.ts";

test("find returns what a Map returns, with any number of labels", () => {
  const label = fc.oneof(fc.string({ maxLength: 3 }), fc.nat(2000).map(String));
  fc.assert(
    fc.property(fc.uniqueArray(label, { maxLength: 600 }), fc.array(label), (labels, others) => {
      const index = new LabelIndex();
      for (const each of labels) index.add(each);
      const numbers = new Map(labels.map((each, number) => [each, number]));
      for (const each of [...labels, ...others]) {
        expect(index.find(each)).toBe(numbers.get(each));
      }
      expect(index.labels).toEqual(labels);
    }),
  );
});

test("labels with the same hash are distinct", () => {
  const index = new LabelIndex();
  const labels = Array.from({ length: 200_000 }, (_, number) => `/${(number * 7919).toString(36)}`);
  for (const label of labels) index.add(label);
  expect(labels.every((label, number) => index.find(label) === number)).toBe(true);
});
