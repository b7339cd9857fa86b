import * as fc from "fast-check";
import { expect, test } from "vitest";
import { digestOf } from "../../test/support/sources.ts";
import { type Beginning, beginningKey, type Digests, SourceDigest } from "./source-digest.ts";

function digestInPieces(
  bytes: Uint8Array,
  size: number,
  beginnings: readonly Beginning[] = [],
): Digests {
  const digest = new SourceDigest(beginnings);
  for (let at = 0; at < bytes.length; at += size) digest.update(bytes.subarray(at, at + size));
  return digest.finish();
}

// openssl mac -cipher AES-128-GCM -macopt hexkey:746163686f6772617068206279746573 \
//   -macopt hexiv:000000000000000000000000 -in FILE GMAC
test.each([
  ["", "8461d69e8d28727a88b1d3fa149d5370"],
  ["timeStamp,elapsed,label\n", "e3b917b36109e7ffaf735f306e6f57b1"],
])("the digest of %j matches OpenSSL", (text, tag) => {
  const bytes = Buffer.from(text);
  expect(digestInPieces(bytes, 5)).toMatchObject({
    sizeBytes: bytes.length,
    digest: `gmac:${tag}`,
    beginnings: new Map(),
  });
});

test("recognises a grown source by the digest of its earlier state", () => {
  const earlier = fc.record({ length: fc.nat(200), isOther: fc.boolean() });
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 150 }),
      fc.array(earlier, { maxLength: 5 }),
      fc.integer({ min: 1, max: 60 }),
      (bytes, states, size) => {
        const longer = Buffer.concat([bytes, Buffer.alloc(200)]);
        const beginnings = states.map(({ length, isOther }) => {
          const source = longer.subarray(0, length);
          if (isOther && length > 0) source[length - 1] = (source[length - 1] as number) ^ 1;
          const beginning = { sizeBytes: length, digest: digestOf(source) };
          if (isOther && length > 0) source[length - 1] = (source[length - 1] as number) ^ 1;
          return beginning;
        });
        const expected = beginnings.filter((_, at) => {
          const { length, isOther } = states[at] as (typeof states)[number];
          return length <= bytes.length && !(isOther && length > 0);
        });
        expect(digestInPieces(bytes, size, beginnings).beginnings).toEqual(
          new Map(
            expected.map((beginning) => [
              beginningKey(beginning),
              beginning.sizeBytes === bytes.length ? "whole" : "part",
            ]),
          ),
        );
      },
    ),
  );
});
