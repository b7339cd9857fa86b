import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ByteWindow } from "./byte-window.ts";

test("the window has the unread bytes at their offsets, with any chunk size", () => {
  const step = fc.record({
    length: fc.oneof(fc.nat(9), fc.nat(50_000)),
    taken: fc.constantFrom(0, 0.5, 0.999, 1),
    skipped: fc.nat(999),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const window = new ByteWindow();
      const source = Buffer.from(
        Uint8Array.from({ length: 1_000_000 }, (_, at) => at ^ (at >> 8) ^ (at >> 16)),
      );
      let [given, read] = [0, 0];
      for (const { length, taken, skipped } of steps) {
        const piece = new Uint8Array(source.subarray(given, given + length));
        window.append(piece);
        piece.fill(0);
        given += length;
        expect(window.offsetOf(window.from)).toBe(read);
        const unread = window.bytes.subarray(window.from, window.to);
        expect(unread.equals(source.subarray(read, given))).toBe(true);
        const behind = window.bytes.subarray(window.to, window.to + 16);
        expect(behind.equals(Buffer.alloc(16, "\n"))).toBe(true);
        const consumed = Math.floor((given - read) * taken);
        window.settle(window.from + consumed);
        read += consumed;
        if (read < given) continue;
        given += skipped;
        read = given;
        window.skipTo(given);
      }
    }),
    { numRuns: 30 },
  );
});

test("a record that arrives byte by byte is copied a bounded number of times", () => {
  const window = new ByteWindow();
  const piece = new Uint8Array(1);
  let moves = 0;
  for (let byte = 0, memory = window.bytes; byte < 1_000_000; byte++) {
    window.append(piece);
    if (window.bytes !== memory) moves += 1;
    memory = window.bytes;
  }
  expect(window.to - window.from).toBe(1_000_000);
  expect(moves).toBeLessThan(10);
});
