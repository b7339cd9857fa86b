import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { HashIndex } from "./hash-index.ts";

const hashes = Array.from({ length: 300 }, (_, label) =>
  createHash("sha1").update(`label ${label}`).digest("hex"),
);

function bytesOf(rows: readonly string[]): Uint8Array {
  const text = rows.join("");
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

test("rows are found in any order", () => {
  const index = new HashIndex(hashes);
  const mixed = Array.from({ length: 2000 }, (_, row) => (row * row * 7 + (row >> 3)) % 300);
  const ranges = mixed.toSorted((left, right) => left - right);
  for (const wanted of [mixed, ranges, [5], []]) {
    const rows = wanted.map((label) => hashes[label] as string);
    expect([...index.indexesOf(bytesOf(rows))]).toEqual(wanted);
    const numbers = BigUint64Array.from(rows, (hash) =>
      Buffer.from(hash.slice(0, 16), "hex").readBigUInt64LE(),
    );
    expect([...index.indexesOfNumbers(numbers)]).toEqual(wanted);
  }
});

test("an unknown hash in a row means damage; hashes with the same prefix are a bug", () => {
  const index = new HashIndex(hashes.slice(1));
  expect(() => index.indexesOf(bytesOf([hashes[1] as string, hashes[0] as string]))).toThrow(
    `a point has a hash that begins with ${hashes[0]?.slice(0, 16)}, but no row has its label`,
  );
  const alike = `${(hashes[0] as string).slice(0, 16)}${"0".repeat(24)}`;
  expect(() => new HashIndex([hashes[0] as string, alike])).toThrow("begin alike");
  expect([...new HashIndex([alike, alike]).indexesOf(bytesOf([alike]))]).toEqual([0]);
});
