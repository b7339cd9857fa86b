import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareLabels } from "../../../model/label.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import { EndpointLists } from "./endpoint-lists.ts";

/** Returns lists over a fake numbering that counts the rows read. */
function numbering(): { labels: string[]; rowsRead: number; lists: EndpointLists } {
  const numbers = {
    labels: [] as string[],
    rowsRead: 0,
    page(_: number, after: number | undefined, rows: number): readonly Endpoint[] {
      const from = after === undefined ? 0 : after + 1;
      const page = numbers.labels.slice(from, from + rows);
      numbers.rowsRead += page.length;
      return page.map((label, index) => ({ number: from + index, label }));
    },
  };
  return Object.assign(numbers, { lists: new EndpointLists(numbers) });
}

const labelLists = fc.array(fc.uniqueArray(fc.string({ unit: "binary", maxLength: 3 })), {
  maxLength: 4,
});

test("endpoints are sorted by label, however they are numbered, including added ones", async () => {
  await fc.assert(
    fc.asyncProperty(labelLists, async (batches) => {
      const numbers = numbering();
      for (const batch of batches) {
        numbers.labels.push(...batch.filter((label) => !numbers.labels.includes(label)));
        const expected = [...numbers.labels.entries()]
          .map(([number, label]) => ({ number, label }))
          .toSorted((left, right) => compareLabels(left.label, right.label));
        expect(await numbers.lists.sorted(1)).toEqual(expected);
      }
      expect(numbers.rowsRead).toBe(numbers.labels.length);
    }),
  );
});

test("thousands of endpoints are merged from pages", async () => {
  const numbers = numbering();
  numbers.labels.push(...Array.from({ length: 3000 }, (_, index) => `${(index * 7919) % 3000}`));
  const sorted = await numbers.lists.sorted(1);
  expect(sorted.map(({ label }) => label)).toEqual(numbers.labels.toSorted(compareLabels));
  expect(await numbers.lists.sorted(1)).toBe(sorted);
});
