import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { hdrCounts } from "./hdr-log.ts";

/** Version 2 with 3 digits, and a count of 1 in each range. */
function filled(ranges: number): string {
  const head = Buffer.alloc(40);
  head.writeUInt32BE(0x1c849313, 0);
  head.writeUInt32BE(ranges, 4);
  head.writeUInt32BE(3, 12);
  head.writeBigInt64BE(1n, 16);
  const deflated = deflateSync(Buffer.concat([head, Buffer.alloc(ranges, 2)]));
  const outer = Buffer.alloc(8);
  outer.writeUInt32BE(0x1c849314, 0);
  outer.writeUInt32BE(deflated.length, 4);
  return Buffer.concat([outer, deflated]).toString("base64");
}

test("a short line that inflates to millions of values is refused before it fills the memory", () => {
  expect(hdrCounts(filled(262_144))).toHaveLength(262_144);
  expect(() => hdrCounts(filled(262_145))).toThrow("it has more than 262144 values that differ");
});
