/** Damages sources and runs decoders on them. */

import * as fc from "fast-check";
import type { DecodeOptions, Format } from "../../src/decode/decoder.ts";
import { UserError } from "../../src/model/errors.ts";
import type { Rejection } from "../../src/model/import-report.ts";
import { type Decoded, decodeSource } from "./decode-source.ts";

/** Applies a few edits; each replaces up to `removed` bytes at some place by others. */
export function mutantsOf(seed: string | Uint8Array): fc.Arbitrary<Uint8Array> {
  const bytes = typeof seed === "string" ? new TextEncoder().encode(seed) : seed;
  const inserted = fc.oneof(
    fc.constant(new Uint8Array(0)),
    fc.uint8Array({ maxLength: 3 }),
    // Bytes with a meaning in the format are more likely to do harm.
    fc
      .stringMatching(/^[",;\r\n0-9<>&'/=a-c\0 -]{1,4}$/)
      .map((text) => new TextEncoder().encode(text)),
    fc
      .tuple(fc.nat(bytes.length), fc.nat(40))
      .map(([from, length]) => bytes.slice(from, from + length)),
  );
  const edit = fc.record({ at: fc.nat(bytes.length), removed: fc.nat(6), inserted });
  return fc.array(edit, { maxLength: 6 }).map((edits) => {
    let mutant = bytes;
    for (const { at, removed, inserted: piece } of edits) {
      mutant = Uint8Array.from([
        ...mutant.subarray(0, at),
        ...piece,
        ...mutant.subarray(at + removed),
      ]);
    }
    return mutant;
  });
}

/** Decodes `source` in one chunk, byte by byte and in chunks of other sizes. */
export function outcomesOf(
  format: Format,
  source: Uint8Array,
  options?: DecodeOptions,
): (Decoded | string)[] {
  return [[], [1], [2, 7], [50, 3, 11]].map((sizes) => {
    try {
      return decodeSource(format, source, sizes, options);
    } catch (error) {
      if (error instanceof UserError) return error.message;
      throw error;
    }
  });
}

/** Where records were rejected. */
export function placesOf(outcome: Decoded | string): Rejection[] {
  if (typeof outcome === "string") return [];
  return [
    ...outcome.rejections,
    ...(outcome.truncatedAt === undefined ? [] : [outcome.truncatedAt]),
  ];
}
