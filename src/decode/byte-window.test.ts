import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ByteWindow } from "./byte-window.ts";

test("however pieces and consumed bytes fall, the window shows the unread bytes at their offsets", () => {
  const step = fc.record({ piece: fc.uint8Array({ maxLength: 9 }), take: fc.nat(12) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const window = new ByteWindow();
      const source: number[] = [];
      let read = 0;
      for (const { piece: given, take } of steps) {
        const piece = Buffer.from(given);
        window.append(piece);
        source.push(...piece);
        expect([...window.bytes.subarray(window.from, window.to)]).toEqual(source.slice(read));
        expect(window.offsetOf(window.from)).toBe(read);
        const taken = Math.min(take, window.to - window.from);
        window.settle(window.from + taken);
        piece.fill(0);
        read += taken;
      }
    }),
  );
});
