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

const elapsedMs = (all: readonly Buffer[]): number => {
  const table = new ByteTable();
  const startedAtMs = performance.now();
  for (const bytes of all) {
    if (table.find(bytes, 0, bytes.length) === undefined) table.add(bytes, 0, bytes.length);
  }
  expect(table.count).toBe(all.length);
  return performance.now() - startedAtMs;
};

test("texts that were chosen to have one hash take no longer than others", () => {
  const usual = Array.from({ length: 20_000 }, (_, at) => Buffer.from(`text ${at}`.padEnd(16)));
  expect(elapsedMs(chosenTexts(20_000))).toBeLessThan(20 * elapsedMs(usual) + 200);
});

const MIX = 0x9e3779b1;
/** Times `MIX`, it is 1. */
const INVERSE = 0x0e8b2f51;

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, MIX);
  return product ^ (product >>> 15);
}

/** Texts of 16 bytes whose two chains, with the numbers that everybody knew, combined to the same: the last word sees to it. */
function chosenTexts(count: number): Buffer[] {
  return Array.from({ length: count }, (_, at) => {
    const bytes = Buffer.alloc(16);
    bytes.write(String(at).padStart(12));
    const hash = mixed(mixed(16, bytes.readInt32LE(0)), bytes.readInt32LE(8));
    const wanted = hash ^ 0x12345678;
    const product = wanted ^ (wanted >>> 15) ^ (wanted >>> 30);
    bytes.writeInt32LE(Math.imul(product, INVERSE) ^ mixed(0, bytes.readInt32LE(4)), 12);
    return bytes;
  });
}
