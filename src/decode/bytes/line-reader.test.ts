import { expect, test } from "vitest";
import { MeasureAccumulator } from "../../aggregate/measure-accumulator.ts";
import type { Rejection } from "../../model/import-report.ts";
import type { SampleSink } from "../decoder.ts";
import { ByteWindow } from "./byte-window.ts";
import { LineReader } from "./line-reader.ts";

function ignored(): void {}

/** Reads `text` in chunks of `size` bytes. Rejects lines that begin with `!`. */
function read(
  text: string,
  size: number,
): { lines: string[]; rejections: Rejection[]; truncatedAt: Rejection | undefined } {
  const lines: string[] = [];
  const rejections: Rejection[] = [];
  const window = new ByteWindow();
  const handler = {
    take(bytes: Buffer, from: number, to: number) {
      lines.push(bytes.toString("utf8", from, to));
      return bytes[from] === 0x21 ? "no" : undefined;
    },
    isWhole: (bytes: Buffer, _from: number, to: number) => bytes[to - 1] === 0x2e,
  };
  const sink = {
    record: ignored,
    recordWindow: ignored,
    recordFailure: ignored,
    recordActiveUsers: ignored,
    recordUserChanges: ignored,
    confirmSizes: () => undefined,
    recordPercentiles: () => undefined,
    repair: () => undefined,
    measures: new MeasureAccumulator(),
    reject: (rejection: Rejection) => rejections.push(rejection),
  };
  const reader = new LineReader(window, handler, sink);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    window.append(bytes.subarray(at, at + size));
    reader.read();
  }
  return { truncatedAt: reader.end(), lines, rejections };
}

test.each([1, 2, 3, 1000])("lines are read in pieces of %i bytes", (size) => {
  expect(read("one\r\n\n \t\ntwö\n!three\n\0\nlast.", size)).toEqual({
    lines: ["one", "twö", "!three", "\0", "last."],
    rejections: [{ line: 5, byte: 14, reason: "no" }],
    truncatedAt: undefined,
  });
});

test.each([
  ["a\nb", { line: 2, byte: 2, reason: "the source ends inside a line" }],
  ["a\nb.", undefined],
  ["a\n  ", undefined],
  ["", undefined],
])("the cut at the end of %j is %j", (text, truncatedAt) => {
  expect(read(text, 1).truncatedAt).toEqual(truncatedAt);
});

const MIB = 1024 * 1024;

test.each([
  ["in pieces", 50_000],
  ["at once", 2 * MIB],
])("a line of more than 1 MiB is rejected, %s", (_how, size) => {
  const { lines, rejections, truncatedAt } = read(
    `one\n${"x".repeat(MIB)}\n${"y".repeat(MIB + 1)}\nlast.`,
    size,
  );
  expect(lines.map(({ length }) => length)).toEqual([3, MIB, 5]);
  const reason = "the line is too long: got 1048577 bytes, want at most 1 MiB";
  expect(rejections).toEqual([{ line: 3, byte: 4 + MIB + 1, reason }]);
  expect(truncatedAt).toBeUndefined();
});

test("a source that ends inside a line of more than 1 MiB is cut where the line begins", () => {
  const reason = "the source ends inside a line of over 1 MiB";
  expect(read(`one\n${"y".repeat(MIB + 1)}`, 50_000).truncatedAt).toEqual({
    line: 2,
    byte: 4,
    reason,
  });
});

test("a line in two pieces is read by the fast path", () => {
  const window = new ByteWindow();
  const taken: string[] = [];
  const fastPath = {
    count: 0,
    read(from: number, to: number): number {
      const end = window.bytes.indexOf(0x0a, from);
      if (end >= to) return from;
      this.count += 1;
      return this.read(end + 1, to);
    },
  };
  const take = (bytes: Buffer, from: number, to: number) => {
    taken.push(bytes.toString("utf8", from, to));
    return "no";
  };
  const reject = (rejection: Rejection) => taken.push(rejection.reason);
  const sink = { reject } as Partial<SampleSink> as SampleSink;
  const reader = new LineReader(window, { take, isWhole: () => true, fastPath }, sink);
  for (const piece of ["one\ntw", "o", "\nthree\n"]) {
    window.append(Buffer.from(piece));
    reader.read();
  }
  expect([fastPath.count, taken]).toEqual([3, []]);
});

test("a line with a hole of NUL bytes inside is rejected; one behind a hole is read", () => {
  const hole = "\0".repeat(20);
  for (const size of [1, 3, 1000]) {
    const { lines, rejections } = read(`one\nt${hole}o\nthree\n${hole}four\nfi\0ve\n`, size);
    expect(lines).toEqual(["one", "three", `${hole}four`, "fi\0ve"]);
    expect(rejections).toEqual([
      { line: 2, byte: 4, reason: "NUL bytes inside: a part of the source was never written" },
    ]);
  }
});
