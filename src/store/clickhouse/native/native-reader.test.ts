import * as fc from "fast-check";
import { expect, test } from "vitest";
import { collect } from "../../../../test/support/batches.ts";
import { inChunks, nativeBytes, oneColumn } from "../../../../test/support/native-bytes.ts";
import { type NativeBlock, NativeError } from "./native-block.ts";
import { decodeNative, readNativeBlocks } from "./native-reader.ts";

test.each<[string, Buffer, (block: NativeBlock) => unknown, unknown]>([
  ["UInt8", oneColumn("UInt8", 2, 7, 255), (b) => b.numbers("c"), Uint8Array.of(7, 255)],
  ["Bool", oneColumn("Bool", 1, 1), (b) => b.numbers("c"), Uint8Array.of(1)],
  ["Int8", oneColumn("Int8", 2, 7, 255), (b) => b.numbers("c"), Int8Array.of(7, -1)],
  [
    "Enum8",
    oneColumn("Enum8('it\\'s (a)' = 1, 'b' = -2)", 2, 1, 254),
    (b) => b.numbers("c"),
    Int8Array.of(1, -2),
  ],
  [
    "UInt16",
    oneColumn("UInt16", 2, 1, 2, 255, 255),
    (b) => b.numbers("c"),
    Uint16Array.of(513, 65_535),
  ],
  ["Date", oneColumn("Date", 1, 0x20, 0x4e), (b) => b.numbers("c"), Uint16Array.of(20_000)],
  [
    "UInt32",
    oneColumn("UInt32", 1, 1, 2, 3, 255),
    (b) => b.numbers("c"),
    Uint32Array.of(0xff030201),
  ],
  ["DateTime", oneColumn("DateTime", 1, 1, 0, 0, 0), (b) => b.numbers("c"), Uint32Array.of(1)],
  [
    "DateTime of a zone",
    oneColumn("DateTime('Europe/Berlin')", 1, 1, 0, 0, 0),
    (b) => b.numbers("c"),
    Uint32Array.of(1),
  ],
  [
    "UInt64",
    oneColumn("UInt64", 2, 5, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 31, 0),
    (b) => b.numbers("c"),
    Float64Array.of(2 ** 32 + 5, Number.MAX_SAFE_INTEGER),
  ],
  [
    "UInt64 of any size",
    oneColumn("UInt64", 1, 255, 255, 255, 255, 255, 255, 255, 255),
    (b) => b.bigints("c"),
    BigUint64Array.of(2n ** 64n - 1n),
  ],
  ["String", oneColumn("String", 2, 2, 0xc3, 0xa9, 0), (b) => b.strings("c"), ["é", ""]],
  [
    "FixedString",
    oneColumn("FixedString(3)", 2, "abcd", 0, 233),
    (b) => b.fixedStrings("c"),
    ["abc", "d\0é"],
  ],
  [
    "bytes of FixedString",
    oneColumn("FixedString(2)", 2, 1, 2, 3, 4),
    (b) => b.bytesOf("c").width,
    2,
  ],
  [
    "Array(UInt16)",
    oneColumn("Array(UInt16)", 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 1),
    (b) => b.arrays("c"),
    { from: Uint32Array.of(0, 1, 1), values: Uint16Array.of(259) },
  ],
  [
    "Array(String)",
    oneColumn("Array(String)", 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, "x"),
    (b) => b.stringArrays("c"),
    { from: Uint32Array.of(0, 2), values: ["", "x"] },
  ],
  ["no rows", oneColumn("Array(UInt64)", 0), (b) => b.arrays("c").from, Uint32Array.of(0)],
])("decodes values as the format defines them: %s", (_, body, read, expected) => {
  const [block, ...others] = decodeNative(body);
  if (block === undefined) throw new Error("no block");
  expect(others).toEqual([]);
  expect(block.names).toEqual(["c"]);
  expect(block.rows).toBe(body[1]);
  expect(read(block)).toEqual(expected);
});

test("an empty response has no blocks", async () => {
  expect(decodeNative(new Uint8Array(0))).toEqual([]);
  expect(await collect(readNativeBlocks(inChunks(new Uint8Array(0), [])))).toEqual([]);
});

test("an inexact number is refused with the name of its column", () => {
  const [block] = decodeNative(oneColumn("UInt64", 1, 0, 0, 0, 0, 0, 0, 32, 0));
  expect(() => block?.numbers("c")).toThrow(
    expect.objectContaining({
      code: "sum-too-large",
      message: "a number of column c is above 2^53 - 1: 9007199254740992",
    }),
  );
  expect(block?.bigints("c")).toEqual(BigUint64Array.of(2n ** 53n));
});

test.each<[string, (block: NativeBlock) => unknown]>([
  ["no column d among c", (block) => block.numbers("d")],
  ["column c is read as text, and is UInt32", (block) => block.strings("c")],
  ["column c is read as UInt64, and is UInt32", (block) => block.bigints("c")],
  ["column c is read as FixedString, and is UInt32", (block) => block.fixedStrings("c")],
  ["column c is read as arrays, and is UInt32", (block) => block.arrays("c")],
])("reading a column as another type is a bug: %s", (message, read) => {
  const [block] = decodeNative(oneColumn("UInt32", 1, 1, 2, 3, 4));
  expect(() => block && read(block)).toThrow(`BUG: ${message}`);
});

test("a truncated response is an error unless it ends between blocks", async () => {
  const [first, second] = [
    oneColumn("Array(String)", 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, "x"),
    oneColumn("Array(String)", 1, 0, 0, 0, 0, 0, 0, 0, 0),
  ];
  const body = Buffer.concat([first, second]);
  for (let length = 1; length < body.length; length++) {
    if (length === first.length) continue;
    expect(() => decodeNative(body.subarray(0, length))).toThrow(NativeError);
  }
});

test.each([
  ['unsupported column type: "Float64"', oneColumn("Float64", 1, 0, 0, 0, 0, 0, 0, 0, 0)],
  ['unsupported column type: "FixedString(0)"', oneColumn("FixedString(0)", 1)],
  [
    "got an announced length of at least 16383, want at most 1000",
    nativeBytes(0xff, 0xff, 0xff, 0x7f, 1),
  ],
  [
    "a number is not terminated",
    nativeBytes(
      1,
      Array.from({ length: 40 }, () => 0x80),
    ),
  ],
  [
    "a column announces 2147483640 bytes",
    nativeBytes(1, 0xff, 0xff, 0xff, 0x7f, 1, "c", 6, "UInt64"),
  ],
  [
    "array offsets decrease",
    oneColumn("Array(UInt8)", 2, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1),
  ],
  ["array offsets exceed 2^32 entries", oneColumn("Array(UInt8)", 1, 1, 0, 0, 0, 1, 0, 0, 0, 1)],
  [
    "the columns of the response change from c UInt8 to c Int8",
    Buffer.concat([oneColumn("UInt8", 1, 1), oneColumn("Int8", 1, 1)]),
  ],
])("a malformed response is refused: %s", (message, body) => {
  expect(() => decodeNative(body)).toThrow(
    expect.objectContaining({ name: "NativeError", message: expect.stringContaining(message) }),
  );
});

test("arbitrary bytes are read as blocks or refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(["blocks", "NativeError"]).toContain(outcomeOf(bytes));
    }),
  );
});

function outcomeOf(bytes: Uint8Array): string {
  try {
    decodeNative(bytes);
    return "blocks";
  } catch (error) {
    return error instanceof Error ? error.name : "no error";
  }
}
