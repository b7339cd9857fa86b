import { constants, zstdCompressSync } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ZstdFrame } from "./zstd.ts";

/** Compressible, incompressible and repetitive contents. */
const contents = fc.oneof(
  fc.uint8Array({ maxLength: 500 }),
  fc.integer({ min: 0, max: 300_000 }).map((length) => new Uint8Array(length).fill(7)),
  fc
    .integer({ min: 130_000, max: 300_000 })
    .map((length) => Uint8Array.from({ length }, (_, at) => (at * at) ^ (at >> 7))),
);

function isWhole(bytes: Uint8Array, pieceBytes: number): boolean {
  const frame = new ZstdFrame();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    frame.take(bytes.subarray(at, at + pieceBytes));
  }
  return frame.isWhole;
}

test("a frame is complete at its last byte and not before, with any chunk size", () => {
  const settings = fc.record({
    [constants.ZSTD_c_checksumFlag]: fc.constantFrom(0, 1),
    [constants.ZSTD_c_contentSizeFlag]: fc.constantFrom(0, 1),
  });
  fc.assert(
    fc.property(
      contents,
      settings,
      fc.integer({ min: 1, max: 70_000 }),
      (content, params, step) => {
        const frame = zstdCompressSync(content, { params });
        expect(isWhole(frame, step)).toBe(true);
        expect(isWhole(frame.subarray(0, -1), step)).toBe(false);
        expect(isWhole(Buffer.concat([frame, frame.subarray(0, 3)]), step)).toBe(true);
      },
    ),
    { numRuns: 30 },
  );
});

test("a truncated frame is never complete", () => {
  const frame = zstdCompressSync(new Uint8Array(1000).map((_, at) => at * at));
  const wholes = Array.from({ length: frame.length }, (_, end) =>
    isWhole(frame.subarray(0, end), 9),
  );
  expect(wholes).not.toContain(true);
});
