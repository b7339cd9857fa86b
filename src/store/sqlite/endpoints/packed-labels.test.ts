import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PackedLabels, PAGE_NUMBERS } from "./label-search.ts";

/** Packs labels, numbered by index. */
function packed(labels: readonly string[]): PackedLabels {
  const packing = new PackedLabels(labels.length);
  for (let from = 0; from < labels.length; from += PAGE_NUMBERS) {
    const page = labels.slice(from, from + PAGE_NUMBERS);
    packing.addPage(page.map((label, at) => ({ number: from + at, bytes: Buffer.from(label) })));
  }
  return packing;
}

test("numbers are sorted by the UTF-8 bytes of their labels", async () => {
  const labels = fc.uniqueArray(fc.string({ unit: "binary" }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(labels, async (some) => {
      const expected = some
        .map((label, number) => ({ bytes: Buffer.from(label), number }))
        .toSorted((one, other) => Buffer.compare(one.bytes, other.bytes));
      const sorted = await packed(some).sorted();
      expect([...sorted]).toEqual(expected.map(({ number }) => number));
    }),
    { numRuns: 40 },
  );
});

test("labels of several pages are merged", async () => {
  const count = 3 * PAGE_NUMBERS + 5;
  // 7 and the count are coprime, so each number occurs once.
  const labels = Array.from({ length: count }, (_, at) => String((7 * at) % count).padStart(9));
  const sorted = await packed(labels).sorted();
  expect(Array.from(sorted, (number) => Number(labels[number]))).toEqual([...labels.keys()]);
});

test("a label with two numbers is damage", async () => {
  const damage = { code: "damaged-store", message: 'label "b" has two numbers, 0 and 2' };
  expect(() => packed(["b", "a", "b"])).toThrow(expect.objectContaining(damage));
  const labels = Array.from({ length: PAGE_NUMBERS + 1 }, (_, at) => `${at % PAGE_NUMBERS}`);
  await expect(packed(labels).sorted()).rejects.toThrow(
    `label "0" has two numbers, 0 and ${PAGE_NUMBERS}`,
  );
});
