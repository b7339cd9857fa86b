import { expect, test } from "vitest";
import { nativeBytes, oneColumn } from "../../../../test/support/native-bytes.ts";
import { NativeBlockWriter } from "./native-writer.ts";

/** Returns a small UInt64 as bytes. */
const wide = (low: number): number[] => [low, 0, 0, 0, 0, 0, 0, 0];

test("a block is its counts, then each column with name, type and all values", () => {
  const block = new NativeBlockWriter();
  const [small, text] = [block.unsigned16("ab"), block.texts("t")];
  small.append(Uint16Array.of(1, 0x0203));
  text.append(["é", ""]);
  expect(Buffer.concat(block.finish())).toEqual(
    nativeBytes(
      [2, 2],
      nativeBytes(2, "ab", 6, "UInt16", 1, 0, 3, 2),
      nativeBytes(1, "t", 6, "String", 2, 0xc3, 0xa9, 0),
    ),
  );
});

type Parts = (string | number | number[])[];

test.each<[string, number, (block: NativeBlockWriter) => void, Parts]>([
  [
    "UInt8",
    3,
    (block) => {
      const column = block.unsigned8("c");
      column.append(Uint8Array.of(7));
      column.repeat(255, 2);
    },
    [7, 255, 255],
  ],
  ["UInt16", 3, (block) => block.unsigned16("c").repeat(258, 3), [2, 1, 2, 1, 2, 1]],
  [
    "UInt32",
    3,
    (block) => {
      const column = block.unsigned32("c");
      column.repeat(0xfffefdfc, 1);
      column.append(Uint32Array.of(1, 2));
    },
    [0xfc, 0xfd, 0xfe, 0xff, 1, 0, 0, 0, 2, 0, 0, 0],
  ],
  [
    "UInt64",
    3,
    (block) => block.unsigned64("c").append([0, 0x1_0000_0002, Number.MAX_SAFE_INTEGER]),
    [wide(0), 2, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 31, 0],
  ],
  [
    "UInt64",
    3,
    (block) => {
      const column = block.unsigned64("c");
      column.append(Float64Array.of(9));
      column.appendBigints(BigUint64Array.of(0x0807060504030201n));
      column.repeat(2n ** 64n - 1n, 1);
    },
    [wide(9), 1, 2, 3, 4, 5, 6, 7, 8, 255, 255, 255, 255, 255, 255, 255, 255],
  ],
  [
    "Enum8('a' = -1, 'b' = 2)",
    3,
    (block) => {
      const column = block.enum8("c", "Enum8('a' = -1, 'b' = 2)");
      column.append(Int8Array.of(2));
      column.repeat(-1, 2);
    },
    [2, 255, 255],
  ],
  // 2024-10-04 is day 20,000: 0x4e20.
  ["Date", 3, (block) => block.date("c").repeat(20_000, 3), [0x20, 0x4e, 0x20, 0x4e, 0x20, 0x4e]],
  [
    "FixedString(2)",
    3,
    (block) => {
      const column = block.fixed("c", 2);
      column.append(Uint8Array.of(1, 2));
      column.appendByIndex(Uint8Array.of(3, 4, 5, 6), Uint32Array.of(1, 0));
    },
    [1, 2, 5, 6, 3, 4],
  ],
  ["FixedString(1)", 3, (block) => block.fixed("c", 1).repeat(Uint8Array.of(8), 3), [8, 8, 8]],
  [
    "FixedString(2)",
    3,
    (block) =>
      block.fixed("c", 2).appendByIndex(Uint8Array.of(3, 4, 5, 6), Uint32Array.of(1, 1, 1)),
    [5, 6, 5, 6, 5, 6],
  ],
  [
    "String",
    3,
    (block) => {
      const column = block.texts("c");
      column.append(["", "xy"]);
      column.repeat("z", 1);
    },
    [0, 2, "xy", 1, "z"],
  ],
  [
    "Array(UInt16)",
    3,
    (block) => {
      const column = block.arrays16("c");
      column.append(Uint32Array.of(1, 3), Uint16Array.of(9, 1, 2));
      column.appendEmpty(1);
      column.append(Uint32Array.of(0, 1), Uint16Array.of(3));
    },
    [wide(2), wide(2), wide(3), 1, 0, 2, 0, 3, 0],
  ],
  [
    "Array(UInt64)",
    3,
    (block) => block.arrays64("c").append(Uint32Array.of(0, 0, 1, 1), Float64Array.of(5)),
    [wide(0), wide(1), wide(1), wide(5)],
  ],
  [
    "Array(String)",
    3,
    (block) => {
      const column = block.textArrays("c");
      column.appendEmpty(2);
      column.append(Uint32Array.of(0, 2), ["a", "", "not taken"]);
    },
    [wide(0), wide(0), wide(2), 1, "a", 0],
  ],
])("encodes values of %s: %#", (type, rows, fill, values) => {
  const block = new NativeBlockWriter();
  fill(block);
  expect(Buffer.concat(block.finish())).toEqual(oneColumn(type, rows, ...values));
});

