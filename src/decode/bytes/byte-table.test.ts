import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ByteTable } from "./byte-table.ts";

/** Few letters and lengths near the word size, so that texts are similar. */
const texts = fc.array(
  fc.oneof(
    fc.stringMatching(/^[ab]{0,9}$/),
    fc.stringMatching(/^http:\/\/host\/[0-9]{1,4}\?a=[0-9]$/),
  ),
  { maxLength: 80 },
);

test("finds the number of an added text at any offset", () => {
  fc.assert(
    fc.property(texts, fc.nat(9), (given, offset) => {
      const table = new ByteTable();
      const numbers = new Map<string, number>();
      for (const [index, text] of given.entries()) {
        const front = "-".repeat((index + offset) % 10);
        const bytes = Buffer.from(`${front}${text}ab\n\n\n`);
        const place = [front.length, front.length + text.length] as const;
        expect(table.find(bytes, ...place)).toBe(numbers.get(text));
        if (numbers.has(text)) continue;
        expect(table.add(bytes, ...place)).toBe(numbers.size);
        numbers.set(text, numbers.size);
      }
      expect(table.bytes).toBe([...numbers.keys()].join("").length);
    }),
  );
});

test("many texts are distinct, and clear removes them", () => {
  const table = new ByteTable();
  const find = (id: number): number | undefined => table.find(order(id), 0, order(id).length - 3);
  for (let id = 0; id < 5000; id++) {
    expect(find(id)).toBeUndefined();
    table.add(order(id), 0, order(id).length - 3);
  }
  expect([0, 1, 2500, 4999].map(find)).toEqual([0, 1, 2500, 4999]);
  table.clear();
  expect([0, 1, 2500, 4999].map(find)).toEqual([undefined, undefined, undefined, undefined]);
  expect(table.bytes).toBe(0);
});

test("texts of many megabytes are distinct, including unusually long ones", () => {
  const table = new ByteTable();
  const lengths = [700_000, 400_000, 2_000_000, 9, 1_048_573, 1_048_576, 0];
  const long = lengths.map((length, id) => Buffer.alloc(length + 3, `${id}text`));
  for (const round of [0, 1]) {
    for (const [id, text] of long.entries()) {
      expect([round, table.find(text, 0, text.length - 3)]).toEqual([round, undefined]);
      expect(table.add(text, 0, text.length - 3)).toBe(id);
    }
    for (const [id, text] of long.entries()) expect(table.find(text, 0, text.length - 3)).toBe(id);
    table.clear();
  }
});

function order(id: number): Buffer {
  return Buffer.from(`https://shop.example/orders/${id}\n\n\n`);
}
