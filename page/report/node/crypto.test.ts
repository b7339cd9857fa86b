import { hash as hashOfNode } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hash } from "./crypto.ts";

test("the SHA-1 of a text is that of Node", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(hash("sha1", text)).toBe(hashOfNode("sha1", text));
    }),
  );
});

// Expected digests are from FIPS 180-4 and RFC 3174.
test.each([
  ["abc", "a9993e364706816aba3e25717850c26c9cd0d89d"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
  ],
  ["", "da39a3ee5e6b4b0d3255bfef95601890afd80709"],
])("the SHA-1 of %j", (text, digest) => {
  expect(hash("sha1", text)).toBe(digest);
});
