import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { type Entry, entryName, readEntry, writeEntry } from "./spool.ts";

const ENTRY: Entry = {
  loadTestId: "run",
  sourceId: "sender",
  sequence: 42,
  follows: "nothing",
  packed: Uint8Array.of(1, 10, 0, 255),
};

test("the file of an entry is named by the digest of its source and by its number", () => {
  // printf 'run\nsender' | sha256sum
  expect(entryName(ENTRY)).toBe("f739880bf1d8e28635e80d9296839e13-0000000000000042");
  expect(entryName({ ...ENTRY, sequence: 2 ** 53 - 1 })).toMatch(/-9007199254740991$/);
});

test("entries of one source are adjacent, in order of sequence number", () => {
  const names = [0, 9, 10, 99, 1_000_000].map((sequence) => entryName({ ...ENTRY, sequence }));
  expect(names.toSorted()).toEqual(names);
  const others = [{ sourceId: "sender2" }, { loadTestId: "run2" }];
  for (const other of others) {
    const prefix = names[0]?.slice(0, 32) ?? "";
    expect(entryName({ ...ENTRY, ...other }).startsWith(prefix)).toBe(false);
  }
});

test("a file is a checksum, a line about the batch, and the batch as it is sent", () => {
  const about = '{"loadTestId":"run","sourceId":"sender","sequence":42,"follows":"nothing"}\n';
  const rest = Buffer.concat([Buffer.from(about), ENTRY.packed]);
  const checksum = crc32(rest).toString(16).padStart(8, "0");
  const file = Buffer.concat([Buffer.from(`${checksum}\n`), rest]);
  expect(Buffer.from(writeEntry(ENTRY))).toEqual(file);
  expect(readEntry(Uint8Array.from(file))).toEqual(ENTRY);
});

test("a checksum that begins with zeros keeps them", () => {
  // Among so many entries, several have one.
  for (let sequence = 0; sequence < 300; sequence++) {
    const entry = { ...ENTRY, sequence };
    expect(readEntry(Uint8Array.from(writeEntry(entry)))).toEqual(entry);
  }
});

test("the checksum detects every flipped bit and every truncation", () => {
  const file = Uint8Array.from(writeEntry(ENTRY));
  for (let bit = 0; bit < 8 * file.length; bit++) {
    const damaged = file.slice();
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(readEntry(damaged)).toBeUndefined();
  }
  for (let length = 0; length < file.length; length++) {
    expect(readEntry(file.slice(0, length))).toBeUndefined();
  }
});
