import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";
import { UserError } from "../../src/model/errors.ts";
import { decodeBatch } from "../../src/wire/batch.ts";
import { readSource } from "../support/sources.ts";
import type { FuzzTarget } from "./target.ts";

/** Limit of the inflated size; corpora are small. */
const INFLATED_MAX = 8 * 1024 * 1024;
const LIMIT = { inflatedBytes: INFLATED_MAX, ratio: 200 };

/** Decodes bytes of a file to plain text: gzip, zstd, UTF-16, and bytes that are none of them. */
export const sourceTarget: FuzzTarget = {
  name: "source",
  cost: 4,
  async run(input) {
    const whole = await outcomeOf(input, 65_536);
    const inPieces = await outcomeOf(input, 1 + (input.length % 97));
    if (isDeepStrictEqual(inPieces, whole)) return;
    throw new Error(`in pieces it is another: ${short(inPieces)} instead of ${short(whole)}`);
  },
};

async function outcomeOf(input: Uint8Array, pieceBytes: number): Promise<unknown> {
  try {
    return await readSource(input, pieceBytes, { inflateLimit: LIMIT });
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

/** Batches as received over the network, with a correct checksum. */
export const batchTarget: FuzzTarget = {
  name: "batch",
  run(input) {
    const bytes = Buffer.from(input);
    if (bytes.length >= 4) bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
    try {
      decodeBatch(bytes);
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== "bad-batch") throw error;
    }
  },
};

function short(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 300);
}