test("a text of 300 bytes has a length prefix of two bytes", () => {
  const block = new NativeBlockWriter();
  block.texts("c").append(["x".repeat(300)]);
  expect(Buffer.concat(block.finish()).subarray(11, 15)).toEqual(Buffer.of(0xac, 2, 0x78, 0x78));
});

test("a block without rows has only names and types; one without columns is empty", () => {
  const block = new NativeBlockWriter();
  expect(Buffer.concat(block.finish())).toEqual(nativeBytes(0, 0));
  block.arrays16("c").append(Uint32Array.of(4), Uint16Array.of(1, 2, 3, 4));
  expect(Buffer.concat(block.finish())).toEqual(nativeBytes(1, 0, 1, "c", 13, "Array(UInt16)"));
});

test("repeating a value zero times appends nothing", () => {
  const block = new NativeBlockWriter();
  block.texts("c").repeat("not there", 0);
  expect(Buffer.concat(block.finish())).toEqual(oneColumn("String", 0));
});

test("columns with different row counts are a bug", () => {
  const block = new NativeBlockWriter();
  block.unsigned8("a").repeat(1, 2);
  block.texts("b").repeat("", 3);
  expect(() => Buffer.concat(block.finish())).toThrow("BUG: 2 rows in column a, 3 in column b");
});

test.each<[string, (block: NativeBlockWriter) => void]>([
  ["-1", (block) => block.unsigned64("c").append([-1])],
  ["a half", (block) => block.unsigned64("c").append([3, 0.5])],
  ["no number", (block) => block.unsigned64("c").append([Number.NaN])],
  ["what is not exact", (block) => block.unsigned64("c").append([2 ** 53])],
  ["infinity", (block) => block.unsigned64("c").append([Number.POSITIVE_INFINITY])],
  ["65 bits", (block) => block.unsigned64("c").repeat(2n ** 64n, 1)],
  ["-1 over and over", (block) => block.unsigned64("c").repeat(-1, 1)],
  ["a large UInt16", (block) => block.unsigned16("c").repeat(65_536, 1)],
  ["a large Enum8", (block) => block.enum8("c", "Enum8('a' = 1)").repeat(200, 1)],
  ["3 bytes of 2", (block) => block.fixed("c", 2).append(Uint8Array.of(1, 2, 3))],
  ["1 byte of 2", (block) => block.fixed("c", 2).repeat(Uint8Array.of(1), 1)],
  ["no entry", (block) => block.fixed("c", 1).appendByIndex(Uint8Array.of(1), Uint32Array.of(1))],
  ["no offset", (block) => block.arrays16("c").append(new Uint32Array(0), new Uint16Array(0))],
  ["no values", (block) => block.arrays16("c").append(Uint32Array.of(0, 1), new Uint16Array(0))],
  ["no texts", (block) => block.textArrays("c").append(Uint32Array.of(0, 1), [])],
])("a value out of the range of its column is a bug: %s", (_, fill) => {
  const block = new NativeBlockWriter();
  expect(() => {
    fill(block);
    Buffer.concat(block.finish());
  }).toThrow(/^BUG: /);
});
