import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isBeginning, type Marked, MARKS_FORM } from "../model/source-quality.ts";
import { Marks } from "./source-digest.ts";

function marked(bytes: Uint8Array, pieceBytes = bytes.length || 1): Marked {
  const marks = new Marks();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    marks.update(bytes.subarray(at, at + pieceBytes));
  }
  return { sizeBytes: bytes.length, marks: marks.text };
}

function rows(count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, (_, index) => row(index)).join(""));
}

function row(index: number): string {
  return `${1_790_000_000_000 + index * 37},${index % 91},GET /${index % 7}\n`;
}

// For "a\n": openssl mac -cipher AES-128-GCM -macopt hexkey:746163686f6772617068206d61726b73 \
//   -macopt hexiv:000000000000000000000000 -in FILE GMAC, in Base64. For "bc\n": that digest precedes it.
test("a mark is a position and the digest of all bytes before it", () => {
  expect(marked(Buffer.from("a\nbc\nd")).marks).toBe("2.VTa_ey5.k8AoLr");
});

test("marks do not depend on the chunk size", () => {
  const bytes = Buffer.concat([rows(3000), Buffer.alloc(300_000, "x"), rows(2)]);
  for (const size of [1, 7, 4096, 65_536]) expect(marked(bytes, size)).toEqual(marked(bytes));
});

test("the number of marks is bounded, however short or long the lines are", () => {
  for (const bytes of [Buffer.alloc(2 ** 20, "\n"), Buffer.alloc(2 ** 20, "x"), rows(40_000)]) {
    const { marks } = marked(bytes);
    expect(marks).toMatch(MARKS_FORM);
    expect(marks.length).toBeLessThan(6000);
  }
});

test("each earlier state of a row or more is the beginning of the later one", () => {
  const bytes = rows(2000);
  const later = marked(bytes);
  const rowBytes = bytes.indexOf("\n") + 1;
  fc.assert(
    fc.property(fc.integer({ min: rowBytes, max: bytes.length - 1 }), (length) => {
      const earlier = marked(bytes.subarray(0, length));
      expect(isBeginning(earlier, later)).toBe(true);
      expect(isBeginning(later, earlier)).toBe(false);
    }),
  );
  expect(isBeginning(later, later)).toBe(false);
});

test("a file without lines is recognised after 64 KiB", () => {
  const bytes = Buffer.alloc(500_000, "x");
  expect(isBeginning(marked(bytes.subarray(0, 65_536)), marked(bytes))).toBe(true);
  expect(isBeginning(marked(bytes.subarray(0, 65_535)), marked(bytes))).toBe(false);
});

test("a file that differs in any of its first rows is not a beginning", () => {
  const bytes = rows(20);
  const later = marked(bytes);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 19 }), fc.nat(), (count, place) => {
      const earlier = rows(count);
      earlier[place % earlier.length] = 0x21;
      expect(isBeginning(marked(earlier), later)).toBe(false);
    }),
  );
});

test("a file with a partial line longer than the complete one is not a beginning", () => {
  const other = Buffer.concat([rows(3), Buffer.alloc(100, "1")]);
  expect(isBeginning(marked(other), marked(rows(9)))).toBe(false);
});
